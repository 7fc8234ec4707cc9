// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.assertNullRefused;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.AcquiredQueue;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.MemoryPool;
import org.jhal.PoolRequest;
import org.jhal.PoolRequest.OverBudget;
import org.jhal.PoolStatistics;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Budgets for allocas: rule M1a. */
@CtsSuite
class MemoryPoolTest {
  private static final int BUDGET = 1000;

  private static MemoryPool pool(Cts cts, OverBudget overBudget) {
    return cts.closing(cts.device().createPool(new PoolRequest(BUDGET, overBudget, "scratch")));
  }

  private static DeviceBuffer alloca(
      Cts cts, MemoryPool pool, Fence waits, Fence signals, long bytes) {
    return cts.closing(cts.queue().alloca(waits, signals, bytes, BufferParams.DEVICE, pool));
  }

  private static void awaitUsed(MemoryPool pool, long bytes) {
    awaitTrue(
        "the pool to have " + bytes + " bytes; it has " + pool.statistics(),
        () -> pool.statistics().usedBytes() == bytes);
  }

  private static void awaitWaiting(MemoryPool pool, long count) {
    awaitTrue(count + " allocas to wait", () -> pool.statistics().waiting() == count);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1a")
  void buffersWithinTheBudgetAreAllocatedAndCounted(OverBudget overBudget, Cts cts) {
    MemoryPool pool = pool(cts, overBudget);
    assertSame(cts.device(), pool.device());
    assertEquals(new PoolRequest(BUDGET, overBudget, "scratch"), pool.request());
    assertEquals(new PoolStatistics(BUDGET, 0, 0, 0, 0, 0, 0, 0), pool.statistics());
    TimelineSemaphore line = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), 600);
    DeviceBuffer second = alloca(cts, pool, line.at(1), line.at(2), 400);
    cts.queue().fill(line.at(2), line.at(3), second, 0, 400, FillPattern.of8(7));
    awaitReached(line, 3);
    assertBytes(filled(400, 7), cts.read(second), "the second buffer");
    assertEquals(new PoolStatistics(BUDGET, 1000, 0, 1000, 2, 2, 0, 0), pool.statistics());
    cts.queue().dealloca(line.at(3), line.at(4), first);
    awaitReached(line, 4);
    assertEquals(new PoolStatistics(BUDGET, 400, 0, 1000, 1, 2, 0, 0), pool.statistics());
    cts.queue().dealloca(line.at(4), line.at(5), second);
    awaitReached(line, 5);
    assertEquals(new PoolStatistics(BUDGET, 0, 0, 1000, 0, 2, 0, 0), pool.statistics());
  }

  @Test
  @Rule("M1a")
  void anAllocaOverTheBudgetFailsAlone(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.FAIL);
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore over = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), 600);
    awaitReached(line, 1);
    var unused = alloca(cts, pool, Fence.NONE, over.at(1), 401);
    HalException failure = awaitFailure(over, 1, Status.RESOURCE_EXHAUSTED);
    assertHal(Status.RESOURCE_EXHAUSTED, failure, "401", "'scratch' of 1000", "600 are in use");
    assertEquals(600, pool.statistics().usedBytes());
    TimelineSemaphore outside = cts.semaphore();
    DeviceBuffer other =
        cts.closing(cts.queue().alloca(Fence.NONE, outside.at(1), 401, BufferParams.DEVICE));
    awaitReached(outside, 1);
    cts.queue().dealloca(Fence.NONE, line.at(2), first);
    var more = alloca(cts, pool, line.at(2), line.at(3), BUDGET);
    awaitReached(line, 3);
    cts.queue().dealloca(Fence.NONE, line.at(4), more);
    cts.queue().dealloca(Fence.NONE, outside.at(2), other);
    awaitReached(line.at(4).and(outside.at(2)));
  }

  /** As large as the whole budget, so that each needs what the one before has freed. */
  @ParameterizedTest
  @EnumSource
  @Rule({"M1a", "M1"})
  void aChainOfWholeBudgetsFits(OverBudget overBudget, Cts cts) {
    MemoryPool pool = pool(cts, overBudget);
    TimelineSemaphore line = cts.semaphore();
    DeviceQueue queue = cts.queue();
    int rounds = 200;
    for (int round = 0; round < rounds; round++) {
      long at = 3L * round;
      Fence before = round == 0 ? Fence.NONE : line.at(at);
      try (DeviceBuffer buffer =
          queue.alloca(before, line.at(at + 1), BUDGET, BufferParams.DEVICE, pool)) {
        queue.fill(line.at(at + 1), line.at(at + 2), buffer, 0, BUDGET, FillPattern.of8(round));
        queue.dealloca(line.at(at + 2), line.at(at + 3), buffer);
      }
    }
    awaitReached(line, 3L * rounds);
    assertEquals(
        new PoolStatistics(BUDGET, 0, 0, BUDGET, 0, rounds, pool.statistics().waits(), 0),
        pool.statistics());
  }

  /** Nothing else waits: other operations of the queue go on. */
  @Test
  @Rule({"M1a", "Q1", "Q4"})
  void anAllocaWaitsUntilThereIsRoom(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore later = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), 600);
    awaitReached(line, 1);
    DeviceBuffer second = alloca(cts, pool, Fence.NONE, later.at(1), 500);
    cts.queue().fill(later.at(1), later.at(2), second, 0, 500, FillPattern.of8(9));
    awaitWaiting(pool, 1);
    cts.write(first, 0, filled(600, 5));
    assertBytes(filled(600, 5), cts.read(first), "the first buffer");
    cts.flush(cts.queue());
    assertPending(later, 1);
    assertEquals(new PoolStatistics(BUDGET, 600, 0, 600, 1, 1, 1, 1), pool.statistics());
    assertTrue(later.explain(1).contains("waits for room in pool 'scratch'"), later.explain(1));
    cts.queue().dealloca(Fence.NONE, line.at(2), first);
    awaitReached(later, 2);
    assertBytes(filled(500, 9), cts.read(second), "the second buffer");
    assertEquals(new PoolStatistics(BUDGET, 500, 0, 600, 1, 2, 1, 0), pool.statistics());
  }

  /** A small one does not overtake a large one that came first. */
  @Test
  @Rule("M1a")
  void thoseWhoWaitComeInTurn(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    List<TimelineSemaphore> lines = new ArrayList<>();
    List<DeviceBuffer> buffers = new ArrayList<>();
    int[] sizes = {600, 300, 800, 100, 700};
    for (int i = 0; i < sizes.length; i++) {
      TimelineSemaphore line = cts.semaphore();
      lines.add(line);
      buffers.add(alloca(cts, pool, Fence.NONE, line.at(1), sizes[i]));
      if (i < 2) {
        awaitReached(line, 1);
      } else {
        awaitWaiting(pool, i - 1);
      }
    }
    dealloca(cts, lines, buffers, 1);
    awaitUsed(pool, 600); // so there are 400: enough for the fourth, but not for the third
    assertPending(lines.get(3), 1);
    dealloca(cts, lines, buffers, 0);
    awaitReached(lines.get(2).at(1).and(lines.get(3).at(1)));
    assertPending(lines.get(4), 1);
    dealloca(cts, lines, buffers, 3);
    dealloca(cts, lines, buffers, 2);
    awaitReached(lines.get(4), 1);
    assertEquals(new PoolStatistics(BUDGET, 700, 0, 900, 1, 5, 3, 0), pool.statistics());
  }

  private static void dealloca(
      Cts cts, List<TimelineSemaphore> lines, List<DeviceBuffer> buffers, int index) {
    cts.queue().dealloca(Fence.NONE, lines.get(index).at(2), buffers.get(index));
    awaitReached(lines.get(index), 2);
  }

  /** One that waits for a timeline takes nothing, or the later one would wait for ever. */
  @ParameterizedTest
  @EnumSource
  @Rule("M1a")
  void onlyAnAllocaWhoseWaitsAreReachedTakesAPart(OverBudget overBudget, Cts cts) {
    MemoryPool pool = pool(cts, overBudget);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore late = cts.semaphore();
    TimelineSemaphore line = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, start.at(1), late.at(1), BUDGET);
    DeviceBuffer second = alloca(cts, pool, Fence.NONE, line.at(1), BUDGET);
    awaitReached(line, 1);
    assertPending(late, 1);
    cts.queue().dealloca(Fence.NONE, line.at(2), second);
    awaitReached(line, 2);
    start.signal(1);
    awaitReached(late, 1);
    cts.queue().dealloca(Fence.NONE, late.at(2), first);
    awaitReached(late, 2);
  }

  /** More than any stream takes at once. */
  @Test
  @Rule({"M1a", "Q1"})
  void manyMayWait(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    TimelineSemaphore line = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), BUDGET);
    awaitReached(line, 1);
    DeviceQueue queue = cts.queue();
    int count = 1500;
    TimelineSemaphore[] ends = new TimelineSemaphore[count];
    for (int i = 0; i < count; i++) {
      TimelineSemaphore own = cts.semaphore();
      ends[i] = own;
      try (DeviceBuffer buffer =
          queue.alloca(Fence.NONE, own.at(1), BUDGET / 3, BufferParams.DEVICE, pool)) {
        queue.dealloca(own.at(1), own.at(2), buffer);
      }
    }
    awaitWaiting(pool, count);
    cts.queue().dealloca(Fence.NONE, line.at(2), first);
    for (TimelineSemaphore end : ends) {
      awaitReached(end, 2);
    }
    assertEquals(
        new PoolStatistics(BUDGET, 0, 0, BUDGET, 0, 1 + count, count, 0), pool.statistics());
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1a")
  void moreThanTheWholeBudgetFailsAtOnce(OverBudget overBudget, Cts cts) {
    MemoryPool pool = pool(cts, overBudget);
    TimelineSemaphore line = cts.semaphore();
    var unused = alloca(cts, pool, Fence.NONE, line.at(1), BUDGET + 1);
    assertHal(
        Status.RESOURCE_EXHAUSTED,
        awaitFailure(line, 1, Status.RESOURCE_EXHAUSTED),
        "1001 bytes",
        "1000 bytes");
    assertEquals(new PoolStatistics(BUDGET, 0, 0, 0, 0, 0, 0, 0), pool.statistics());
  }

  @Test
  @Rule({"M1a", "S3", "S8", "Q6"})
  void aFailedAllocaTakesNothingAndDelaysNobody(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    TimelineSemaphore line = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), 600);
    awaitReached(line, 1);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore failed = cts.semaphore();
    var unused = alloca(cts, pool, start.at(1), failed.at(1), 500);
    start.fail(new HalException(Status.DATA_LOSS, "nothing to start"));
    assertHal(Status.DATA_LOSS, awaitFailure(failed, 1), "nothing to start");
    TimelineSemaphore second = cts.semaphore();
    var also = alloca(cts, pool, Fence.NONE, second.at(1), 400);
    awaitReached(second, 1);
    assertEquals(new PoolStatistics(BUDGET, 1000, 0, 1000, 2, 2, 0, 0), pool.statistics());
    assertFalse(pool.isClosed());
    assertEquals(600, first.size());
  }

  @Test
  @Rule({"M1a", "M1"})
  void aDeallocaThatFailsFreesNothing(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore next = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), 600);
    var unused = alloca(cts, pool, line.at(1), next.at(1), 500);
    awaitWaiting(pool, 1);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore failed = cts.semaphore();
    cts.queue().dealloca(start.at(1), failed.at(1), first);
    start.fail(new HalException(Status.DATA_LOSS, "no dealloca"));
    assertHal(Status.DATA_LOSS, awaitFailure(failed, 1), "no dealloca");
    assertPending(next, 1);
    assertEquals(600, pool.statistics().usedBytes());
    cts.queue().dealloca(Fence.NONE, line.at(2), first);
    awaitReached(next, 1);
  }

  /** Its memory is freed with its last use, or at once if there is none. */
  @Test
  @Rule({"M1a", "M7"})
  void closingABufferWithoutADeallocaMakesRoom(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore next = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), 600);
    awaitReached(line, 1);
    DeviceBuffer second = alloca(cts, pool, Fence.NONE, next.at(1), 500);
    awaitWaiting(pool, 1);
    first.close();
    awaitReached(next, 1);
    second.close();
    awaitUsed(pool, 0);
  }

  @Test
  @Rule("M1a")
  void closingAPoolCancelsThoseWhoWait(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore waiting = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), 600);
    awaitReached(line, 1);
    var unused = alloca(cts, pool, Fence.NONE, waiting.at(1), 500);
    var unusedToo = alloca(cts, pool, start.at(1), parked.at(1), 100);
    awaitWaiting(pool, 1);
    pool.close();
    pool.close();
    assertTrue(pool.isClosed());
    assertHal(
        Status.CANCELLED, awaitFailure(waiting, 1, Status.CANCELLED), "'scratch'", "was closed");
    start.signal(1);
    assertHal(Status.CANCELLED, awaitFailure(parked, 1, Status.CANCELLED), "was closed");
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> alloca(cts, pool, Fence.NONE, line.at(2), 1),
        "'scratch'",
        "is closed");
    cts.write(first, 0, filled(600, 3));
    assertBytes(filled(600, 3), cts.read(first), "a buffer of the closed pool");
    cts.queue().dealloca(Fence.NONE, line.at(2), first);
    awaitReached(line, 2);
    assertEquals(new PoolStatistics(BUDGET, 0, 0, 600, 0, 1, 1, 0), pool.statistics());
  }

  @Test
  @Rule({"M1a", "Q8"})
  void closingTheDeviceEndsTheWait(Cts cts) {
    Device device = cts.open();
    MemoryPool pool = device.createPool(PoolRequest.of(BUDGET).waiting());
    TimelineSemaphore line = cts.semaphore(device, 0);
    TimelineSemaphore waiting = cts.semaphore(device, 0);
    DeviceQueue queue = device.queue(0);
    DeviceBuffer first =
        cts.closing(queue.alloca(Fence.NONE, line.at(1), 600, BufferParams.DEVICE, pool));
    awaitReached(line, 1);
    DeviceBuffer second =
        cts.closing(queue.alloca(Fence.NONE, waiting.at(1), 500, BufferParams.DEVICE, pool));
    List<TimelineSemaphore> behind = new ArrayList<>();
    for (int i = 0; i < 50; i++) { // these would fit without it
      behind.add(cts.semaphore(device, 0));
      DeviceQueue any = device.queue(i % device.queueCount());
      var unused =
          cts.closing(any.alloca(Fence.NONE, behind.get(i).at(1), 100, BufferParams.DEVICE, pool));
    }
    awaitWaiting(pool, 51);
    device.close();
    var unused = awaitFailure(waiting, 1, Status.CANCELLED);
    behind.forEach(each -> awaitFailure(each, 1, Status.CANCELLED));
    awaitUsed(pool, 0);
    assertEquals(0, pool.statistics().waiting());
    assertEquals(1100, first.size() + second.size());
    assertHal(Status.FAILED_PRECONDITION, () -> device.createPool(PoolRequest.of(1)), "closed");
  }

  /** Of the native allocation, which the driver makes behind the pool. */
  @ParameterizedTest
  @EnumSource
  @Rule({"M1a", "Q7a"})
  @Needs(Need.CONTROLS)
  void aFailureOfTheDeviceGivesThePartBack(OverBudget overBudget, Cts cts) {
    Device device = cts.open();
    cts.needCall(device, "allocAsync");
    MemoryPool pool = cts.closing(device.createPool(new PoolRequest(BUDGET, overBudget, "small")));
    cts.controls(device).failNext("allocAsync", 1, Status.RESOURCE_EXHAUSTED, false);
    TimelineSemaphore line = cts.semaphore(device, 0);
    AtomicReference<PoolStatistics> seen = whenFailed(line, pool);
    DeviceBuffer lost =
        cts.closing(
            device.queue(0).alloca(Fence.NONE, line.at(1), BUDGET, BufferParams.DEVICE, pool));
    var unused = awaitFailure(line, 1, Status.RESOURCE_EXHAUSTED);
    assertSeen(new PoolStatistics(BUDGET, 0, 0, 0, 0, 0, 0, 0), seen);
    TimelineSemaphore next = cts.semaphore(device, 0);
    DeviceBuffer found =
        cts.closing(
            device.queue(0).alloca(Fence.NONE, next.at(1), BUDGET, BufferParams.DEVICE, pool));
    awaitReached(next, 1);
    assertEquals(2 * BUDGET, lost.size() + found.size());
  }

  /** What the statistics are when an alloca has failed. */
  private static AtomicReference<PoolStatistics> whenFailed(
      TimelineSemaphore line, MemoryPool pool) {
    AtomicReference<PoolStatistics> seen = new AtomicReference<>();
    var unused = line.onReach(1, failure -> seen.set(pool.statistics()));
    return seen;
  }

  private static void assertSeen(PoolStatistics expected, AtomicReference<PoolStatistics> seen) {
    awaitTrue("the callback", () -> seen.get() != null);
    assertEquals(expected, seen.get(), "when the failure was reported");
  }

  /** Of a queue that is closed, and of a device that is lost. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"M1a", "Q7", "Q12"})
  @Needs(Need.CONTROLS)
  void oneThatIsCancelledWaitsNoLongerWhenItFails(boolean isLost, Cts cts) {
    Device device = cts.open();
    MemoryPool pool = cts.closing(device.createPool(PoolRequest.of(BUDGET).waiting()));
    TimelineSemaphore line = cts.semaphore(device, 0);
    DeviceBuffer first =
        cts.closing(device.queue(0).alloca(Fence.NONE, line.at(1), 600, BufferParams.DEVICE, pool));
    awaitReached(line, 1);
    AcquiredQueue queue = cts.closing(device.acquireQueue(QueueRequest.DEFAULT));
    TimelineSemaphore waiting = cts.semaphore(device, 0);
    AtomicReference<PoolStatistics> seen = whenFailed(waiting, pool);
    DeviceBuffer second =
        cts.closing(queue.alloca(Fence.NONE, waiting.at(1), 500, BufferParams.DEVICE, pool));
    awaitWaiting(pool, 1);
    if (isLost) {
      cts.allowWarnings();
      cts.controls(device).loseDevice(new HalException(Status.UNAVAILABLE, "lost by a test"));
    } else {
      queue.close();
    }
    var unused = awaitFailure(waiting, 1, isLost ? Status.UNAVAILABLE : Status.CANCELLED);
    assertSeen(new PoolStatistics(BUDGET, 600, 0, 600, 1, 1, 1, 0), seen);
    assertEquals(1100, first.size() + second.size());
  }

  /** None is granted what another one of the same queue gives up. */
  @Test
  @Rule({"M1a", "Q12"})
  void closingAQueueCancelsAllThatWait(Cts cts) {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    TimelineSemaphore line = cts.semaphore();
    DeviceBuffer first = alloca(cts, pool, Fence.NONE, line.at(1), 600);
    awaitReached(line, 1);
    AcquiredQueue queue = cts.closing(cts.device().acquireQueue(QueueRequest.DEFAULT));
    List<TimelineSemaphore> lines = new ArrayList<>();
    long sizes = 0;
    for (int i = 0; i < 100; i++) { // without the first, others would fit
      TimelineSemaphore own = cts.semaphore();
      int bytes = i % 2 == 0 ? 500 : 100;
      DeviceBuffer buffer =
          cts.closing(queue.alloca(Fence.NONE, own.at(1), bytes, BufferParams.DEVICE, pool));
      lines.add(own);
      sizes += buffer.size();
    }
    awaitWaiting(pool, 100);
    queue.close();
    lines.forEach(own -> awaitFailure(own, 1, Status.CANCELLED));
    awaitUsed(pool, 600);
    assertEquals(new PoolStatistics(BUDGET, 600, 0, 600, 1, 1, 100, 0), pool.statistics());
    assertEquals(30_600, sizes + first.size());
  }

  @Test
  @Rule({"M1a", "M5"})
  void wrongArgumentsAreRejected(Cts cts) {
    assertHal(Status.OUT_OF_RANGE, () -> PoolRequest.of(0), "budget of 0");
    assertHal(Status.INVALID_ARGUMENT, () -> PoolRequest.of(1).withName(""), "empty");
    assertNullRefused("request", () -> cts.device().createPool(nothing()));
    assertNullRefused("overBudget", () -> new PoolRequest(1, nothing(), "a"));
    assertNullRefused("name", () -> PoolRequest.of(1).withName(nothing()));
    TimelineSemaphore line = cts.semaphore();
    assertNullRefused("pool", () -> alloca(cts, nothing(), Fence.NONE, line.at(1), 1));
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    assertHal(Status.OUT_OF_RANGE, () -> alloca(cts, pool, Fence.NONE, line.at(1), -1), "-1");
    Device other = cts.open();
    MemoryPool foreign = cts.closing(other.createPool(PoolRequest.of(1000)));
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> alloca(cts, foreign, Fence.NONE, line.at(1), 1),
        "belongs to another device");
    assertPending(line, 1);
    assertEquals(0, pool.statistics().allocations());
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  /** Threads that allocate, and free or close. Nothing hangs or is lost. */
  @Test
  @Rule({"M1a", "M1"})
  void threadsShareAPool(Cts cts) throws Exception {
    MemoryPool pool = pool(cts, OverBudget.WAIT);
    long seed = cts.random().nextLong();
    List<Task<Void>> tasks = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      Random random = new Random(seed + thread);
      DeviceQueue queue = cts.queue(thread % cts.device().queueCount());
      tasks.add(Task.start("pool user " + thread, () -> allocateAndFree(cts, queue, pool, random)));
    }
    for (Task<Void> task : tasks) {
      task.join();
    }
    cts.awaitIdle();
    awaitUsed(pool, 0);
    PoolStatistics end = pool.statistics();
    assertEquals(400, end.allocations());
    assertEquals(0, end.buffers() + end.waiting() + end.reservedBytes());
    assertTrue(end.peakBytes() <= BUDGET, end.toString());
  }

  private static Void allocateAndFree(Cts cts, DeviceQueue queue, MemoryPool pool, Random random) {
    TimelineSemaphore line = cts.semaphore();
    for (int i = 0; i < 100; i++) {
      long at = 3L * i;
      int bytes = 1 + random.nextInt(BUDGET);
      boolean isFreed = random.nextBoolean();
      Fence before = i == 0 ? Fence.NONE : line.at(at);
      DeviceBuffer buffer = queue.alloca(before, line.at(at + 1), bytes, BufferParams.DEVICE, pool);
      queue.fill(line.at(at + 1), line.at(at + 2), buffer, 0, bytes, FillPattern.of8(i));
      if (isFreed) {
        queue.dealloca(line.at(at + 2), line.at(at + 3), buffer);
      } else {
        queue.barrier(line.at(at + 2), line.at(at + 3));
      }
      buffer.close();
    }
    awaitReached(line, 300);
    return null;
  }
}
