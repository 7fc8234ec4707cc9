// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.mock.cts.MockCtsBackend;
import org.junit.jupiter.api.Test;

/** A backend whose process a kernel that gives up would ruin: such tests run in others. */
class OwnProcessTest {
  private static final String TEST = "DispatchTest.aKernelThatGivesUpFailsItsSignals";

  private static List<CtsReport.Entry> run(String device) {
    MockCtsBackend fragile =
        new MockCtsBackend() {
          @Override
          public Device open(String uri) {
            return Hal.openDevice("mock");
          }

          @Override
          public boolean survivesKernels() {
            return false;
          }
        };
    CtsReport report = new CtsRun(fragile).device(device).tests(TEST).seed(7).run();
    List<CtsReport.Entry> entries = report.entries();
    assertTrue(entries.size() > 1, entries::toString);
    return entries;
  }

  @Test
  void passesWhereItPassesInItsProcess() {
    for (CtsReport.Entry entry : run("mock://0?queues=2")) {
      assertEquals(CtsReport.Outcome.PASSED, entry.outcome(), entry::toString);
    }
  }

  /** The other process has no backend that opens this device. */
  @Test
  void failsWithWhatItsProcessSaid() {
    for (CtsReport.Entry entry : run("nosuch://0")) {
      assertEquals(CtsReport.Outcome.FAILED, entry.outcome(), entry::toString);
      for (String part : List.of("which exited with 1:", "NOT_FOUND: no driver 'nosuch'")) {
        assertTrue(entry.detail().contains(part), () -> part + " in " + entry);
      }
    }
  }
}
