// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which caller makes a value, and what concurrent and later callers get. */
@Timeout(60)
class LazyTest {
  private static final Supplier<String> MAKER = () -> "made";

  private static final HalException FAULT = new HalException(Status.NOT_FOUND, "nothing there");

  private final Lazy<String> lazy = new Lazy<>();
  private final AtomicInteger calls = new AtomicInteger();
  private final CountDownLatch isMaking = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  private static String none() {
    throw new AssertionError("made twice");
  }

  private String slowly(Supplier<String> result) {
    calls.incrementAndGet();
    isMaking.countDown();
    Threads.await("the maker to be released", () -> mayEnd.getCount() == 0);
    return result.get();
  }

  private static String fail() {
    throw FAULT;
  }

  @Test
  void theFirstCallerMakesTheValueAndTheOthersWait() throws InterruptedException {
    String value = new String("made");
    Threads first =
        Threads.start("first", () -> assertSame(value, lazy.get(() -> slowly(() -> value))));
    isMaking.await();
    Threads second = Threads.start("second", () -> assertSame(value, lazy.get(LazyTest::none)));
    second.awaitBlocked();
    mayEnd.countDown();
    first.join();
    second.join();
    assertSame(value, lazy.get(LazyTest::none));
    assertEquals(1, calls.get());
  }

  @Test
  void aFailureReachesAllWaitersAndTheNextCallerTriesAgain() throws InterruptedException {
    Threads first =
        Threads.start(
            "first",
            () ->
                assertSame(
                    FAULT,
                    assertThrows(
                        HalException.class, () -> lazy.get(() -> slowly(LazyTest::fail)))));
    isMaking.await();
    Threads second =
        Threads.start(
            "second",
            () -> {
              HalException thrown =
                  assertThrows(HalException.class, () -> lazy.get(LazyTest::none));
              assertEquals(FAULT.toString(), thrown.toString());
              assertNotSame(FAULT, thrown, "the trace is the waiter's");
            });
    second.awaitBlocked();
    mayEnd.countDown();
    first.join();
    second.join();
    assertEquals("again", lazy.get(() -> "again"));
  }

  @Test
  void keepingFailureKeepsAHalException() {
    Lazy<String> keeping = Lazy.keepingFailure();
    assertSame(FAULT, assertThrows(HalException.class, () -> keeping.get(LazyTest::fail)));
    HalException later = assertThrows(HalException.class, () -> keeping.get(() -> "late"));
    assertEquals(FAULT.toString(), later.toString());
  }

  /** Such as of file handles while a library is loaded. */
  @Test
  void keepingFailureKeepsNoLackOfResources() {
    Lazy<String> keeping = Lazy.keepingFailure();
    HalException lack = new HalException(Status.RESOURCE_EXHAUSTED, "Too many open files");
    assertSame(
        lack,
        assertThrows(
            HalException.class,
            () ->
                keeping.get(
                    () -> {
                      throw lack;
                    })));
    assertEquals("late", keeping.get(() -> "late"));
  }

  /** A caller that runs out of stack leaves the making to the next one. */
  @Test
  void aMakerWithoutStackLeavesNoCallerWaiting() throws InterruptedException {
    // A class that is initialised while the stack runs out can never be used.
    theFirstCallerMakesTheValueAndTheOthersWait();
    for (int i = 0; i < 64; i++) {
      Lazy<String> lazy = new Lazy<>();
      Threads.onSmallStack(() -> overflow(lazy));
      Threads.start("next", () -> assertEquals("made", lazy.get(MAKER))).join();
    }
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void overflow(Lazy<String> lazy) {
    try {
      overflow(lazy);
    } catch (StackOverflowError e) {
      String unused = lazy.get(MAKER); // if this throws as well, the frame above tries again
    }
  }

  @Test
  void anErrorIsNeverKept() {
    Lazy<String> keeping = Lazy.keepingFailure();
    assertThrows(
        StackOverflowError.class,
        () ->
            keeping.get(
                () -> {
                  throw new StackOverflowError();
                }));
    assertEquals("again", keeping.get(() -> "again"));
  }
}
