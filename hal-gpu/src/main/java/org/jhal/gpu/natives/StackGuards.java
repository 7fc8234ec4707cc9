// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Platform;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.ElfFile;

/**
 * Restores the guard pages of Java threads after a library with executable stacks was loaded.
 *
 * <p>Loading such a library makes the C library open the stacks of all threads to their ends.
 * Without its guard pages, a Java thread that overflows its stack writes over other memory or ends
 * the process, rather than throw a StackOverflowError. The JVM repairs this if {@link System#load}
 * loads a file that itself requests executable stacks. It misses libraries that JNA loads, and
 * those that another library needs, such as the {@code libhsa-runtime64} of ROCm 5.
 */
final class StackGuards {
  private static final System.Logger LOG = System.getLogger(StackGuards.class.getName());
  private static final Path MAPS = Path.of("/proc/self/maps");

  /** Checked files. */
  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

  private StackGuards() {}

  /** Checks all libraries loaded since the last call. Throws nothing. */
  static void restore() {
    if (!Platform.isLinux() || !Platform.is64Bit()) {
      return;
    }
    Throwable thrown = Attempt.of(StackGuards::lookAtAll);
    if (thrown != null) { // the library is loaded all the same
      log(Level.DEBUG, "cannot find out whether stacks lack their guards", thrown);
    }
  }

  private static void lookAtAll() {
    for (String library : loaded()) {
      Throwable thrown = SEEN.add(library) ? Attempt.of(() -> look(library)) : null;
      if (thrown != null) { // such as a path that this locale cannot express
        log(Level.WARNING, "threads may lack guard pages because of " + library, thrown);
      }
    }
  }

  private static void look(String library) {
    if (wantsExecutableStack(Path.of(library), false)) {
      LOG.log(Level.DEBUG, library + " wants executable stacks; the JVM guards them again");
      System.load(library); // it is loaded already; this makes the JVM notice
    }
  }

  private static void log(Level level, String message, Throwable thrown) {
    Attempt.of(() -> LOG.log(level, message, thrown)); // memory may be short
  }

  /** The encoding of file names, which may differ from that of files. */
  private static Charset fileNames() {
    String name = System.getProperty("sun.jnu.encoding");
    return name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
  }

  private static List<String> loaded() {
    try (BufferedReader maps =
            new BufferedReader(new InputStreamReader(Files.newInputStream(MAPS), fileNames()));
        Stream<String> lines = maps.lines()) { // replaces malformed input
      return lines
          .filter(line -> line.indexOf('/') >= 0)
          .map(line -> line.substring(line.indexOf('/')))
          .filter(file -> file.contains(".so"))
          .distinct()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Whether a library requests executable stacks.
   *
   * @param otherwise what to return for a file that is gone, damaged or cannot be read
   */
  static boolean wantsExecutableStack(Path library, boolean otherwise) {
    try (FileChannel file = FileChannel.open(library)) {
      long length = Math.min(file.size(), Integer.MAX_VALUE); // what is read is at the beginning
      ElfFile elf = ElfFile.of(file.map(FileChannel.MapMode.READ_ONLY, 0, length));
      if (elf == null) {
        return otherwise;
      }
      for (ElfFile.Segment segment : elf.segments()) {
        if (segment.type() == ElfFile.SEGMENT_STACK) {
          return (segment.flags() & ElfFile.EXECUTABLE) != 0;
        }
      }
      return !Platform.isARM(); // an unmarked file wants one, except on ARM
    } catch (IOException | RuntimeException e) {
      return otherwise;
    }
  }
}
