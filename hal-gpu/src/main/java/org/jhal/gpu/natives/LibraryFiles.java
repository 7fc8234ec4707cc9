// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Platform;
import java.io.File;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of native libraries: those that would be loaded, and those that were. Linux only;
 * elsewhere nothing is found.
 *
 * <p>The former are a forecast from the places that JNA and the system's loader search. It ignores
 * other influences on the loader, such as run paths, so callers compare it with the latter.
 */
final class LibraryFiles {
  private static final Path LOADER_CACHE = Path.of("/etc/ld.so.cache");
  private static final byte[] LOADER_CACHE_MAGIC =
      "glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII);
  private static final int LOADER_CACHE_HEADER = 48;
  private static final int LOADER_CACHE_ENTRY = 24;
  private static final List<String> USUAL_FOLDERS =
      List.of("/lib64", "/usr/lib64", "/lib", "/usr/lib");

  private LibraryFiles() {}

  /**
   * The file that would be loaded; null if none is found.
   *
   * @param name an absolute path, or a name for the system to find
   */
  static @Nullable Path locate(String name) {
    if (!Platform.isLinux()) {
      return null;
    }
    if (new File(name).isAbsolute()) {
      return usable(new File(name));
    }
    List<String> folders = new ArrayList<>();
    folders.addAll(paths(System.getProperty("jna.library.path")));
    folders.addAll(paths(System.getenv("LD_LIBRARY_PATH")));
    Path found = firstUsable(in(folders, name));
    if (found == null) {
      found = firstUsable(inLoaderCache(name));
    }
    return found != null ? found : firstUsable(in(USUAL_FOLDERS, name));
  }

  private static List<File> in(List<String> folders, String name) {
    List<File> files = new ArrayList<>();
    for (String folder : folders) {
      files.add(new File(folder, name));
    }
    return files;
  }

  private static @Nullable Path firstUsable(List<File> candidates) {
    for (File candidate : candidates) {
      Path file = usable(candidate);
      if (file != null) {
        return file;
      }
    }
    return null;
  }

  private static List<String> paths(@Nullable String list) {
    return list == null || list.isEmpty() ? List.of() : List.of(list.split("[:;]", -1));
  }

  private static @Nullable Path usable(File file) {
    try {
      return file.isFile() && SharedLibrary.otherMachine(file) == null
          ? file.toPath().toRealPath()
          : null;
    } catch (IOException | InvalidPathException e) {
      return null;
    }
  }

  /**
   * The candidates in the loader's list of libraries, in its order; none if its form is unknown.
   */
  private static List<File> inLoaderCache(String name) {
    try {
      return inLoaderCache(Files.readAllBytes(LOADER_CACHE), name);
    } catch (IOException e) {
      return List.of();
    }
  }

  /**
   * Searches a list of libraries in the form of glibc 2.32 and later: a header, entries, and
   * zero-terminated texts, to which the entries refer by offset.
   */
  static List<File> inLoaderCache(byte[] list, String name) {
    List<File> found = new ArrayList<>();
    if (!startsWith(list, 0, LOADER_CACHE_MAGIC)) {
      return found;
    }
    byte[] wanted = (name + '\0').getBytes(StandardCharsets.UTF_8);
    ByteBuffer in = ByteBuffer.wrap(list).order(ByteOrder.nativeOrder());
    try {
      int count = in.getInt(LOADER_CACHE_MAGIC.length);
      for (int i = 0; i < count; i++) {
        int entry = Math.addExact(LOADER_CACHE_HEADER, Math.multiplyExact(i, LOADER_CACHE_ENTRY));
        if (startsWith(list, in.getInt(entry + 4), wanted)) { // behind the flags
          int begin = in.getInt(entry + 8);
          int end = begin;
          while (in.get(end) != 0) {
            end++;
          }
          found.add(new File(new String(list, begin, end - begin, StandardCharsets.UTF_8)));
        }
      }
    } catch (IndexOutOfBoundsException | BufferUnderflowException | ArithmeticException e) {
      return List.of(); // it is damaged
    }
    return found;
  }

  private static boolean startsWith(byte[] bytes, int at, byte[] wanted) {
    return at >= 0
        && at <= bytes.length - wanted.length
        && Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length);
  }

  /** The file that is mapped at an address of this process; null if there is none. */
  static @Nullable Path mapped(long address) {
    if (!Platform.isLinux()) {
      return null;
    }
    try {
      // Each line is: begin-end rights offset device inode path
      for (String line :
          Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1)) {
        int dash = line.indexOf('-');
        long begin = Long.parseUnsignedLong(line, 0, dash, 16);
        long end = Long.parseUnsignedLong(line, dash + 1, line.indexOf(' '), 16);
        if (Long.compareUnsigned(address, begin) >= 0 && Long.compareUnsigned(address, end) < 0) {
          String[] parts = line.split(" +", 6);
          return parts.length < 6 ? null : existing(parts[5]);
        }
      }
    } catch (IOException e) {
      return null;
    }
    return null;
  }

  /** Null if the file is gone: the kernel appends {@code (deleted)} to its path. */
  private static @Nullable Path existing(String path) throws IOException {
    String text = new String(path.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    File file = new File(text);
    return file.isFile() ? file.toPath().toRealPath() : null;
  }
}
