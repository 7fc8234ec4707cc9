// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.report.CtsReport.Entry;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The conformance suite passes on a recorded device, and the recording of its random programs gives
 * their bytes. {@code -Djhal.recording.tests=*} runs all of the suite.
 */
class RecordedSuiteTest {
  private static final String CONFORMANCE =
      "DriverTest.*,QueueCapture*,QueueFailure*,BlockingCalls*,ExternalOrder*,FileTransfer*";

  @TempDir private Path folder;

  private Path record(String... tests) {
    Path file = folder.resolve("suite.jrec");
    List<Entry> entries =
        new CtsRun(new RecordCtsBackend())
            .device(Recorded.uri("mock", file))
            .tests(tests)
            .seed(1)
            .run()
            .entries();
    assertTrue(entries.stream().anyMatch(entry -> entry.outcome() == Outcome.PASSED));
    for (Entry entry : entries) {
      assertTrue(
          entry.outcome() == Outcome.PASSED || entry.outcome() == Outcome.UNSUPPORTED,
          entry::toString);
    }
    return file;
  }

  @Test
  void aRecordedDeviceConforms() {
    var unused = record(System.getProperty("jhal.recording.tests", CONFORMANCE).split(","));
  }

  @Test
  void randomProgramsGiveTheirBytes() throws InterruptedException {
    Path file = record("RandomGraphTest.*", "CommandBufferStressTest.*", "ChainTest.*");
    Recorded.Outcome outcome = Recorded.replay(file, "mock", null, null);
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertTrue(outcome.text().contains("all with the bytes"), outcome.text());
    Recorded.assumeCompiler();
    outcome = Recorded.replay(file, "mock", "cpu", null);
    assertEquals(0, outcome.exitCode(), outcome.text());
  }
}
