// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.FakeStream.FakeDevice;
import org.junit.jupiter.api.Test;

/** Which operation owns an event, how many events there are, and when they are destroyed. */
class EventPoolTest {
  private final FakeDevice device = new FakeDevice();
  private final EventPool<Event> pool = new EventPool<>(new FakeStream(device));

  private List<PooledEvent<Event>> acquire(int count) {
    List<PooledEvent<Event>> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      events.add(pool.acquire());
    }
    return events;
  }

  @Test
  void anEventIsReusedOnceItsLastReferenceIsGone() {
    PooledEvent<Event> first = pool.acquire();
    assertTrue(first.tryRetain());
    first.release();
    assertNotSame(first, pool.acquire());
    first.release();
    assertSame(first, pool.acquire());
    assertEquals(2, device.liveEvents());
  }

  @Test
  void anEventThatWasGivenBackCannotBeRetained() {
    PooledEvent<Event> event = pool.acquire();
    event.release();
    assertFalse(event.tryRetain());
    assertSame(event, pool.acquire());
    assertTrue(event.tryRetain());
  }

  @Test
  void allEventsAreKeptAndReused() {
    acquire(10).forEach(PooledEvent::release);
    assertEquals(10, device.liveEvents());
    acquire(10).forEach(PooledEvent::release);
    assertEquals(10, device.liveEvents(), "all that were kept are used again");
    pool.close();
    assertEquals(0, device.liveEvents());
  }

  @Test
  void closingDestroysFreeEventsNowAndOthersWhenTheyReturn() {
    List<PooledEvent<Event>> events = acquire(3);
    events.get(0).release();
    pool.close();
    assertEquals(2, device.liveEvents());
    events.get(1).release();
    events.get(2).release();
    assertEquals(0, device.liveEvents());
    assertEquals(List.of(), device.violations());
  }

  @Test
  void throwsAFailureToCreateAnEventAndGoesOn() {
    device.failNth("createEvent", 1, new HalException(Status.RESOURCE_EXHAUSTED, "no events"));
    HalException thrown = assertThrows(HalException.class, pool::acquire);
    assertEquals(Status.RESOURCE_EXHAUSTED, thrown.status());
    pool.acquire().release();
    assertEquals(1, device.liveEvents());
  }

  /**
   * One thread acquires events, some own and return them, and others briefly retain them. An event
   * has one owner at a time in spite of the latter.
   */
  @Test
  void anEventHasOneOwnerAtATime() {
    int rounds = 30_000;
    AtomicReferenceArray<PooledEvent<Event>> seen = new AtomicReferenceArray<>(3);
    Set<PooledEvent<Event>> owned = ConcurrentHashMap.newKeySet();
    ConcurrentLinkedQueue<PooledEvent<Event>> handedOver = new ConcurrentLinkedQueue<>();
    AtomicInteger left = new AtomicInteger(rounds);
    Threads.Body acquirer =
        () -> {
          for (int i = 0; i < rounds; i++) {
            PooledEvent<Event> event = pool.acquire();
            assertTrue(owned.add(event), "an event with two owners");
            seen.set(i % 3, event);
            handedOver.add(event);
          }
        };
    Threads.Body owner =
        () -> {
          while (left.get() > 0) {
            PooledEvent<Event> event = handedOver.poll();
            if (event != null) {
              owned.remove(event);
              event.release();
              left.decrementAndGet();
            } else {
              Thread.onSpinWait();
            }
          }
        };
    Threads.Body looker =
        () -> {
          Random random = new Random(5);
          for (int i = 0; i < rounds; i++) {
            PooledEvent<Event> event = seen.get(random.nextInt(3));
            if (event != null && event.tryRetain()) {
              event.release();
            }
          }
        };
    Threads.together(acquirer, owner, owner, looker);
    pool.close();
    assertEquals(0, device.liveEvents());
    assertEquals(List.of(), device.violations());
  }
}
