// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceStatistics;
import org.jhal.DeviceUri;
import org.jhal.FailedOperation;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.faults.FaultLog;
import org.jhal.cts.faults.FaultStep;
import org.jhal.cts.faults.FaultWorkload;
import org.jhal.cts.support.Waits;
import org.jhal.driver.support.Faults;
import org.jhal.engine.EngineDevice;
import org.jspecify.annotations.Nullable;

/**
 * Runs the workload with one fault, and checks the outcome (rules Q6, Q7, Q7a, Q8 and Q10).
 *
 * <p>The driver of each run has a different name, so that its threads differ from those that an
 * earlier run may have left.
 */
final class FaultRun {
  /** Calls whose failure loses the device, sticky or not. */
  private static final Set<String> LOSING =
      Set.of(
          "recordEvent",
          "waitEvent",
          "queryEvent",
          "synchronizeEvent",
          "bindToThread",
          "unbindFromThread");

  /** Calls that release something; their failure fails no step. */
  private static final Set<String> GIVING_BACK =
      Set.of("destroyEvent", "free", "unload", "closeStream", "close");

  private static final String REPEAT =
      "mvn test -pl driver-mock -am -Dtest=NativeFaultTest -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Djhal.fault=";

  private static final AtomicLong COUNT = new AtomicLong();

  private final FaultCase fault;
  private final HalException failure;
  private final Faults faults = MockDevice.newFaults();
  private final MockDriver driver = new MockDriver("fault" + COUNT.incrementAndGet());

  private FaultRun(FaultCase fault) {
    this.fault = fault;
    this.failure = fault.failure();
  }

  /** Runs a case; returns whether the call was used so often that it failed. */
  static boolean run(FaultCase fault) {
    FaultRun run = new FaultRun(fault);
    run.faults.failNth(fault.call(), fault.nth(), run.failure);
    FaultLog.runInTime(run.fault.toString(), REPEAT, run::run);
    return !run.faults.isPending();
  }

  /** Runs without a fault, and returns how often each call was used. */
  static Map<String, Integer> count(long seed) {
    FaultRun run = new FaultRun(FaultCase.none(seed));
    run.faults.countUses();
    FaultLog.runInTime(run.fault.toString(), REPEAT, run::run);
    return run.faults.uses();
  }

  private EngineDevice<MockEvent> open(int index, Faults with) {
    return driver.open(
        DeviceUri.parse(driver.name() + "://" + index + "?" + fault.options()), with);
  }

  private void run() throws Exception {
    Device other = open(1, MockDevice.newFaults());
    EngineDevice<MockEvent> device;
    try {
      device = open(0, faults);
    } catch (HalException e) {
      assertReported(e);
      other.close();
      awaitThreadsEnd();
      checkOpensAgain();
      return;
    }
    FaultWorkload work = new FaultWorkload(device, other, BufferParams.SHARED);
    if (fault.mode() == FaultCase.Mode.CLOSING) {
      closeAmidSteps(device, work);
      awaitRetired(other);
      work.close();
    } else {
      runSteps(device, work);
      awaitRetired(device);
      awaitRetired(other);
      boolean fails = !faults.isPending() && !GIVING_BACK.contains(fault.call()) && fault.nth() > 0;
      if (fails && (mayLose() || work.steps().stream().anyMatch(this::hasLost))) {
        awaitLoss(device);
      }
      checkSteps(device, work, fails);
      work.close();
      if (device.lostCause() == null) {
        work.checkStatistics();
      }
      device.close();
    }
    other.close();
    work.closeKept();
    assertEquals(0, device.statistics().liveResources(), () -> device.statistics().toString());
    assertEquals(0, device.statistics().bytes(), () -> device.statistics().toString());
    assertEquals("", ((MockDevice) device.backend()).leftovers(), "left on " + device);
    awaitThreadsEnd();
    checkOpensAgain();
  }

  private void runSteps(Device device, FaultWorkload work) throws Exception {
    MockControls controls = MockControls.of(device);
    boolean pauses = fault.mode() != FaultCase.Mode.RUNNING;
    if (pauses) {
      controls.pause(device.queue(0));
      controls.pause(device.queue(1));
    }
    work.enqueue();
    if (fault.mode() == FaultCase.Mode.CLOSED_AT_ONCE) {
      work.closeAtOnce();
    }
    if (pauses) {
      controls.resume(device.queue(0));
      controls.resume(device.queue(1));
    }
    work.release();
    for (FaultStep<?> step : work.steps()) {
      step.awaitOver();
    }
    work.finish();
    boolean isBehindProbe = faults.isPending();
    work.probe();
    for (FaultStep<?> step : work.steps()) {
      step.awaitOver();
    }
    if (fault.isSticky() && !isBehindProbe) {
      awaitLoss(device); // by the probe, at the latest
    }
  }

