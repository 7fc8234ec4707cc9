// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options of {@code hal cts}; CtsToolTests and CtsToolTest have what it does. */
class CtsCommandTest {
  private static final String FAST = "SemaphoreTest.aSignalMay*";

  @Test
  void listsTestsWithTheirRules() {
    assertEquals(
        "SemaphoreTest.aSignalMaySkipValues  [S1]",
        hal("cts", "--list", "--tests", FAST).succeeded().out().strip());
  }

  @Test
  void runsWhatTheOptionsSay(@TempDir Path folder) throws IOException {
    String report = folder.resolve("report").toString();
    String out =
        hal(
                "cts",
                "--device",
                "mock://0?queues=3",
                "--tests",
                FAST,
                "--repeat",
                "2",
                "--seed",
                "-7",
                "--fail-fast",
                "--timeout",
                "300",
                "--verify-expected-failures",
                "--report",
                report)
            .succeeded()
            .out();
    assertTrue(out.contains("passed        2"), out);
    String json = Files.readString(Path.of(report, "report.json"));
    JsonObject facts = JsonParser.parseString(json).getAsJsonObject();
    assertEquals("2", facts.get("run.repeat").getAsString(), json);
    assertEquals("yes", facts.get("run.fail-fast").getAsString(), json);
    assertEquals("yes", facts.get("run.verify-expected-failures").getAsString(), json);
    assertEquals("-7", facts.get("seed").getAsString(), json);
    assertEquals("mock://0?queues=3", facts.get("device").getAsString(), json);
  }

  @Test
  void reportsWrongUsage() {
    hal("cts", "--devise", "mock")
        .failed(2, "unknown option '--devise', did you mean '--device'? (see hal cts --help)");
    hal("cts", "--device").failed(2, "'--device'");
    hal("cts", "--device", "x", "--tests", "Nonsense")
        .failed(2, "INVALID_ARGUMENT: --tests 'Nonsense' matches no test (see hal cts --help)");
    hal("cts", "--repeat", "0").failed(2, "OUT_OF_RANGE: --repeat 0 is not from 1 to 1000000");
    hal("cts", "--timeout", "0").failed(2, "--timeout 0 is not from 1 to 10000000 seconds");
    hal("cts", "--timeout", "9223372036854775807").failed(2, "--timeout 9223372036854775807 is");
    hal("cts", "--seed", "x").failed(2, "'--seed'", "'x' is no whole number");
    hal("cts", "--device", "nosuch", "--report", "")
        .failed(2, "'--report'", "'' names no file or folder");
    hal("cts", "--device", "nosuch", "--report", "a\0b").failed(2, "'--report'", "no path: ");
    hal("cts", "--device", "No Device").failed(2, "malformed device URI 'No Device'");
    hal("cts", "--variants", "nowhere")
        .failed(2, "INVALID_ARGUMENT: --variants nowhere: no variants in", "hal cts --help");
  }

  @Test
  void passesOnTheExitCode(@TempDir Path folder) throws IOException {
    hal("cts", "--device", "nosuch").failed(3, "NOT_FOUND: no driver 'nosuch'");
    Path file = Files.createFile(folder.resolve("file"));
    hal("cts", "--device", "mock", "--report", file.toString())
        .failed(1, "the report cannot be written: ");
  }

  @Test
  void verifiesAReport(@TempDir Path folder) {
    String report = folder.toString();
    hal("cts", "--device", "mock", "--tests", FAST, "--report", report).succeeded();
    for (String of : new String[] {report, folder.resolve("report.json").toString()}) {
      Outcome outcome = hal("cts", "verify", of);
      assertEquals(4, outcome.exitCode(), outcome::toString);
      assertTrue(outcome.out().startsWith("no proof of conformance"), outcome.out());
      assertTrue(outcome.out().contains("run: only some tests were requested: "), outcome.out());
      assertTrue(outcome.out().lines().count() < 30, outcome.out());
      Outcome all = hal("cts", "verify", "--all", of);
      assertEquals(4, all.exitCode(), all::toString);
      assertTrue(all.out().lines().count() > 100, all.out());
    }
    hal("cts", "verify", folder.resolve("none").toString())
        .failed(1, "DATA_LOSS: the report cannot be read: there is no ");
    assertFalse(hal("cts", "--verbose", "verify", report).err().contains("hal: "));
  }

  @Test
  void verifyTakesOneReportAndNoOptionOfARun() {
    hal("cts", "verify").failed(2, "DIR|FILE", "hal cts verify --help");
    hal("cts", "verify", "a", "b").failed(2, "unexpected argument 'b'");
    hal("cts", "verify", "a\0b").failed(2, "no path: ");
    hal("cts", "verify", "").failed(2, "'' names no file or folder");
    hal("cts", "--device", "mock", "verify", "a").failed(2, "--device is not for verify");
    hal("cts", "verify", "--repeat", "2", "a").failed(2, "'--repeat'");
    hal("cts", "verify", "--al", "a").failed(2, "'--al'", "--all");
    hal("cts", "veriyf", "a").failed(2, "'veriyf', did you mean 'verify'?");
    String help = hal("cts", "verify", "--help").succeeded().out();
    assertTrue(help.contains("6   there are none, but the report is from another suite"), help);
  }
}
