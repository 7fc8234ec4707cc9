// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.run.report.CtsReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The suite as a command. */
class CtsToolTests {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private static CtsTool.Options options(@Nullable String device, String... tests) {
    return new CtsTool.Options(device, List.of(tests), 1, null, null, null, false, null, false);
  }

  private int run(CtsTool.Options options) {
    return CtsTool.run(options, new PrintWriter(out), new PrintWriter(err));
  }

  private List<String> list(String tests) {
    CtsTool.list(options(null, tests), new PrintWriter(out));
    return out.toString().lines().toList();
  }

  private static void assertRefused(Status status, String message, Executable options) {
    HalException thrown = assertThrows(HalException.class, options, message);
    assertEquals(status, thrown.status());
    assertEquals(message, thrown.getMessage());
  }

  @Test
  void listsTestsWithTheirRules() {
    assertEquals(
        List.of("SemaphoreTest.aSignalMaySkipValues  [S1]"), list("SemaphoreTest.aSignalMay*"));
  }

  @Test
  void aClassNameSelectsItsTests() {
    List<String> listed = list("SignalOrderTest");
    assertTrue(listed.size() > 5, listed::toString);
    assertTrue(listed.stream().allMatch(line -> line.startsWith("SignalOrderTest.")));
  }

  @Test
  void withoutADeviceTheDefaultOneIsTested() {
    assertEquals(3, run(options(null))); // there is no driver here
    assertTrue(err.toString().startsWith("hal: NOT_FOUND: no driver"), err::toString);
  }

  @Test
  void aDefaultDeviceThatCannotBeOpenedIsReportedWithItsOrigin() {
    System.setProperty(Hal.DEVICE_PROPERTY, "nosuchdriver");
    try {
      assertEquals(3, run(options(null)));
    } finally {
      System.clearProperty(Hal.DEVICE_PROPERTY);
    }
    assertTrue(err.toString().contains("system property jhal.device"), err::toString);
  }

  @Test
  void aPatternThatMatchesNothingIsRefused() {
    assertRefused(
        Status.INVALID_ARGUMENT,
        "tests 'Nonsense' matches no test",
        () -> options("x", "SemaphoreTest", "Nonsense"));
  }

  @Test
  void aNumberOutOfRangeIsRefused() {
    for (int repeat : new int[] {0, 1_000_001}) {
      assertRefused(
          Status.OUT_OF_RANGE,
          "repeat " + repeat + " is not from 1 to 1000000",
          () -> new CtsTool.Options("x", List.of(), repeat, null, null, null, false, null, false));
    }
    for (long seconds : new long[] {0, 10_000_001}) {
      Duration timeout = Duration.ofSeconds(seconds);
      assertRefused(
          Status.OUT_OF_RANGE,
          "timeout " + seconds + " is not from 1 to 10000000 seconds",
          () -> new CtsTool.Options("x", List.of(), 1, null, null, null, false, timeout, false));
    }
  }

  @Test
  void aMalformedDeviceIsWrongUsage() {
    assertEquals(2, run(options("No Device")));
    assertTrue(err.toString().contains("malformed device URI 'No Device'"), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
  }

  @Test
  void aDeviceThatCannotBeOpenedIsNotAFailedTest() {
    assertEquals(3, run(options("nosuchdriver://0")));
    assertTrue(
        err.toString().startsWith("hal: NOT_FOUND: no driver 'nosuchdriver'"), err::toString);
    assertFalse(err.toString().contains("\tat "), "a stack trace");
  }

  /** Before the device is opened, which would fail here. */
  @Test
  void anUnwritableReportIsReportedBeforeTheRun(@TempDir Path folder) throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    Path taken = folder.resolve("taken");
    Files.createDirectories(taken.resolve("report.html"));
    for (Path report : List.of(file, file.resolve("inside"), taken)) {
      err.getBuffer().setLength(0);
      assertEquals(
          1,
          run(
              new CtsTool.Options(
                  "nosuchdriver", List.of(), 1, null, null, report, false, null, false)));
      String status = report.equals(file) ? "FAILED_PRECONDITION" : "DATA_LOSS"; // it exists
      assertTrue(
          err.toString()
              .startsWith("hal: " + status + ": the report cannot be written: '" + report + "': "),
          err::toString);
      assertFalse(err.toString().contains("Exception"), err::toString);
    }
    assertFalse(Files.exists(taken.resolve("report.json")));
  }

  @Test
  void progressCountsTestsAndVanishes() {
    PrintWriter writer = new PrintWriter(err);
    CtsProgress progress = new CtsProgress(writer, 2);
    progress.ended(entry("A.first", CtsReport.Outcome.PASSED));
    progress.wipe();
    progress.ended(entry("A.first", CtsReport.Outcome.FAILED));
    progress.wipe();
    progress.ended(entry("A.second", CtsReport.Outcome.PASSED));
    progress.wipe();
    progress.wipe();
    assertEquals(
        shownAndWiped("1/2  A.first")
            + shownAndWiped("1/2, 1 failed  A.first")
            + shownAndWiped("2/2, 1 failed  A.second"),
        err.toString());
  }

  private static CtsReport.Entry entry(String test, CtsReport.Outcome outcome) {
    return new CtsReport.Entry(test, test, List.of(), outcome, "", 0);
  }

  private static String shownAndWiped(String text) {
    return text + "\r" + " ".repeat(text.length()) + "\r";
  }
}
