// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.ReusableEvent.Recording;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events that fire once behind one that is recorded repeatedly. */
@Timeout(60)
class ReusableEventTest {
  /** A native event that must not be used after its release. */
  private static final class Native {
    final AtomicInteger releases = new AtomicInteger();
    volatile boolean hasFired;

    boolean query() {
      assertEquals(0, releases.get(), "queried after its release");
      return hasFired;
    }

    void release() {
      releases.incrementAndGet();
    }
  }

  private final ReusableEvent<Native> event = new ReusableEvent<>(Native::release);

  private Native record() {
    Native made = new Native();
    event.record(made);
    return made;
  }

  @Test
  void latestIsTheLatestRecordingAtTheCall() {
    Native first = record();
    Recording<Native> taken = event.latest();
    Native second = record();
    assertSame(first, taken.event());
    try (Recording<Native> latest = event.latest()) {
      assertSame(second, latest.event());
    }
    second.hasFired = true;
    assertFalse(taken.event().query(), "the first recording has not fired");
    taken.close();
    event.close();
    assertEquals(1, first.releases.get());
    assertEquals(1, second.releases.get());
  }

  @Test
  void aNativeEventIsReleasedWhenNothingRefersToIt() {
    Native first = record();
    event.latest().close();
    assertEquals(0, first.releases.get(), "it is the latest");
    Recording<Native> one = event.latest();
    Recording<Native> two = event.latest();
    record();
    one.close();
    assertEquals(0, first.releases.get(), "it is still in use");
    two.close();
    assertEquals(1, first.releases.get());
  }

  @Test
  void closingKeepsRecordingsInUse() {
    Native only = record();
    Recording<Native> used = event.latest();
    event.close();
    assertEquals(0, only.releases.get());
    used.close();
    assertEquals(1, only.releases.get());
    event.close();
    assertEquals(1, only.releases.get());
  }

  @Test
  void anUnrecordedOrClosedEventIsRefused() {
    HalException refused = assertThrows(HalException.class, event::latest);
    assertEquals(Status.FAILED_PRECONDITION, refused.status());
    record();
    event.close();
    assertThrows(HalException.class, event::latest);
  }

  @Test
  void aReleaseThatThrowsIsLogged() {
    try (Quiet log = new Quiet()) {
      ReusableEvent<String> failing =
          new ReusableEvent<>(
              name -> {
                throw new IllegalStateException(name);
              });
      failing.record("first");
      failing.record("second");
      failing.close();
      assertEquals(2, log.count("a native event cannot be released"));
    }
  }

  /** One thread records, as a stream does; others query, as waiting threads do. */
  @Test
  void noReaderSeesAReleasedEvent() {
    List<Native> all = new ArrayList<>();
    ConcurrentLinkedQueue<Recording<Native>> waits = new ConcurrentLinkedQueue<>();
    AtomicBoolean isOver = new AtomicBoolean();
    all.add(record());
    Threads.Body ask =
        () -> {
          for (int i = 0; !isOver.get(); i++) {
            Recording<Native> latest = event.latest();
            latest.event().query();
            if (i % 64 == 0) {
              waits.add(latest); // as a stream before its wait
            } else {
              latest.close();
            }
          }
        };
    Threads.together(
        () -> {
          try {
            for (int i = 0; i < 20_000; i++) {
              all.add(record());
              Recording<Native> passed = waits.poll();
              if (passed != null) {
                passed.event().query();
                passed.close();
              }
            }
          } finally {
            isOver.set(true);
          }
        },
        ask,
        ask);
    event.close();
    for (Recording<Native> left : waits) {
      assertFalse(left.event().query());
      left.close();
    }
    assertTrue(all.stream().allMatch(made -> made.releases.get() == 1), "each is released once");
  }
}
