package org.jhal.engine.transfer;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.EngineSemaphore;
import org.jhal.engine.queue.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that are moved in parts by a few lanes at a time. A lane moves one part after the other, in
 * steps on whatever threads come, so no thread waits. All is over when the last lane has ended, and
 * has failed if one of them has.
 *
 * <p>Whatever a step throws ends its lane, since nobody else would, and the operation would stay
 * open for ever.
 *
 * <p>Thread-safe.
 */
public abstract class ChunkedTransfer {
  private static final System.Logger LOG = System.getLogger(ChunkedTransfer.class.getName());

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
  protected ChunkedTransfer(String failing, long length) {
    this.failing = failing;
    this.length = length;
  }

  /** Starts {@code count} lanes. Throws nothing. */
  public final void start(int count, Supplier<? extends Lane> lanes) {
    open.set(count);
    for (int i = 0; i < count; i++) {
      Lane lane;
      try {
        lane = lanes.get();
      } catch (Throwable t) { // out of memory
        ended(t);
        continue;
      }
      lane.step(lane::moveNext);
    }
  }

  /** How many bytes are to be moved. */
  public final long length() {
    return length;
  }

  /** How many bytes no lane has taken; none once a lane has failed. */
  public final long left() {
    return failure.get() == null ? Math.max(0, length - next.get()) : 0;
  }

  /** Takes the next bytes for a lane. Returns the first one, or -1 if none is left. */
  public final long take(int bytes) {
    long start = left() == 0 ? length : next.getAndAdd(bytes);
    return start < length ? start : -1;
  }

  /** All lanes have ended. Called once. */
  protected abstract void over(@Nullable HalException failure);

  /** A lane has failed, the first one; others may still be moving bytes. */
  protected void failed(HalException first) {}

  /** Lets no lane begin another part. Unless a lane has failed before, all have failed so. */
  public final void stop(HalException cause) {
    boolean ignored = failure.compareAndSet(null, cause);
  }

  private void ended(@Nullable Throwable thrown) {
    if (thrown != null) {
      HalException cause = Failures.aborted(failing, thrown);
      if (failure.compareAndSet(null, cause)) {
        try {
          failed(cause);
        } catch (Throwable t) {
          logLate(t);
        }
      }
    }
    if (open.decrementAndGet() == 0) {
      try {
        over(failure.get());
      } catch (Throwable t) {
        logLate(t);
      }
    }
  }

  /** Logs what can fail nothing any more. */
  private void logLate(Throwable thrown) {
    Failures.log(LOG, Level.ERROR, "an error came too late to fail the operation", thrown);
  }

  /** One of the lanes. Its steps follow each other, on different threads. */
  public abstract class Lane {
    private final TimelineSemaphore timeline = new EngineSemaphore(0, () -> {});
    private final AtomicBoolean isOver = new AtomicBoolean();
    private long done; // the timeline's value once all transfers of this lane are complete

    /** Begins the next part, or ends the lane if none is left. */
    protected abstract void moveNext();

    /** What the next transfer of this lane raises when it is complete. */
    public final Fence nextSignal() {
      return timeline.at(++done);
    }

    /** Does a step. Throws nothing. */
    public final void step(Runnable step) {
      try {
        step.run();
      } catch (Throwable t) {
        end(t);
      }
    }

    /**
     * Enqueues transfers, and calls {@code then} once when they are complete, with null, or when
     * that has failed. It runs on any thread, and must not block.
     *
     * @param enqueue enqueues transfers that raise {@link #nextSignal}
     */
    public final void transfer(Runnable enqueue, Consumer<@Nullable Throwable> then) {
      AtomicBoolean isTold = new AtomicBoolean();
      Consumer<@Nullable Throwable> once =
          failed -> {
            if (isTold.compareAndSet(false, true)) {
              step(() -> then.accept(failed));
            } else if (failed != null) {
              logLate(failed);
            }
          };
      try {
        enqueue.run();
        timeline.onReach(done, once::accept);
      } catch (Throwable t) { // a device is lost, or closed and past its timeout
        once.accept(t); // unless onReach() has called it before it threw
      }
    }

    /** Ends the lane. What comes later is only logged. Throws nothing. */
    public final void end(@Nullable Throwable thrown) {
      if (!isOver.compareAndSet(false, true)) {
        if (thrown != null) {
          logLate(thrown);
        }
        return;
      }
      try {
        timeline.close();
      } catch (Throwable t) {
        logLate(t);
      }
      ended(thrown);
    }
  }
}
