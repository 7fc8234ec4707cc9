// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transfers that are ordered only by a timeline, on one queue and across queues. */
@CtsSuite
class QueueTransferOrderTest {
  /** The queues that the operations of a test use. */
  enum Over {
    ONE_QUEUE,
    ALL_QUEUES
  }

  /** Returns the queues of the device in turn, or always the first one. */
  private static final class Queues {
    private final Cts cts;
    private final boolean turns;
    private int next;

    Queues(Cts cts, Over over) {
      this.cts = cts;
      this.turns = over == Over.ALL_QUEUES;
      if (turns && cts.device().queueCount() < 2) {
        throw Cts.unsupported(Need.TWO_QUEUES.absence());
      }
    }

    DeviceQueue next() {
      return turns ? cts.queue(next++ % cts.device().queueCount()) : cts.queue();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "Q5"})
  void aCopySeesAnEarlierFill(Over over, Cts cts) {
    Queues queues = new Queues(cts, over);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer source = cts.buffer(filled(1024, 0));
    DeviceBuffer target = cts.buffer(1024);
    queues.next().fill(Fence.NONE, timeline.at(1), source, 0, 1024, FillPattern.of8(0x3C));
    queues.next().copy(timeline.at(1), timeline.at(2), source, 0, target, 0, 1024);
    awaitReached(timeline, 2);
    assertBytes(filled(1024, 0x3C), cts.read(target), "the copy");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "Q5"})
  void aCopySeesAnEarlierUpdate(Over over, Cts cts) {
    Queues queues = new Queues(cts, over);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer source = cts.buffer(filled(1024, 0));
    DeviceBuffer target = cts.buffer(1024);
    queues.next().update(Fence.NONE, timeline.at(1), ByteBuffer.wrap(bytes(1024)), source, 0);
    queues.next().copy(timeline.at(1), timeline.at(2), source, 0, target, 0, 1024);
    awaitReached(timeline, 2);
    assertBytes(bytes(1024), cts.read(target), "the copy");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "Q5"})
  void aFillDoesNotOvertakeTheCopyBeforeIt(Over over, Cts cts) {
    Queues queues = new Queues(cts, over);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer source = cts.buffer(filled(4096, 0));
    DeviceBuffer target = cts.buffer(4096);
    queues.next().fill(Fence.NONE, timeline.at(1), source, 0, 4096, FillPattern.of8(1));
    queues.next().copy(timeline.at(1), timeline.at(2), source, 0, target, 0, 4096);
    queues.next().fill(timeline.at(2), timeline.at(3), source, 0, 4096, FillPattern.of8(2));
    awaitReached(timeline, 3);
    assertBytes(filled(4096, 1), cts.read(target), "the copy");
    assertBytes(filled(4096, 2), cts.read(source), "the source, filled again");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "Q5"})
  void aLongChainKeepsItsOrder(Over over, Cts cts) {
    Queues queues = new Queues(cts, over);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer first = cts.buffer(filled(256, 0));
    DeviceBuffer second = cts.buffer(filled(256, 0));
    byte[] expected = filled(256, 0);
    // Everything is issued before anything runs, which gives a device the chance to mix it up.
    Blocker blocker = new Blocker(cts, cts.queue());
    for (int i = 0; i < 100; i++) {
      // The content of one buffer moves to the other one, and one byte of it changes.
      DeviceBuffer from = i % 2 == 0 ? first : second;
      DeviceBuffer to = i % 2 == 0 ? second : first;
      Fence start = i == 0 ? blocker.timepoint() : timeline.at(2L * i);
      queues.next().copy(start, timeline.at(2 * i + 1), from, 0, to, 0, 256);
      queues
          .next()
          .fill(timeline.at(2 * i + 1), timeline.at(2 * i + 2), to, i, 1, FillPattern.of8(1 + i));
      expected[i] = (byte) (1 + i);
    }
    blocker.release();
    awaitReached(timeline, 200);
    assertBytes(expected, cts.read(first), "the buffer after a hundred copies and fills");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "Q5"})
  void uploadsAndReadbacksKeepTheirOrder(Over over, Cts cts) {
    Queues queues = new Queues(cts, over);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(4096);
    byte[][] read = new byte[10][4096];
    for (int i = 0; i < 10; i++) {
      ByteBuffer source = TestData.direct(filled(4096, 1 + i));
      queues.next().upload(timeline.at(2L * i), timeline.at(2L * i + 1), source, buffer, 0);
      queues
          .next()
          .readback(
              timeline.at(2 * i + 1), timeline.at(2 * i + 2), buffer, 0, ByteBuffer.wrap(read[i]));
    }
    awaitReached(timeline, 20);
    for (int i = 0; i < 10; i++) {
      assertBytes(filled(4096, 1 + i), read[i], "readback " + i);
    }
  }

  @Test
  @Rule("M3")
  void aBarrierSignals(Cts cts) {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    cts.queue().barrier(Fence.NONE, Fence.of(first.at(1), second.at(5)));
    awaitReached(Fence.of(first.at(1), second.at(5)));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "Q9"})
  void aBarrierBetweenTwoOperationsOrdersThem(Over over, Cts cts) {
    Queues queues = new Queues(cts, over);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer source = cts.buffer(filled(1024, 0));
    DeviceBuffer target = cts.buffer(1024);
    queues.next().fill(Fence.NONE, timeline.at(1), source, 0, 1024, FillPattern.of8(0x77));
    queues.next().barrier(timeline.at(1), timeline.at(2));
    queues.next().copy(timeline.at(2), timeline.at(3), source, 0, target, 0, 1024);
    awaitReached(timeline, 3);
    assertBytes(filled(1024, 0x77), cts.read(target), "the copy behind the barrier");
  }
}
