// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/** What a failing test reports about its injected failures. */
class InjectionTests {
  /** Devices whose controls record their calls. */
  private static final class Controllable extends FakeBackend {
    final List<String> calls = new ArrayList<>();

    @Override
    public Optional<Controls> controls(Device device) {
      return Optional.of(
          new Controls() {
            @Override
            public void pause(DeviceQueue queue) {
              calls.add("pause");
            }

            @Override
            public void resume(DeviceQueue queue) {
              calls.add("resume");
            }

            @Override
            public Set<String> calls() {
              return Set.of("issue");
            }

            @Override
            public void failNext(String call, int nth, Status status, boolean sticky) {
              calls.add(call + nth + status + sticky);
            }

            @Override
            public void loseDevice(HalException cause) {
              calls.add("lose " + cause.getMessage());
            }

            @Override
            public void reset() {
              calls.add("reset");
            }
          });
    }
  }

  /** Tests that inject failures, and pass or fail. */
  @CtsSuite
  static class Injecting {
    private static void inject(Cts cts) {
      assertEquals(Set.of("issue"), cts.controls().calls());
      cts.controls().failNext("issue", 2, Status.INTERNAL, false);
      cts.controls().failNext("issue", 1, Status.ABORTED, true);
      cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "it fell off the bus"));
    }

    @Test
    void fails(Cts cts) {
      inject(cts);
      throw new AssertionError("as bad as it gets");
    }

    @Test
    void passes(Cts cts) {
      inject(cts);
    }

    @Test
    void failsAlone() {
      throw new AssertionError("without help");
    }
  }

  private static CtsReport.Entry run(Controllable backend, String method) {
    CtsReport report =
        new CtsRun(backend).only(Injecting.class).tests("*." + method).device("fake").run();
    return report.entries().get(0);
  }

  @Test
  void aFailureListsTheInjectedFaults() {
    Controllable backend = new Controllable();
    CtsReport.Entry entry = run(backend, "fails");
    assertEquals(Outcome.FAILED, entry.outcome());
    assertTrue(
        entry
            .detail()
            .contains(
                "injected: use 2 of issue from then on fails with INTERNAL;"
                    + " use 1 of issue from then on fails with ABORTED, and loses the device;"
                    + " the device lost with UNAVAILABLE: it fell off the bus"),
        entry::detail);
    assertEquals(
        List.of("issue2INTERNALfalse", "issue1ABORTEDtrue", "lose it fell off the bus", "reset"),
        backend.calls);
  }

  @Test
  void aFailureWithoutInjectionListsNothing() {
    CtsReport.Entry entry = run(new Controllable(), "failsAlone");
    assertFalse(entry.detail().contains("injected"), entry::detail);
    assertEquals(Outcome.PASSED, run(new Controllable(), "passes").outcome());
  }

  @Test
  void anInjectedFailureSaysThatItIsInjected() {
    assertEquals(
        "INTERNAL: use 3 of waitEvent was made to fail with INTERNAL",
        message(Controls.injected("waitEvent", 3, Status.INTERNAL, false)));
    assertEquals(
        "UNAVAILABLE: use 1 of issue was made to fail with INTERNAL, and to lose the device",
        message(Controls.injected("issue", 1, Status.INTERNAL, true)));
  }

  private static String message(HalException failure) {
    return failure.status() + ": " + failure.getMessage();
  }
}
