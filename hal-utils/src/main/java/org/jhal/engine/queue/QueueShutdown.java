package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jhal.HalException;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.queue.Operation.State;

/**
 * The end of a queue, in steps that the device takes for all its queues, one after the other:
 * {@link #cancelUsers}, {@link #awaitIdle}, {@link #shut}, {@link #cancelAll}, {@link #awaitIdle},
 * {@link #abandonAll} if that was in vain, {@link #stop}, {@link #awaitStreamIdle}, {@link
 * #closeStream}.
 *
 * <p>For one thread at a time.
 */
public final class QueueShutdown<E> {
  private static final System.Logger LOG = System.getLogger(QueueShutdown.class.getName());
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final DeferredWorkQueue<E> queue;
  private final NativeStream<E> stream;
  private final EventPool<E> events;
  private final Gate gate;
  private final QueueLists<E> lists;
  private final Completer<E> completer;

  QueueShutdown(
      DeferredWorkQueue<E> queue,
      NativeStream<E> stream,
      EventPool<E> events,
      Gate gate,
      QueueLists<E> lists,
      Completer<E> completer) {
    this.queue = queue;
    this.stream = stream;
    this.events = events;
    this.gate = gate;
    this.lists = lists;
    this.completer = completer;
  }

  /** Step 1 of closing: users enqueue nothing any more, and what of theirs was not issued fails. */
  public void cancelUsers(HalException reason) {
    queue.cancel(operation -> !operation.servesCopy(), reason);
  }

  /**
   * Step 2, and again step 5: waits until nothing is open. What failed without having been issued
   * has {@link #GRACE} beyond the deadline to retire, which takes no longer than a moment.
   */
  public boolean awaitIdle(long deadline) {
    if (lists.awaitNoneOpen(deadline)) {
      return true;
    }
    long[] counts = new long[State.values().length];
    queue.count(counts);
    return counts[State.ISSUED.ordinal()] == 0
        && lists.awaitNoneOpen(System.nanoTime() + GRACE.toNanos());
  }

  /** Step 3: nobody enqueues or issues any more; waits until those who do so have left. */
  public boolean shut(long deadline) {
    gate.shut();
    lists.endIssuing();
    return gate.awaitEmpty(deadline);
  }

  /** Step 4: whatever was not issued fails. */
  public void cancelAll(HalException reason) {
    queue.cancel(operation -> true, reason);
    for (Operation<E> dead = lists.takeDeadReady(); dead != null; dead = lists.takeDeadReady()) {
      dead.release(); // the heap's reference
    }
  }

  /**
   * Step 6, only past the deadline: what is still in flight fails and is never retired; returns how
   * much that is.
   */
  public int abandonAll(HalException reason) {
    return queue.failAll(operation -> true, reason, true);
  }

  /** Step 7: ends the threads; false if one, or a user's thread that issues, did not in time. */
  public boolean stop(long deadline) {
    OpenQueues.remove(queue);
    // Who is inside may still have something for the threads.
    return gate.awaitEmpty(deadline)
        && queue.issueRole.stop(deadline) & queue.completionRole.stop(deadline);
  }

  /**
   * Step 8: waits until the stream has run everything, also that of which no event tells, since it
   * could not be recorded or waited for. False if that is not known at the deadline: then the
   * stream may still use what its operations hold.
   */
  public boolean awaitStreamIdle(long deadline) {
    return BackOff.await(this, deadline, this::isStreamIdle);
  }

  private boolean isStreamIdle() {
    try {
      long token = stream.bindToThread();
      try {
        return stream.isIdle();
      } finally {
        stream.unbindFromThread(token);
      }
    } catch (Throwable t) {
      return Failures.isLoss(t); // the native runtime says so itself: nothing runs any more
    }
  }

  /** Step 9, unless something is leaked: frees what is native; nothing uses it. */
  public void closeStream() {
    events.close();
    try {
      stream.close();
    } catch (Throwable t) { // the rest of the device is closed all the same
      LOG.log(Level.WARNING, "cannot close the stream of " + queue.name(), t);
    }
    completer.retireRest();
  }
}
