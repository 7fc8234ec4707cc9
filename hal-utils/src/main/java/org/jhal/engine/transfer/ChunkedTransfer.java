// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.transfer;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * The host's part of an operation that moves bytes in parts, by a few lanes at a time. A lane moves
 * one part after the other through staging memory, in steps on different threads, so no thread
 * waits. The operation ends when the last lane has ended, and fails if a lane has failed.
 *
 * <p>A {@link HalException} that a step throws ends its lane. Anything else loses the device of the
 * operation (rule E2), and ends the lane as well, so that other devices need not wait for it.
 *
 * <p>Thread-safe.
 */
public abstract class ChunkedTransfer<E> implements HostCompletion {
  private final Operation<E> operation;
  private final String failing; // how the message of a failure begins
  private final long length;
  private final AtomicLong next = new AtomicLong(); // the first byte that no lane has taken
  private final AtomicInteger open = new AtomicInteger(); // lanes that have not ended
  private final AtomicReference<@Nullable HalException> failure = new AtomicReference<>(); // first

  /**
   * Lanes that have not started.
   *
   * @param failing how the message of a failure begins
   * @param length how many bytes are to be moved, at least 1
   */
  protected ChunkedTransfer(Operation<E> operation, String failing, long length) {
    this.operation = operation;
    this.failing = failing;
    this.length = length;
  }

  /** Starts {@code count} lanes. */
  protected final void start(int count, Supplier<? extends Lane> lanes) {
    open.set(count);
    for (int i = 0; i < count; i++) {
      Lane lane = lanes.get();
      lane.step(lane::begin);
    }
  }

  /** How many bytes are to be moved. */
  protected final long length() {
    return length;
  }

  /** How many bytes no lane has taken; none once a lane has failed. */
  protected final long left() {
    return failure.get() == null ? Math.max(0, length - next.get()) : 0;
  }

  /** Takes the next bytes for a lane. Returns the first one, or -1 if none is left. */
  protected final long take(int bytes) {
    long start = left() == 0 ? length : next.getAndAdd(bytes);
    return start < length ? start : -1;
  }

  /**
   * Lets no lane begin another part. The transfer fails with {@code cause}, or an earlier failure.
   */
  public final void stop(HalException cause) {
    failure.compareAndSet(null, cause);
  }

  /** The first lane has failed; others may still be moving bytes. */
  protected void failed(HalException first) {}

  /** All lanes have ended: lets go of what it holds, and ends the operation. Called once. */
  protected abstract void end(@Nullable HalException first);

  /** Ends the operation. */
  protected final void endOperation(@Nullable HalException first) {
    operation.queue.hostCompletionOver(operation, first);
  }

  private void ended(@Nullable HalException thrown) {
    if (thrown != null && failure.compareAndSet(null, thrown)) {
      failed(thrown);
    }
    if (open.decrementAndGet() == 0) {
      end(failure.get());
    }
  }

  /** One of the lanes. Its steps follow each other, on different threads. */
  public abstract class Lane {
    private final TimelineSemaphore timeline = new EngineSemaphore(0, () -> {});
    private final AtomicBoolean isOver = new AtomicBoolean();
    private long done; // the timeline's value once all transfers of this lane are complete
    private StagingPool.@Nullable Loan loan; // written by one step after the other

    /** The first step. */
    protected abstract void begin();

    /** The memory that it moves bytes through. */
    protected final StagingPool.Loan staging() {
      return Objects.requireNonNull(loan);
    }

    /** Moves bytes through {@code memory} from now on. The lane gives it back. */
    protected final void setStaging(StagingPool.Loan memory) {
      loan = memory;
    }

    /** Gives the memory back, if there is any, once no transfer uses it. */
    protected final void endStaging() {
      StagingPool.Loan used = loan;
      loan = null;
      if (used != null) {
        used.end();
      }
    }

    /** The signal of the next transfer of this lane. */
    protected final Fence nextSignal() {
      return timeline.at(++done);
    }

    /** Does a step. Throws nothing. */
    protected final void step(Runnable step) {
      try {
        step.run();
      } catch (HalException e) {
        end(e);
      } catch (Throwable t) {
        operation.queue.brokenBy = t;
        end(Failures.aborted(failing, t));
      }
    }

    /**
     * Enqueues transfers, and does {@code then} as a step when they are complete. The lane ends if
     * that fails. The step runs on any thread, and must not block.
     *
     * @param enqueue enqueues transfers that raise {@link #nextSignal}
     */
    protected final void transfer(Runnable enqueue, Runnable then) {
      enqueue.run(); // throws if a device is lost, or closed and past its timeout
      timeline.onReach(
          done,
          failed -> {
            if (failed == null) {
              step(then);
            } else {
              end(failed);
            }
          });
    }

    /** Does a step on one of {@code threads}. The lane ends if they take none. */
    protected final void stepOn(Executor threads, Runnable step) {
      try {
        threads.execute(() -> step(step));
      } catch (RejectedExecutionException e) { // closed and past the timeout, or out of threads
        end(Failures.aborted(failing, e));
      }
    }

    /** The failure that is reported if a step of this lane has thrown {@code thrown}. */
    protected HalException explain(HalException thrown) {
      return thrown;
    }

    /** Ends the lane. The first call counts. Throws nothing. */
    protected final void end(@Nullable HalException thrown) {
      try {
        if (isOver.compareAndSet(false, true)) {
          timeline.close();
          endStaging();
          ended(thrown == null ? null : explain(thrown));
        }
      } catch (Throwable t) { // nothing else ends the operation
        operation.queue.brokenBy = t;
      }
    }
  }
}
