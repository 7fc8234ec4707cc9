// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
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
}
