package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The operations in one queue's stream that wait for operations that are gone: that were failed
 * although their events may not have fired (rule S9a). They are failed here, and then watched; see
 * {@link StuckWait}.
 *
 * <p>Thread-safe, except for {@link #step}.
 */
final class StuckWaits<E> {
  private static final System.Logger LOG = System.getLogger(StuckWaits.class.getName());

  /** Those of all open queues in this process. Not private: a test has a look at one fail. */
  static final List<StuckWaits<?>> ALL = new CopyOnWriteArrayList<>();

  /** Less than the time after which the issue thread looks by itself. */
  private static final long PAUSE_NANOS = 900_000_000;

  private final QueueLists<E> lists;
  private final QueueLoss loss;
  private final Duration patience; // see StuckWait
  private final Runnable wakeIssueThread;

  /**
   * Operations that have failed with one of another device and wait for its event in the stream.
   * Added by any thread, removed by the issue thread.
   */
  private final Queue<StuckWait<E>> waits = new ConcurrentLinkedQueue<>();

  /** {@link #failBehindGone} is to be called. Set by any thread, cleared by the issue thread. */
  private volatile boolean failsBehind;

  // The last try has failed, and when. Used by the issue thread alone.
  private boolean isPaused;
  private long failedAt;

  StuckWaits(QueueLists<E> lists, QueueLoss loss, Duration patience, Runnable wakeIssueThread) {
    this.lists = lists;
    this.loss = loss;
    this.patience = patience;
    this.wakeIssueThread = wakeIssueThread;
  }

  /** The queue starts. */
  void open() {
    ALL.add(this);
  }

  /** The queue's threads end. */
  void close() {
    ALL.remove(this);
  }

  /** See {@link DeferredWorkQueue#failBehindGone}. */
  static void failBehindGone() {
    try {
      failAllBehindGone();
    } catch (Throwable t) {
      ALL.forEach(StuckWaits::failLater);
      log(t);
    }
  }

  private static void log(Throwable thrown) {
    Failures.log(
        LOG,
        Level.ERROR,
        "what waits for a device that is gone could not be failed at once",
        thrown);
  }

  private static void failAllBehindGone() {
    List<Operation<?>> failed = new ArrayList<>();
    int before;
    do {
      before = failed.size();
      for (StuckWaits<?> stuck : ALL) {
        stuck.failBehind(failed);
      }
    } while (failed.size() > before);
    // Afterwards, since this may fail others that wait for what is gone as if they did not.
    for (Operation<?> operation : failed) {
      operation.work.failedBehindGone();
    }
  }

  /** Has the issue thread call {@link #failBehindGone}. */
  void failLater() {
    failsBehind = true;
    wakeIssueThread.run();
  }

  /**
   * Fails the operations in this queue's stream that wait for ones that are gone, and adds them.
   */
  private void failBehind(List<Operation<?>> failed) {
    for (Operation<E> operation : lists.open()) {
      StuckWait<E> found = StuckWait.of(operation);
      if (found != null) {
        failed.add(operation);
        waits.add(found);
        found.fail();
        wakeIssueThread.run();
      }
    }
  }

  /** Fails what other threads have left to fail, and looks at what waits. For the issue thread. */
  void step() {
    if (failsBehind && !isPausing()) {
      failsBehind = false;
      try {
        failAllBehindGone();
        isPaused = false;
      } catch (Throwable t) {
        failsBehind = true;
        isPaused = true;
        failedAt = System.nanoTime();
        log(t);
      }
    }
    waits.removeIf(wait -> wait.isOver(System.nanoTime(), patience, lists, loss));
  }

  /**
   * Whether it has failed just now, and may fail each time. The issue thread comes back in about a
   * second even if nobody wakes it, but on a busy queue it is woken all the time.
   */
  private boolean isPausing() {
    return isPaused && System.nanoTime() - failedAt < PAUSE_NANOS;
  }
}
