package org.jhal.engine.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.Quiet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lanes that move parts: all end once, whatever their steps throw. */
class ChunkedTransferTest {
  private static final int PART = 4;
  private static final int LENGTH = 10 * PART - 1;

  private final List<Long> moved = new ArrayList<>(); // where the parts begin
  private final List<@Nullable HalException> ends = new ArrayList<>(); // one element: it is over

  private class TestLanes extends ChunkedTransfer {
    TestLanes() {
      super("moving failed: ", LENGTH);
    }

    @Override
    public void over(@Nullable HalException failure) {
      ends.add(failure);
    }

    /** A lane whose transfers are complete at once. */
    class TestLane extends Lane {
      @Override
      public void moveNext() {
        long start = take(PART);
        if (start < 0) {
          end(null);
        } else {
          transfer(this::enqueue, failed -> transferred(start, failed));
        }
      }

      void enqueue() {
        Fence signal = nextSignal();
        signal.semaphore(0).signal(signal.value(0));
      }

      void transferred(long start, @Nullable Throwable failed) {
        if (failed != null) {
          end(failed);
        } else {
          moved.add(start);
          moveNext();
        }
      }
    }
  }

  private final TestLanes lanes = new TestLanes();

  private HalException failure() {
    assertEquals(1, ends.size(), "how often all was over");
    return Objects.requireNonNull(ends.get(0));
  }

  /** Runs two lanes, the first of which does something else when a part is complete. */
  private void run(Consumer<TestLanes.TestLane> step) {
    Supplier<ChunkedTransfer.Lane> special =
        () ->
            lanes.new TestLane() {
              @Override
              void transferred(long start, @Nullable Throwable failed) {
                step.accept(this);
              }
            };
    List<Supplier<ChunkedTransfer.Lane>> all =
        new ArrayList<>(List.of(special, () -> lanes.new TestLane()));
    lanes.start(2, () -> all.remove(0).get());
  }

  @Test
  void allPartsAreMovedOnce() {
    lanes.start(3, () -> lanes.new TestLane());
    assertEquals(List.of(0L, 4L, 8L, 12L, 16L, 20L, 24L, 28L, 32L, 36L), moved);
    assertEquals(1, ends.size(), "how often all was over");
    assertNull(ends.get(0));
  }

  @Test
  void aLaneThatCannotBeMadeFailsAll() {
    lanes.start(
        2,
        () -> {
          throw new OutOfMemoryError("on purpose");
        });
    assertEquals(Status.ABORTED, failure().status());
    assertEquals("moving failed: java.lang.OutOfMemoryError: on purpose", failure().getMessage());
  }

  @Test
  void whatAStepThrowsFailsAll() {
    IllegalStateException thrown = new IllegalStateException("on purpose");
    run(
        lane -> {
          throw thrown;
        });
    assertSame(thrown, failure().getCause());
    assertEquals(List.of(), moved);
  }

  /** The transfer is under way, and completes, although enqueueing another one throws. */
  @Test
  void aTransferThatFailsHalfWayIsToldOnce() {
    HalException gone = new HalException(Status.UNAVAILABLE, "on purpose");
    List<@Nullable Throwable> told = new ArrayList<>();
    lanes.start(
        1,
        () ->
            lanes.new TestLane() {
              @Override
              void enqueue() {
                super.enqueue();
                throw gone;
              }

              @Override
              void transferred(long start, @Nullable Throwable failed) {
                told.add(failed);
                super.transferred(start, failed);
              }
            });
    assertEquals(List.of(gone), told);
    assertSame(gone, failure());
  }

  @Test
  void whatComesBehindTheEndIsLogged() {
    try (Quiet log = new Quiet()) {
      run(
          lane -> {
            lane.end(null);
            lane.end(null);
            throw new IllegalStateException("on purpose");
          });
      assertEquals(1, ends.size(), "how often all was over");
      assertNull(ends.get(0));
      assertEquals(1, log.count("too late"), () -> "lines: " + log.lines());
    }
  }

  @Test
  void whatTheEndThrowsIsLogged() {
    ChunkedTransfer failing =
        new ChunkedTransfer("moving failed: ", LENGTH) {
          @Override
          public void over(@Nullable HalException failure) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (Quiet log = new Quiet()) {
      failing.start(
          2,
          () -> {
            throw new OutOfMemoryError("on purpose");
          });
      assertEquals(1, log.count("too late"), () -> "lines: " + log.lines());
    }
  }
}
