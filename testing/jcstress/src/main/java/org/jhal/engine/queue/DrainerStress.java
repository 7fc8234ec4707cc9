// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jhal.Fence;
import org.jhal.engine.timeline.EngineSemaphore;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Threads that enqueue at once share the role of the drainer. */
public final class DrainerStress {
  private DrainerStress() {}

  private static void enqueue(QueueHarness harness, QueueUse use) {
    harness.enqueue(0, use);
  }

  /**
   * Whoever has the role issues the other thread's operation too, with what that one has written.
   */
  @JCStressTest
  @State
  @Outcome(id = "11, 11", expect = Expect.ACCEPTABLE, desc = "both are issued once")
  @Outcome(expect = Expect.FORBIDDEN, desc = "one is left behind, or issued without its data")
  public static class NothingIsLeftBehind {
    private final QueueHarness harness = new QueueHarness(1);
    private final EngineSemaphore done = QueueHarness.semaphore();
    private final QueueUse first = new QueueUse("first", Fence.NONE, done.at(1));
    private final QueueUse second = new QueueUse("second", Fence.NONE, done.at(2));
    private int firstData;
    private int secondData;
    private int firstSeen;
    private int secondSeen;

    /** Enqueues one. */
    @Actor
    public void first() {
      firstData = 1;
      first.atIssue = () -> firstSeen = firstData;
      enqueue(harness, first);
    }

    /** Enqueues another one. */
    @Actor
    public void second() {
      secondData = 1;
      second.atIssue = () -> secondSeen = secondData;
      enqueue(harness, second);
    }

    /** Looks at the end, before any thread of the engine has run. */
    @Arbiter
    public void end(II_Result result) {
      result.r1 = first.issued.get() + 10 * firstSeen;
      result.r2 = second.issued.get() + 10 * secondSeen;
    }
  }

  /** An operation is issued when its wait ends, whichever thread sees that. */
  @JCStressTest
  @State
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "issued once")
  @Outcome(expect = Expect.FORBIDDEN, desc = "never issued, or twice")
  public static class WaitEndsWhileItIsEnqueued {
    private final QueueHarness harness = new QueueHarness(1);
    private final EngineSemaphore gate = QueueHarness.semaphore();
    private final EngineSemaphore done = QueueHarness.semaphore();
    private final QueueUse use = new QueueUse("use", gate.at(1), done.at(1));

    /** Enqueues. */
    @Actor
    public void enqueue() {
      DrainerStress.enqueue(harness, use);
    }

    /** Ends the wait. */
    @Actor
    public void signal() {
      gate.signalAtLeast(1);
    }

    /** Looks at the end, before and after the steps of the engine's threads. */
    @Arbiter
    public void end(II_Result result) {
      result.r1 = use.issued.get();
      harness.run();
      result.r2 = use.retired.get();
    }
  }
}