  /** The thread that met the failure may report it only after all steps have ended. */
  private static void awaitLoss(Device device) {
    Waits.awaitTrue("lostCause() after the failure", () -> device.lostCause() != null);
  }

  private void closeAmidSteps(Device device, FaultWorkload work) throws Exception {
    work.enqueue();
    device.close();
    work.release();
    DeviceStatistics now = device.statistics();
    assertEquals(now.enqueued(), now.retired(), now::toString);
    for (FaultStep<?> step : work.steps()) {
      step.awaitOver();
      HalException failed = step.failure();
      if (failed == null) {
        step.checkReached();
      } else if (!failed.getMessage().endsWith(device + " was closed")
          && !failed.getMessage().endsWith(device + " is closed")) {
        assertReported(failed);
      }
    }
  }

  /**
   * Waits until all work has retired. A lost device, which even the last event may lose, may keep
   * the resources of its work until it is closed.
   */
  private static void awaitRetired(Device device) {
    Waits.awaitRetiredOrLost(device);
    if (device.lostCause() != null) {
      device.close();
    }
    DeviceStatistics now = device.statistics();
    assertEquals(0, now.openOperations(), now::toString);
    assertEquals(now.enqueued(), now.retired(), now::toString);
  }

  // The outcome of the steps.

  private void checkSteps(Device device, FaultWorkload work, boolean fails) {
    HalException lost = device.lostCause();
    List<FaultStep<?>> origins = new ArrayList<>();
    for (FaultStep<?> step : work.steps()) {
      HalException failed = step.failure();
      if (failed == null) {
        step.checkReached();
        continue;
      }
      if (lost == null) {
        assertReported(failed);
      } else {
        assertLost(failed);
      }
      if (step.needs.stream().allMatch(need -> need.failure() == null)) {
        origins.add(step);
      }
    }
    if (lost != null) {
      assertTrue(mayLose() || isOfAWait(lost), () -> "lost by " + fault + ": " + lost);
      assertLost(lost);
      origins.forEach(step -> assertEquals(device, step.device, () -> step + " failed by itself"));
      return;
    }
    assertEquals(
        fails ? 1 : 0, origins.size(), () -> "steps that failed by themselves: " + origins);
  }

  private boolean mayLose() {
    return fault.isSticky() || LOSING.contains(fault.call());
  }

  private boolean hasLost(FaultStep<?> step) {
    HalException failed = step.failure();
    return failed != null && isOfAWait(failed);
  }

  /** A wait for an event of another device is submitted alone, and loses the device if it fails. */
  private boolean isOfAWait(HalException lost) {
    return fault.call().equals("submit")
        && String.valueOf(lost.getMessage()).contains("waitEvent for ");
  }

  /** Checks that it is the injected failure, at most with the operation's name (rules Q6, Q7a). */
  private void assertReported(HalException reported) {
    if (mayLose()) {
      assertLost(reported); // while the device was opened
      return;
    }
    FailedOperation operation = reported.operation(); // none if the call itself was refused
    String before = operation == null ? "" : operation + ": ";
    String ofRank = before + "a transfer of rank 0 failed: "; // the rank of the failing device
    HalException cause =
        (HalException) reported.getCause(); // for a collective, the failure of its transfer
    assertEquals((cause == null ? before : ofRank) + failure.getMessage(), reported.getMessage());
    assertTrue(
        cause == null || String.valueOf(cause.getMessage()).endsWith(failure.getMessage()),
        reported::toString);
    assertEquals(failure.status(), reported.status(), reported::toString);
  }

  /** Checks that it reports the loss of the device with the injected failure as its cause. */
  private void assertLost(HalException lost) {
    assertEquals(Status.UNAVAILABLE, lost.status(), lost::toString);
    for (@Nullable Throwable t = lost; t != null; t = t.getCause()) {
      if (t.toString().contains(failure.getMessage())) {
        return;
      }
    }
    throw new AssertionError(lost + " does not report that " + failure, lost);
  }

  // Leftovers.

  private void awaitThreadsEnd() {
    Waits.awaitTrue("the threads of " + driver.name() + " to end", () -> threads().isEmpty());
  }

  private List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith(driver.name() + "-"))
        .toList();
  }

  private void checkOpensAgain() throws Exception {
    try (Device device = open(0, MockDevice.newFaults());
        Device other = open(1, MockDevice.newFaults())) {
      FaultWorkload work = new FaultWorkload(device, other, BufferParams.SHARED);
      work.probe();
      for (FaultStep<?> step : work.steps()) {
        step.awaitOver();
        assertTrue(step.isReached(), () -> "on a device opened afterwards: " + step);
        step.checkReached();
      }
      work.close();
      work.closeKept();
    }
  }
}
