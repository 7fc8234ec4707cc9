// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An operation waits for a value that issued work will exceed, and for another timeline. If the
 * program reaches the value before that other wait ends, nothing that becomes of the issued work
 * concerns the operation.
 */
@CtsSuite
class CoveredWaitTest {
  private static final String ROOM = "inflight=64";

  /** The two timelines that the consumer waits for, and the one that it signals. */
  private record Lines(
      Cts cts, TimelineSemaphore first, TimelineSemaphore second, TimelineSemaphore done) {
    static Lines of(Cts cts) {
      return new Lines(cts, cts.semaphore(), cts.semaphore(), cts.semaphore());
    }

    /** Issues work that raises the first timeline to 5 when the blocker is released. */
    Blocker produce() {
      Blocker blocker = new Blocker(cts, cts.queue(1));
      DeviceBuffer buffer = cts.buffer(16);
      cts.queue(0).fill(blocker.timepoint(), first.at(5), buffer, 0, 16, FillPattern.of8(1));
      awaitTrue("the producer to be issued", () -> first.explain(5).contains("ISSUED"));
      return blocker;
    }

    void consume(DeviceQueue queue) {
      queue.barrier(first.at(3).and(second.at(1)), done.at(1));
    }

    /** Enqueues the consumer before its producer is issued, or behind that. */
    Blocker produceAndConsume(DeviceQueue queue, boolean isConsumerFirst) {
      if (isConsumerFirst) {
        consume(queue);
      }
      Blocker blocker = produce();
      if (!isConsumerFirst) {
        consume(queue);
      }
      return blocker;
    }

    /** The program reaches the value; then the other wait ends, and with that the consumer. */
    void reachBefore(Blocker blocker) {
      first.signal(3);
      second.signal(1);
      awaitReached(done, 1);
      assertPending(first, 5);
      blocker.release();
      awaitReached(first, 5);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"Q5", "S2"})
  @Needs(Need.THREE_QUEUES)
  @FreshDevice({ROOM, "queues=3"})
  void theOperationDoesNotWaitForTheWork(boolean isFirst, Cts cts) {
    Lines lines = Lines.of(cts);
    lines.reachBefore(lines.produceAndConsume(cts.queue(2), isFirst));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"S9a", "S2"})
  @Needs({Need.TWO_QUEUES, Need.SECOND_DEVICE, Need.SHARED_EVENTS})
  @FreshDevice({ROOM, "queues=2"})
  void theOperationOfAnotherDeviceDoesNotWaitForTheWork(boolean isFirst, Cts cts) {
    Lines lines = Lines.of(cts);
    lines.reachBefore(lines.produceAndConsume(cts.openSecond(ROOM).queue(0), isFirst));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"Q6", "Q9"})
  @Needs({Need.CONTROLS, Need.THREE_QUEUES})
  @FreshDevice({ROOM, "queues=3"})
  void theOperationDoesNotFailWithTheWork(boolean isFirst, Cts cts) {
    cts.needCall(cts.device(), "execute");
    Lines lines = Lines.of(cts);
    Blocker blocker = lines.produceAndConsume(cts.queue(2), isFirst);
    cts.controls().failNext("execute", 1, Status.DATA_LOSS, false);
    lines.first.signal(3);
    blocker.release();
    awaitFailure(lines.first, 5, Status.DATA_LOSS);
    lines.second.signal(1);
    awaitReached(lines.done, 1);
  }

  /** An operation that is in the stream behind the work waits for it, and says so. */
  @Test
  @Rule({"Q6", "S10"})
  @Needs(Need.THREE_QUEUES)
  @FreshDevice({ROOM, "queues=3"})
  void anOperationBehindTheWorkSaysThatItWaits(Cts cts) {
    Lines lines = Lines.of(cts);
    Blocker blocker = lines.produceAndConsume(cts.queue(2), false);
    lines.second.signal(1);
    awaitTrue("the consumer to be issued", () -> lines.done.explain(1).contains("ISSUED"));
    lines.first.signal(3);
    String text = lines.done.explain(1);
    assertTrue(text.contains("waits for " + lines.first + " to reach 5"), text);
    assertPending(lines.done, 1);
    blocker.release();
    awaitReached(lines.done, 1);
  }
}
