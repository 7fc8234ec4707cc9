// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.junit.jupiter.api.Test;

/**
 * Without its defect, a backend of {@link CtsSelfTest} passes the tests that find one. Unlike
 * there, the deadlines are the usual ones, because a slow machine must not miss them.
 */
class CtsControlTest {
  private static void assertPasses(WrongBackend backend, String... tests) {
    CtsRun run = new CtsRun(backend).device("mock://");
    List<CtsReport.Entry> entries = run.tests(tests).seed(1).run().entries();
    for (String test : tests) {
      assertTrue(
          entries.stream().anyMatch(entry -> entry.test().equals(test)),
          () -> "there is no test " + test);
    }
    for (CtsReport.Entry entry : entries) {
      assertEquals(Outcome.PASSED, entry.outcome(), () -> "without a defect: " + entry);
    }
  }

  @Test
  void aBackendWithoutADefectPasses() {
    assertPasses(WrongBackend.withoutDefect(), CtsSelfTest.tests());
  }

  @Test
  void aStreamThatDeclaresItsReorderingPasses() {
    String test = "QueueTransferOrderTest.aLongChainKeepsItsOrder";
    assertPasses(WrongBackend.ofSwappingStream(ForwardingStream::new), test);
  }
}
