// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import com.google.common.util.concurrent.Uninterruptibles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Reduction;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.Inside;
import org.jhal.engine.InstantBackend;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A close of a device has one deadline, however many groups have to be waited for (rule Q8). With a
 * deadline for each, the closes here would take longer than the tests wait.
 */
@Timeout(120)
class GroupCloseDeadlineTest {
  private static final int PARTS = 32;

  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicInteger held = new AtomicInteger();
  private final Quiet log = new Quiet();
  private final List<Device> others = new ArrayList<>();

  @AfterEach
  void end() {
    end.countDown();
    others.forEach(Device::close);
    log.close();
  }

  private void hold() {
    held.incrementAndGet();
    Uninterruptibles.awaitUninterruptibly(end);
  }

  private static Rank rank(DeviceBuffer buffer) {
    return new Rank(Fence.NONE, Fence.NONE, buffer, buffer);
  }

  /** A group of a new device and {@code last}, with a collective that waits for its turn. */
  private void enqueueHeld(EngineDevice<Object> last) {
    InstantBackend backend = new InstantBackend(others.size() + 1);
    FakeGroup natives = new FakeGroup(rank -> true);
    natives.atTurn = this::hold;
    backend.natives = natives;
    EngineDevice<Object> first = backend.open(1);
    others.add(first);
    CollectiveGroup group = CollectiveGroup.of(first, last);
    group.allReduce(
        Reduction.SUM,
        ElementType.I32,
        List.of(
            rank(first.allocate(16, BufferParams.DEVICE)),
            rank(last.allocate(16, BufferParams.DEVICE))));
    Threads.await("the collective's turn", () -> held.get() == others.size());
  }

  @Test
  void groupsWhoseCollectivesWaitForTheirTurnShareTheDeadline() {
    EngineDevice<Object> closed = new InstantBackend().open(1, Duration.ofSeconds(2));
    for (int i = 0; i < PARTS; i++) {
      enqueueHeld(closed);
    }
    Threads.start("the close of a device in " + PARTS + " groups", closed::close).join();
  }

  /** The exit waits for two seconds, whatever the {@code close-timeout} is. */
  @Test
  void theExitDoesNotWaitForTheTurnOfACollective() {
    EngineDevice<Object> closed = new InstantBackend().open(1, Duration.ofMinutes(10));
    enqueueHeld(closed);
    Threads.start("the close at the exit", () -> Inside.closeAtExit(closed)).join();
  }
}
