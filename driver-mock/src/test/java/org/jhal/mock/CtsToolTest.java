// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.Need;
import org.jhal.cts.run.tool.CtsTool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hal cts} on a device. */
class CtsToolTest {
  private final StringWriter out = new StringWriter();

  private static CtsTool.Options options(
      String device, List<String> tests, @Nullable Path variants, @Nullable Path report) {
    return new CtsTool.Options(device, tests, 1, null, variants, report, false, null, false);
  }

  private int run(CtsTool.Options options) {
    return CtsTool.run(options, new PrintWriter(out), new PrintWriter(out));
  }

  private int verify(Path report) {
    return CtsTool.verify(report, true, new PrintWriter(out), new PrintWriter(out));
  }

  @Test
  void writesAReportOfPassingTests(@TempDir Path folder) throws IOException {
    assertEquals(
        0, run(options("mock", List.of("SemaphoreTest.aSignalMay*"), null, folder)), out::toString);
    String json = Files.readString(folder.resolve("report.json"));
    assertTrue(json.contains("\"ended\": \"complete\""), json);
    assertTrue(json.contains("\"test\": \"SemaphoreTest.aSignalMaySkipValues\""), json);
  }

  /** Their class is the suite's own, so the same code is loaded; the report names the folder. */
  @Test
  void loadsKernelsFromAFolderOfVariants(@TempDir Path folder) throws IOException {
    Path variants = Files.createDirectories(folder.resolve("variants/of-the-suite"));
    Files.writeString(
        variants.resolve("manifest.json"),
        "{\"version\": 1, \"bundle\": \"cts-kernels\", \"variants\": [{\"format\": \"java\","
            + " \"class\": \"org.jhal.cts.kernels.CtsKernels\"}]}");
    Path other = Files.createDirectories(variants.resolveSibling("another"));
    Files.writeString(
        other.resolve("manifest.json"),
        "{\"version\": 1, \"bundle\": \"cts-kernels of another\", \"variants\": [{\"format\":"
            + " \"java\", \"class\": \"org.missing.Kernels\"}]}");
    Path all = variants.resolveSibling("");
    CtsTool.Options executables =
        options("mock", List.of("Executable*", "WorkgroupLimit*"), all, folder);
    assertEquals(0, run(executables), out::toString);
    String json = Files.readString(folder.resolve("report.json"));
    assertTrue(json.contains("jhal.cts.variants"), json);
    Matcher hash = Pattern.compile("\"sha256.variants\": \"([0-9a-f]{64})\"").matcher(json);
    assertTrue(hash.find(), json);
    assertTrue(json.contains("\"file.variants\": \"the 2 files of the folder variants\""), json);
    assertTrue(json.contains("\"sha256.kernels\": \""), json);
    Files.writeString(other.resolve("one-more"), "");
    assertEquals(0, run(executables), out::toString);
    json = Files.readString(folder.resolve("report.json"));
    assertFalse(json.contains(hash.group(1)), "the hash is of the files");
    assertEquals(null, System.getProperty("jhal.cts.variants"));
    Path nothing = folder.resolve("nothing");
    HalException none =
        assertThrows(HalException.class, () -> options("mock", List.of(), nothing, null));
    assertEquals(Status.INVALID_ARGUMENT, none.status());
    assertTrue(
        String.valueOf(none.getMessage()).startsWith("variants " + nothing + ": no variants in"),
        none::toString);
  }

  /** The page and the report agree, but a part of the suite proves nothing. */
  @Test
  void aReportOfSomeTestsIsNoProof(@TempDir Path folder) throws IOException {
    assertEquals(0, run(options("mock", List.of("SignalOrderTest"), null, folder)), out::toString);
    String page = Files.readString(folder.resolve("report.html"));
    assertTrue(page.contains("This is no proof of conformance:"), page);
    assertTrue(page.contains("Mock device 0"), page);
    out.getBuffer().setLength(0);
    assertEquals(4, verify(folder), out::toString);
    String first =
        out.toString().lines().filter(line -> !line.startsWith("no proof")).findFirst().orElse("");
    assertTrue(first.startsWith("run: only some tests were requested: SignalOrderTest"), first);
    assertTrue(
        out.toString()
            .lines()
            .filter(line -> !line.equals(first))
            .filter(
                line -> !line.startsWith("run: the length of chains")) // the build shortens them
            .allMatch(line -> line.contains(": is missing, ") || line.startsWith("no proof")),
        out::toString);
  }

  /** Other invocations of the test, which passed, do not need it. */
  @Test
  void aNeedThatOnlySomeInvocationsLackIsNoDiscrepancy(@TempDir Path folder) {
    String passes = "LossByCallTest.everyCallIsTestedOrExcepted";
    String device = "mock://0?peers=none";
    assertEquals(
        0, run(options(device, List.of(passes, "PeerImportTest"), null, folder)), out::toString);
    assertTrue(out.toString().contains(Need.PEER_MEMORY.absence()), out::toString);
    assertEquals(4, verify(folder), out::toString);
    assertFalse(out.toString().contains("needs the same"), out::toString);
  }

  /** The folder is deleted after the check, which stands for a disk that gets full. */
  @Test
  void printsTheResultIfTheReportCannotBeWritten(@TempDir Path folder) throws IOException {
    Path report = folder.resolve("report");
    StringWriter taking =
        new StringWriter() {
          @Override
          public void write(String text, int offset, int length) {
            super.write(text, offset, length);
            try {
              if (text.contains("capabilities") && Files.deleteIfExists(report)) {
                Files.createFile(report);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };
    CtsTool.Options options = options("mock", List.of("SemaphoreTest.aSignalMay*"), null, report);
    int exitCode = CtsTool.run(options, new PrintWriter(taking), new PrintWriter(out));
    assertEquals(1, exitCode, out::toString);
    assertTrue(out.toString().contains("the report cannot be written: "), out::toString);
    assertTrue(taking.toString().contains("passed        1"), taking::toString);
  }

  /** With so many repetitions, the run does not end by itself. */
  @Test
  void aRunThatReachesItsDeadlineStillWritesItsReport(@TempDir Path folder) throws IOException {
    Duration limit = Duration.ofSeconds(4);
    CtsTool.Options options =
        new CtsTool.Options(
            "mock", List.of("SemaphoreTest"), 1_000_000, null, null, folder, false, limit, false);
    assertEquals(5, run(options), out::toString);
    String json = Files.readString(folder.resolve("report.json"));
    assertTrue(json.contains("\"ended\": \"at the deadline of 4 s, during "), json);
    assertTrue(json.contains("the run reached its deadline of 4 s"), json);
    assertTrue(json.contains("cts-run"), json);
    assertTrue(Files.readString(folder.resolve("report.xml")).contains("<failure message="), json);
    assertTrue(out.toString().contains("ended         at the deadline of 4 s"), out::toString);
  }
}
