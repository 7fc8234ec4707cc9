// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which device is lost when a call that involves two devices reports a loss (rules Q7, S9b). */
class PeerLossTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "gone");

  private final Quiet log = new Quiet();
  private final FakeBackend users = new FakeBackend();
  private final FakeBackend owners = new FakeBackend();

  @AfterEach
  void stopListening() {
    log.close();
  }

  /** Fills memory of one device on the other one. Returns the operation's failure. */
  private static HalException fill(EngineDevice<Event> user, EngineDevice<Event> owner) {
    TimelineSemaphore done = user.createSemaphore(0);
    try (DeviceBuffer theirs = owner.allocate(64, BufferParams.DEVICE);
        DeviceBuffer view = user.allocator().importPeer(theirs)) {
      user.queue(0).fill(Fence.NONE, done.at(1), view, 0, 64, FillPattern.of8(1));
      return assertThrows(HalException.class, () -> done.await(1, LIMIT));
    }
  }

  private void failsAccess() {
    users.sharesMemory = true;
    users.atEnableAccess =
        () -> {
          throw GONE;
        };
  }

  @Test
  void accessToALostOwnersMemoryFailsOneOperation() throws Exception {
    failsAccess();
    try (EngineDevice<Event> user = users.open(1, LIMIT);
        EngineDevice<Event> owner = owners.open(1, LIMIT)) {
      HalException before = new HalException(Status.UNAVAILABLE, "before");
      owners.device.lose(before);
      HalException failure = fill(user, owner);
      assertEquals(Status.FAILED_PRECONDITION, failure.status(), failure::toString);
      assertNull(user.lostCause());
      assertNotNull(owner.lostCause());
      TimelineSemaphore done = user.createSemaphore(0);
      user.queue(0).barrier(Fence.NONE, done.at(1));
      done.await(1, LIMIT);
    }
  }

  @Test
  void accessThatFailsOnALostUserLosesTheUser() {
    failsAccess();
    try (EngineDevice<Event> user = users.open(1, LIMIT);
        EngineDevice<Event> owner = owners.open(1, LIMIT)) {
      HalException failure = fill(user, owner);
      assertEquals(Status.UNAVAILABLE, failure.status(), failure::toString);
      assertNotNull(user.lostCause());
      assertNull(owner.lostCause());
    }
  }

  /**
   * Each of two lost devices has work that uses the other one's memory, and whose end no event
   * shows. So the close of each waits for the other one, which has to let go before it waits.
   */
  @Test
  void twoLostDevicesThatUseEachOthersMemoryAreBothGivenBack() {
    users.sharesMemory = true;
    owners.sharesMemory = true;
    Duration soon = Duration.ofMillis(50);
    List<EngineDevice<Event>> devices = List.of(users.open(1, soon), owners.open(1, soon));
    List<FakeBackend> backends = List.of(users, owners);
    List<DeviceBuffer> views = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      DeviceBuffer theirs = devices.get(1 - i).allocate(64, BufferParams.DEVICE);
      views.add(devices.get(i).allocator().importPeer(theirs));
      theirs.close();
    }
    AtomicInteger issued = new AtomicInteger();
    for (FakeBackend backend : backends) {
      AtomicBoolean fails = new AtomicBoolean(true);
      backend.device.atCall =
          call -> {
            if (call.equals("submit")) {
              issued.incrementAndGet();
            } else if (call.equals("queryEvent") && fails.getAndSet(false)) {
              Threads.await("the work of both devices to be issued", () -> issued.get() == 2);
              throw new HalException(Status.INTERNAL, "on purpose");
            }
          };
    }
    List<TimelineSemaphore> ends = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      TimelineSemaphore done = new EngineSemaphore(0, () -> {});
      ends.add(done);
      devices.get(i).queue(0).fill(Fence.NONE, done.at(1), views.get(i), 0, 64, FillPattern.of8(1));
    }
    for (TimelineSemaphore done : ends) {
      HalException failure = assertThrows(HalException.class, () -> done.await(1, LIMIT));
      assertEquals(Status.UNAVAILABLE, failure.status(), failure::toString);
    }
    views.forEach(DeviceBuffer::close);
    users.streams.get(0).advanceAll();
    owners.streams.get(0).advanceAll();
    assertEquals(1, users.liveMemory.get(), "memory that a lost device may use");
    assertEquals(1, owners.liveMemory.get(), "memory that a lost device may use");
    List<Threads> closing = new ArrayList<>();
    devices.forEach(device -> closing.add(Threads.start("closing", device::close)));
    closing.forEach(Threads::join);
    Threads.await(
        "both devices to be given back",
        () -> backends.stream().allMatch(one -> one.isClosed && one.liveMemory.get() == 0));
  }
}
