// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.WaitNode;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * What a thread may see of a semaphore that another thread changes. The interleaving tests of this
 * package assume that each write is seen at once; here compiler and processor reorder them.
 */
public final class SemaphoreStress {
  private SemaphoreStress() {}

  /** Counts how often it is released. */
  private static final class CountingNode extends WaitNode {
    private int releases; // each by one thread; read when both threads have ended

    CountingNode() {
      super(null);
    }

    @Override
    public void released(Cascade cascade) {
      releases++;
    }
  }

  /** A waiter either finds its value reached, or is released once. */
  @JCStressTest
  @State
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "reached when it registers")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "released")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the waiter is lost, or released twice")
  public static class WaiterIsReleased {
    private final EngineSemaphore semaphore = QueueHarness.semaphore();
    private final CountingNode node = new CountingNode();

    /** Registers. */
    @Actor
    public void register(II_Result result) {
      result.r1 = semaphore.register(node, 1, null) ? 0 : 1;
    }

    /** Raises the value. */
    @Actor
    public void signal() {
      semaphore.signalAtLeast(1);
    }

    /** Looks at the end. */
    @Arbiter
    public void end(II_Result result) {
      result.r2 = node.releases;
    }
  }

  /** What was written before a signal is seen by a thread that finds the value reached. */
  @JCStressTest
  @State
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not reached yet")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "reached")
  @Outcome(expect = Expect.FORBIDDEN, desc = "reached, but without what came before")
  public static class SignalPublishes {
    private final EngineSemaphore semaphore = QueueHarness.semaphore();
    private int data;

    /** Writes, then signals. */
    @Actor
    public void signal() {
      data = 1;
      semaphore.signalAtLeast(1);
    }

    /** Polls once, which takes no lock. */
    @Actor
    public void poll(II_Result result) {
      if (semaphore.isReached(1)) {
        result.r1 = 1;
        result.r2 = data;
      }
    }
  }

  /** A close is never taken for a failure, although one of the two fields is not volatile. */
  @JCStressTest
  @State
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "still open")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "closed in between, or before")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the close looks like a failure")
  public static class CloseIsNoFailure {
    private final EngineSemaphore semaphore = QueueHarness.semaphore();

    /** Closes. */
    @Actor
    public void close() {
      semaphore.close();
    }

    /** Looks for a failure, then for the end. */
    @Actor
    public void look(II_Result result) {
      result.r1 = semaphore.failure() == null ? 0 : 1;
      result.r2 = semaphore.over() == null ? 0 : 1;
    }
  }

  /** Of a failure and a close, the first stays. */
  @JCStressTest
  @State
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "it stays failed, or closed")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the outcome changes")
  public static class FirstEndStays {
    private static final HalException FAILURE = new HalException(Status.ABORTED, "failed");

    private final EngineSemaphore semaphore = QueueHarness.semaphore();
    private HalException seen;

    /** Fails. */
    @Actor
    public void fail() {
      semaphore.fail(FAILURE);
      seen = semaphore.over();
    }

    /** Closes. */
    @Actor
    public void close() {
      semaphore.close();
    }

    /** Looks at the end. */
    @Arbiter
    public void end(I_Result result) {
      boolean hasFailed = semaphore.failure() == FAILURE;
      result.r1 = seen == semaphore.over() && hasFailed == (seen == FAILURE) ? 1 : 0;
    }
  }
}
