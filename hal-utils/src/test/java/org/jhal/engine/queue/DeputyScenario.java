// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jetbrains.lincheck.datastructures.Validate;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jspecify.annotations.Nullable;

/**
 * The completion thread falls asleep in the native runtime, for work that goes on until {@link
 * #wake}, while another thread fails an operation that is parked.
 */
public class DeputyScenario {
  private final QueueHarness harness = new QueueHarness(1);
  private final DeferredWorkQueue<FakeStream.Event> queue = harness.queues.get(0);
  private final EngineSemaphore gate = QueueHarness.semaphore();
  private final QueueUse parked = harness.enqueue(0, "parked", gate.at(1), Fence.NONE);
  private volatile boolean isAsleep; // the completion thread is in the native runtime
  private volatile @Nullable Throwable thrown; // what a call threw although it must not

  /** For Lincheck. */
  public DeputyScenario() {
    harness.enqueue(0, "long", Fence.NONE, Fence.NONE);
    harness.device.setHeld(true);
    harness.device.atCall = call -> isAsleep |= call.equals("synchronizeEvent");
  }

  private void attempt(Runnable call) {
    try {
      call.run();
    } catch (Throwable t) {
      thrown = t;
    }
  }

  /** Runs the completion thread, which then may sleep. */
  public void complete() {
    attempt(queue.completionRole::takeStepsIfWoken);
  }

  /** Fails the parked operation, which then has to retire. */
  public void fail() {
    attempt(() -> gate.fail(new HalException(Status.ABORTED, "on purpose")));
  }

  /** Runs the deputy if it was called, and looks. */
  public void look() {
    attempt(
        () -> {
          while (harness.asideStep()) {
            continue;
          }
          lookAlone();
        });
  }

  /** Looks without the deputy, which is a bug on purpose. */
  public void lookInVain() {
    attempt(this::lookAlone);
  }

  private void lookAlone() {
    if (isAsleep && parked.retired.get() == 0) {
      throw new IllegalStateException("the completion thread sleeps, and nobody retires " + parked);
    }
  }

  /** Lets the work go on. */
  public void wake() {
    harness.device.setHeld(false);
  }

  /** Checks that everything has retired once. */
  @Validate
  public void check() throws Throwable {
    harness.device.setHeld(false);
    Throwable problem = thrown;
    if (problem != null) {
      throw problem;
    }
    harness.finish();
  }
}
