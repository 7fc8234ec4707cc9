// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.queue.Enqueuer;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.NoWork;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lanes that move parts: all end once, whatever their steps throw. */
class ChunkedTransferTest {
  private static final int PART = 4;
  private static final int LENGTH = 10 * PART - 1;
  private static final HalException FAULT = new HalException(Status.DATA_LOSS, "on purpose");

  private final EngineDevice<Event> device = new FakeBackend().open(1, Duration.ofSeconds(1));
  private final StagingPool pool = new StagingPool(Inside.core(device), false);
  private final Enqueuer<Event> enqueuer = Inside.core(device).queues().get(0).enqueuer();
  private final Operation<Event> operation = enqueuer.begin(NoWork.get(), false);
  private final List<Long> moved = new ArrayList<>(); // where the parts begin
  private final List<@Nullable HalException> ends = new ArrayList<>(); // one element: it is over

  ChunkedTransferTest() {
    enqueuer.endEnqueue(); // it is never submitted
  }

  @AfterEach
  void close() {
    enqueuer.abandon(operation);
    device.close();
  }

  private class TestLanes extends ChunkedTransfer<Event> {
    TestLanes() {
      super(operation, "moving failed: ", LENGTH);
    }

    @Override
    public void run(Context ignored) {
      runAll();
    }

    void runAll() {
      start(3, TestLane::new);
    }

    @Override
    protected void end(@Nullable HalException first) {
      ends.add(first);
    }

    /** Runs two lanes, the first of which does something else when a part is complete. */
    void run(Consumer<TestLane> step) {
      List<Supplier<TestLane>> all =
          new ArrayList<>(
              List.of(
                  () ->
                      new TestLane() {
                        @Override
                        void transferred(long start) {
                          step.accept(this);
                        }
                      },
                  TestLane::new));
      start(2, () -> all.remove(0).get());
    }

    /** A lane whose transfers are complete at once. */
    class TestLane extends Lane {
      @Override
      public void begin() {
        setStaging(pool.take(StagingPool.CHUNK_BYTES));
        moveNext();
      }

      void moveNext() {
        long start = take(PART);
        if (start < 0) {
          end(null);
        } else {
          staging().memory(PART);
          transfer(this::enqueue, () -> transferred(start));
        }
      }

      void enqueue() {
        Fence signal = nextSignal();
        signal.semaphore(0).signal(signal.value(0));
      }

      void transferred(long start) {
        moved.add(start);
        moveNext();
      }

      void stop() {
        end(null);
      }

      void goOn() {
        stepOn(
            task -> {
              throw new RejectedExecutionException("on purpose");
            },
            () -> moved.add(-1L));
      }
    }
  }

  private final TestLanes lanes = new TestLanes();

  private HalException failure() {
    assertEquals(1, ends.size(), "how often all was over");
    assertEquals(pool.chunks(), pool.freeChunks(), "chunks that came back");
    return Objects.requireNonNull(ends.get(0));
  }

  @Test
  void allPartsAreMovedOnce() {
    lanes.runAll();
    assertEquals(List.of(0L, 4L, 8L, 12L, 16L, 20L, 24L, 28L, 32L, 36L), moved);
    assertEquals(1, ends.size(), "how often all was over");
    assertNull(ends.get(0));
    assertEquals(pool.chunks(), pool.freeChunks(), "chunks that came back");
  }

  @Test
  void aFailureOfAStepFailsAll() {
    lanes.run(
        lane -> {
          throw FAULT;
        });
    assertSame(FAULT, failure());
    assertEquals(List.of(), moved);
    assertNull(device.lostCause());
  }

  @Test
  void threadsThatTakeNoStepFailAll() {
    lanes.run(TestLanes.TestLane::goOn);
    assertEquals(Status.ABORTED, failure().status());
    assertEquals(List.of(), moved);
    assertNull(device.lostCause());
  }

  /** Rule E2: the step may be half done. */
  @Test
  void anErrorInAStepLosesTheDevice() {
    try (Quiet ignored = new Quiet()) {
      Error thrown = new StackOverflowError("on purpose");
      lanes.run(
          lane -> {
            throw thrown;
          });
      assertSame(thrown, failure().getCause());
      Threads.await("the loss of the device", () -> device.lostCause() != null);
    }
  }

  /** Rule E2: nothing else ends the operation. */
  @Test
  void anErrorAtTheEndLosesTheDevice() {
    try (Quiet ignored = new Quiet()) {
      new TestLanes() {
        @Override
        protected void end(@Nullable HalException first) {
          throw new StackOverflowError("on purpose");
        }
      }.runAll();
      Threads.await("the loss of the device", () -> device.lostCause() != null);
    }
  }

  @Test
  void aLaneEndsOnce() {
    lanes.run(
        lane -> {
          lane.stop();
          lane.stop();
          throw FAULT;
        });
    assertEquals(1, ends.size(), "how often all was over");
    assertNull(ends.get(0));
  }
}
