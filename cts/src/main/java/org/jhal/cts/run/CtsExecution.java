// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.DeviceStatistics;
import org.jhal.cts.Controls;
import org.jhal.cts.run.plan.TestName;
import org.jhal.cts.support.Waits;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * One test: its body on a separate thread, then closing its resources, then the check that nothing
 * is left. Each part has a deadline.
 */
final class CtsExecution {
  private static final Duration CLEANUP = Duration.ofSeconds(60);

  /** How long a test that is stopped may take to notice. */
  private static final Duration STOP = Duration.ofMillis(500);

  private static final Duration LEAK_LIMIT = Waits.LIMIT.dividedBy(2);

  /** A part of a test. */
  @FunctionalInterface
  interface Part {
    void run() throws Throwable;
  }

  private final CtsSession session;
  private final CtsContext cts;
  private final LogCapture logs;
  private final TestName test;
  private final Duration deadline;
  private boolean isStopped; // an interrupt has stopped the run

  CtsExecution(
      CtsSession session, CtsContext cts, LogCapture logs, TestName test, Duration deadline) {
    this.session = session;
    this.cts = cts;
    this.logs = logs;
    this.test = test;
    this.deadline = deadline;
  }

  /** Runs the test. Returns its failure, or null. */
  @Nullable Throwable run(Part body) {
    Throwable failure = watched("body", deadline, true, body);
    boolean isClean = failure == null || failure instanceof TestAbortedException;
    Throwable afterwards = watched("end", CLEANUP, false, () -> cleanUp(isClean));
    if (isStopped) {
      Thread.currentThread().interrupt();
    }
    if (afterwards == null || failure == null) {
      return failure == null ? afterwards : failure;
    }
    if (failure instanceof TestAbortedException) {
      return afterwards;
    }
    failure.addSuppressed(afterwards);
    return failure;
  }

  /**
   * Runs a part on a thread of its own, and returns what it throws. If the run is stopped
   * meanwhile, waits a little for the part to end, and interrupts it first if {@code endsWithRun}.
   */
  private @Nullable Throwable watched(String part, Duration limit, boolean endsWithRun, Part body) {
    Throwable[] thrown = new Throwable[1];
    Thread thread =
        new Thread(
            () -> {
              try {
                body.run();
              } catch (Throwable t) {
                thrown[0] = t;
              }
            },
            "cts-" + test + "-" + part);
    thread.setDaemon(true);
    thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    thread.start();
    try {
      thread.join(limit.toMillis());
      if (!thread.isAlive()) {
        return thrown[0];
      }
      AssertionFailedError expired =
          Waits.expired(
              "the " + part + " of the test did not end within " + DurationText.of(limit), null);
      thread.interrupt();
      thread.join(5_000);
      cts.used().stream().filter(use -> !use.isFresh()).forEach(u -> session.discard(u.device()));
      return expired;
    } catch (InterruptedException e) { // the run is stopped
      isStopped = true;
      if (endsWithRun) { // what a test makes behind its cleanup is never closed
        thread.interrupt();
      }
      awaitStopped(thread);
      return e;
    }
  }

  private static void awaitStopped(Thread thread) {
    try {
      thread.join(STOP.toMillis());
    } catch (InterruptedException e) {
      return; // stopped once more; run() sets the interrupt status
    }
  }

  private void cleanUp(boolean isClean) {
    List<String> problems = new ArrayList<>();
    for (CtsContext.DeviceUse use : cts.used()) {
      Controls controls = use.device().controls();
      if (controls != null) {
        attempt(problems, "reset of the controls", controls::reset);
      }
    }
    for (AutoCloseable one = cts.pollClosing(); one != null; one = cts.pollClosing()) {
      attempt(problems, "closing " + one, one::close);
    }
    for (CtsContext.DeviceUse use : cts.used()) {
      attempt(problems, "checking the device", () -> checkDevice(use, isClean, problems));
    }
    for (CtsContext.DeviceUse use : cts.used()) {
      Controls controls = use.device().controls();
      if (use.isFresh() && controls != null && isClean && !cts.isLeavingAllowed()) {
        attempt(problems, "counting what is left", () -> checkLeftovers(use, controls, problems));
      }
    }
    List<String> lines = logs.problems();
    lines.stream().distinct().limit(20).forEach(line -> problems.add("unexpected: " + line));
    if (problems.size() < lines.size()) {
      problems.add("unexpected: " + lines.size() + " warnings and errors in all");
    }
    if (!problems.isEmpty()) {
      throw new AssertionFailedError("after the test:\n  " + String.join("\n  ", problems));
    }
  }

  private void checkDevice(CtsContext.DeviceUse use, boolean isClean, List<String> problems) {
    OpenedDevice opened = use.device();
    if (use.isFresh() && opened.device().lostCause() != null) {
      opened.close(); // its resources may be kept until then (rule Q7)
    }
    Duration limit = isClean ? LEAK_LIMIT : Duration.ofSeconds(1);
    boolean mayLeave = use.isFresh() && cts.isLeavingAllowed();
    boolean left = !mayLeave && !Waits.becomesTrue(limit, () -> isClean(use));
    if (left) {
      problems.add(
          "left behind on "
              + opened.device().info().uri()
              + ": "
              + opened.device().statistics()
              + "; before the test: "
              + use.liveResources()
              + " live resources, "
              + use.bytes()
              + " bytes, "
              + use.openOperations()
              + " open operations");
    }
    if (use.isFresh()) {
      opened.close();
    } else if (left || !opened.isUsable()) {
      session.discard(opened);
      if (!opened.isUsable() && isClean) {
        problems.add("the test broke a shared device; it needs @FreshDevice");
      }
    }
  }

  /**
   * Checks a closed device: by now, all devices that the test has opened are closed. Resources that
   * outlast a close are released soon after it.
   */
  private static void checkLeftovers(
      CtsContext.DeviceUse use, Controls controls, List<String> problems) {
    if (!Waits.becomesTrue(LEAK_LIMIT, () -> controls.leftovers().isEmpty())) {
      problems.add(
          "left of the closed device "
              + use.device().device().info().uri()
              + ", natively: "
              + controls.leftovers());
    }
  }

  private static boolean isClean(CtsContext.DeviceUse use) {
    DeviceStatistics now = use.device().device().statistics();
    return use.device().liveResources(now) <= use.liveResources()
        && now.bytes() <= use.bytes()
        && now.openOperations() <= use.openOperations();
  }

  private static void attempt(List<String> problems, String what, Part part) {
    try {
      part.run();
    } catch (Throwable t) {
      problems.add(what + " threw " + t);
    }
  }
}
