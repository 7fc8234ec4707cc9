// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How large the engine and the drivers may be, which files may be long, and how many may catch
 * {@code Throwable} or {@code Error}. A limit is the number that was measured last. Limits are
 * lowered with the change that makes something smaller, and raised only with a new feature. Lines
 * are counted as by {@code wc -l}, without that of the licence, in main sources only. For folders,
 * imports and package descriptions do not count, since they change when a class moves.
 */
class SourceSizeTest {
  /** The lines of a file that is not in {@link #LONG_FILES}. */
  private static final int LONG = 450;

  /** The lines of files that are longer, by their names, which survive a change of packages. */
  private static final Map<String, Integer> LONG_FILES =
      Map.ofEntries(
          Map.entry("BenchTool.java", 487),
          Map.entry("BundleBuilder.java", 475),
          Map.entry("CrossDeviceCopyTest.java", 576),
          Map.entry("CrossDeviceWaitTest.java", 515),
          Map.entry("FaultWorkload.java", 466),
          Map.entry("FileFailureTest.java", 468),
          Map.entry("FileTransferTest.java", 477),
          Map.entry("GpuFreeTest.java", 518),
          Map.entry("GpuGraphTest.java", 745),
          Map.entry("GpuPeerTest.java", 508),
          Map.entry("HostMemory.java", 486),
          Map.entry("NativeFailureTest.java", 572),
          Map.entry("PeerImportTest.java", 615),
          Map.entry("QueueHostCallTest.java", 531),
          Map.entry("SemaphoreObserverTest.java", 495));

  private static final Pattern SOURCE = Pattern.compile("\\.(java|c|h)$");

  private static final Pattern CATCHES_ALL =
      Pattern.compile("\\bcatch\\s*\\([^)]*\\b(Throwable|Error)\\b");

  @ParameterizedTest
  @CsvSource({
    "hal-utils/src/main/java, 27056",
    "hal-utils/src/main/java/org/jhal/engine, 17667",
    "hal-gpu/src/main/java driver-cuda/src/main/java driver-hip/src/main/java, 13000",
    "driver-cuda/src/main/java, 1404",
    "driver-hip/src/main/java, 1332",
    "driver-cpu/src/main/java, 9885",
    "driver-cpu/src/main/resources, 2023"
  })
  void noFolderGrows(String folders, int limit) throws IOException {
    int lines = 0;
    for (String folder : folders.split(" ", -1)) {
      for (Path file : sources(folder)) {
        lines += linesOfCode(file);
      }
    }
    if (lines > limit) {
      fail("%s: %d lines; the limit is %d".formatted(folders, lines, limit));
    }
  }

  /** An unexpected error is handled once, where a call or a step of a thread begins. */
  @ParameterizedTest
  @CsvSource({
    "hal-utils/src/main/java, 10",
    "hal-utils/src/main/java/org/jhal/engine, 6",
    "hal-gpu/src/main/java, 0"
  })
  void fewFilesCatchWhateverIsThrown(String folder, int limit) throws IOException {
    List<String> files = new ArrayList<>();
    for (Path file : sources(folder)) {
      if (catchesAll(Files.readString(file))) {
        files.add(file.getFileName().toString());
      }
    }
    if (files.size() > limit) {
      fail(
          "%d files in %s catch Throwable or Error; the limit is %d: %s"
              .formatted(files.size(), folder, limit, String.join(", ", files)));
    }
  }

  @Test
  void noOtherFileIsLong() throws IOException {
    List<String> modules = new ArrayList<>(Repository.modules());
    modules.addAll(
        List.of("examples", "examples/driver", Repository.FFM, "hal-segments", "hal-spark"));
    List<String> found = new ArrayList<>();
    for (String module : modules) {
      for (Path file : Repository.sources(module)) {
        int lines = lines(file);
        int limit = LONG_FILES.getOrDefault(file.getFileName().toString(), LONG);
        if (lines > limit) {
          found.add(
              "%s has %d lines; the limit is %d"
                  .formatted(Repository.root().relativize(file), lines, limit));
        }
      }
    }
    if (!found.isEmpty()) {
      fail(String.join("\n", found));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "try { a(); } catch (Throwable t) { // no memory",
        "} catch (final Error e) {",
        "} catch (IOException\n    | Error e) {",
        "} catch (/* any */ Throwable t) {"
      })
  void controlACatchIsFound(String code) {
    assertTrue(catchesAll(code));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "} catch (OutOfMemoryError e) { // Error",
        "// catch (Throwable t)",
        "catch (IOException e) { throw new Error(e); }",
        "/** {@code catch (Error e)} */"
      })
  void controlAnotherCatchIsNone(String code) {
    assertFalse(catchesAll(code));
  }

  private static boolean catchesAll(String source) {
    return CATCHES_ALL.matcher(JavaCode.withoutComments(source)).find();
  }

  private static int linesOfCode(Path file) throws IOException {
    if (file.endsWith("package-info.java")) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(file)) {
      return (int)
          lines
              .filter(line -> !line.startsWith("import ") && !LicenceLineTest.isLicence(line))
              .count();
    }
  }

  private static int lines(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return (int) lines.filter(line -> !LicenceLineTest.isLicence(line)).count();
    }
  }

  /** The sources in a folder of the repository. */
  private static List<Path> sources(String folder) throws IOException {
    try (Stream<Path> files = Files.walk(Repository.root().resolve(folder))) {
      List<Path> sources =
          files.filter(file -> SOURCE.matcher(file.toString()).find()).sorted().toList();
      assertFalse(sources.isEmpty(), () -> "no sources in " + folder);
      return sources;
    }
  }
}
