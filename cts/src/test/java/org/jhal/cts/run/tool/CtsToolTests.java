// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import org.jhal.Hal;
import org.jhal.cts.run.report.CtsReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The suite's command line. */
class CtsToolTests {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    ToolProvider tool = ToolProvider.findFirst("hal-cts").orElseThrow();
    return tool.run(new PrintWriter(out), new PrintWriter(err), args);
  }

  private void assertUsage(String part, String... args) {
    err.getBuffer().setLength(0);
    assertEquals(2, run(args));
    assertTrue(err.toString().contains(part), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
  }

  @Test
  void helpDescribesEveryOption() {
    assertEquals(0, run("--help"));
    for (String option :
        new String[] {
          "--device",
          "--tests",
          "--repeat",
          "--seed",
          "--report",
          "--fail-fast",
          "--timeout",
          "--list",
          "hal cts verify "
        }) {
      assertTrue(out.toString().contains(option), option);
    }
  }

  @Test
  void listsTestsWithTheirRules() {
    assertEquals(0, run("--list", "--tests", "SemaphoreTest.aSignalMay*"));
    assertEquals("SemaphoreTest.aSignalMaySkipValues  [S1]", out.toString().strip());
  }

  @Test
  void aClassNameSelectsItsTests() {
    assertEquals(0, run("--list", "--tests", "SignalOrderTest"));
    assertTrue(out.toString().lines().count() > 5, out::toString);
    assertTrue(out.toString().lines().allMatch(line -> line.startsWith("SignalOrderTest.")));
  }

  @Test
  void withoutADeviceTheDefaultOneIsTested() {
    assertEquals(3, run()); // there is no driver here
    assertTrue(err.toString().startsWith("hal: NOT_FOUND: no driver"), err::toString);
  }

  @Test
  void aDefaultDeviceThatCannotBeOpenedIsReportedWithItsOrigin() {
    System.setProperty(Hal.DEVICE_PROPERTY, "nosuchdriver");
    try {
      assertEquals(3, run());
    } finally {
      System.clearProperty(Hal.DEVICE_PROPERTY);
    }
    assertTrue(err.toString().contains("system property jhal.device"), err::toString);
  }

  @Test
  void anUnknownArgumentIsWrongUsage() {
    assertUsage("unknown argument '--devise', did you mean '--device'? (see", "--devise", "mock");
  }

  @Test
  void aMissingValueIsWrongUsage() {
    assertUsage("--device needs a value", "--device");
  }

  @Test
  void aPatternThatMatchesNothingIsWrongUsage() {
    assertUsage("'Nonsense' matches no test", "--device", "x", "--tests", "Nonsense");
  }

  @Test
  void aNumberOutOfRangeIsWrongUsage() {
    assertUsage("--repeat 0: a number from 1", "--device", "x", "--repeat", "0");
  }

  @Test
  void aTimeoutOfZeroIsWrongUsage() {
    assertUsage("--timeout 0: a number from 1", "--device", "x", "--timeout", "0");
  }

  @Test
  void aMalformedDeviceIsWrongUsage() {
    assertUsage("malformed device URI 'No Device'", "--device", "No Device");
  }

  @Test
  void aDeviceThatCannotBeOpenedIsNotAFailedTest() {
    assertEquals(3, run("--device", "nosuchdriver://0"));
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
      assertEquals(1, run("--device", "nosuchdriver", "--report", report.toString()));
      String status = report.equals(file) ? "FAILED_PRECONDITION" : "DATA_LOSS"; // it exists
      assertTrue(
          err.toString()
              .startsWith("hal: " + status + ": the report cannot be written: '" + report + "': "),
          err::toString);
      assertFalse(err.toString().contains("Exception"), err::toString);
    }
    assertFalse(Files.exists(taken.resolve("report.json")));
  }

  /** The legal paths depend on the system and its locale; a NUL is never legal. */
  @Test
  void anInvalidPathIsWrongUsage() {
    assertUsage("--report '' names no file or folder", "--device", "x", "--report", "");
    assertUsage("--report: no path: ", "--device", "x", "--report", "a\0b");
    assertUsage("verify: no path: ", "verify", "a\0b");
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
