// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.file.LateWrites;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A device goes on writing host memory of a failed collective, so no other transfer gets that
 * memory (rules G4, Q2).
 */
@Timeout(60)
class LateCollectiveTest extends LateWrites {
  private TimelineSemaphore broadcast(Duration deadline) {
    CollectiveGroup group =
        CollectiveGroup.of(
            List.of(here, gone), Options.DEFAULT.withHostOnly().withDeadline(deadline));
    TimelineSemaphore done = new EngineSemaphore(0, () -> {});
    DeviceBuffer source = gone.allocate(BLOCK, BufferParams.DEVICE);
    DeviceBuffer target = here.allocate(BLOCK, BufferParams.DEVICE);
    hold();
    group.broadcast(
        1,
        List.of(
            new Rank(Fence.NONE, done.at(1), null, target),
            new Rank(Fence.NONE, Fence.NONE, source, null)));
    // On a busy machine the deadline may pass before the last lane has begun.
    Threads.await("all lanes to read", () -> given.size() == 4 || done.failure() != null);
    source.close();
    target.close();
    return done;
  }

  @Test
  void theBlocksOfACollectiveWithALostDeviceAreNotGivenToTheNext() throws Exception {
    TimelineSemaphore done = broadcast(LONG);
    gone.lose(LOST);
    assertEquals(Status.UNAVAILABLE, failure(done).status());
    checkCopies();
  }

  @Test
  void theBlocksOfACollectiveThatIsLateAreNotGivenToTheNext() throws Exception {
    TimelineSemaphore done = broadcast(Duration.ofSeconds(5));
    assertEquals(Status.DEADLINE_EXCEEDED, failure(done).status());
    checkCopies();
  }

  /**
   * A call for one lane's transfer fails while the transfers of other lanes are in the stream. If
   * it is the recording of the event, the device counts as lost, but its stream goes on.
   */
  @ParameterizedTest
  @CsvSource({"createEvent, 4", "recordEvent, 3", "recordEvent, 4"}) // copies take the last blocks
  void theBlocksOfACollectiveWithAFailedTransferAreNotGivenToTheNext(String call, int nth)
      throws Exception {
    late.device.failNth(call, nth, PLAIN);
    TimelineSemaphore done = broadcast(LONG);
    boolean isAlive = call.equals("createEvent");
    assertEquals(isAlive ? Status.ABORTED : Status.UNAVAILABLE, failure(done).status());
    assertEquals(isAlive, gone.lostCause() == null);
    checkCopies();
  }
}
