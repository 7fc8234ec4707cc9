// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jhal.DeviceQueue;
import org.jhal.Hal;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the last operations of tasks that are over. A queue that is already idle is returned at
 * once; a daemon thread polls the others, and runs while there are any.
 *
 * <p>Thread-safe.
 */
final class QueueDrain {
  private static final System.Logger LOG = System.getLogger(QueueDrain.class.getName());

  /** The interval of the thread's polls, at first and later. */
  private static final long SOON_MILLIS = 1;

  private static final long LATER_MILLIS = 20;

  /** How long a queue is polled at the shorter interval. */
  private static final Duration SHORT = Duration.ofMillis(200);

  /** The time after which a queue that is not idle is reported. */
  private static final Duration LONG = Duration.ofMinutes(1);

  /** A queue that still has operations. */
  private static final class Waiting {
    final TaskDevice task;
    final Runnable then;
    final long since = System.nanoTime();
    boolean isReported; // by the thread

    Waiting(TaskDevice task, Runnable then) {
      this.task = task;
      this.then = then;
    }

    boolean isOlderThan(Duration age) {
      return System.nanoTime() - since > age.toNanos();
    }
  }

  private final Duration patience;
  private final Consumer<String> reporter;
  private final Object lock = new Object();
  private final List<Waiting> all = new ArrayList<>(); // guarded by lock
  private @Nullable Thread thread; // guarded by lock

  QueueDrain() {
    this(LONG, text -> LOG.log(Level.WARNING, text));
  }

  /**
   * Creates one.
   *
   * @param patience the time after which a queue that is not idle is reported
   * @param reporter gets the text of the report
   */
  QueueDrain(Duration patience, Consumer<String> reporter) {
    this.patience = patience;
    this.reporter = reporter;
  }

  /**
   * Closes the timelines of {@code task}, and calls {@code then}, once no operation of its queue is
   * open; on this thread if none is open now.
   */
  void whenIdle(TaskDevice task, Runnable then) {
    if (isIdle(task)) {
      finish(task, then);
      return;
    }
    synchronized (lock) {
      all.add(new Waiting(task, then));
      if (thread == null) {
        Thread made = new Thread(this::run, "jhal-spark-drain");
        made.setDaemon(true);
        made.start();
        thread = made; // only if it could be started; it waits for the lock
      } else {
        lock.notifyAll();
      }
    }
  }

  /** Operations of a lost device may stay open until it is closed; they delay no other task. */
  private static boolean isIdle(TaskDevice task) {
    DeviceQueue queue = task.lentQueue();
    return queue.openOperations() == 0 || queue.device().lostCause() != null;
  }

  private static void finish(TaskDevice task, Runnable then) {
    try {
      task.close();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "cannot close the timelines of " + task, e);
    } finally {
      then.run();
    }
  }

  private void run() {
    try {
      List<Waiting> some = next();
      while (!some.isEmpty()) {
        some.forEach(this::look);
        some = next();
      }
    } catch (InterruptedException e) {
      // unexpected: only this class has a reference to the thread, and never interrupts it
      LOG.log(Level.WARNING, "interrupted while queues of tasks that are over become idle", e);
    } finally {
      synchronized (lock) {
        if (thread == Thread.currentThread()) {
          thread = null; // so that the next thread continues with the remaining queues
        }
      }
    }
  }

  /** All waiting queues, after some time; none if the thread should end. */
  @SuppressWarnings("WaitNotInLoop") // an early poll does no harm
  private List<Waiting> next() throws InterruptedException {
    synchronized (lock) {
      if (all.isEmpty()) {
        thread = null;
        return List.of();
      }
      boolean isOld = all.stream().allMatch(one -> one.isOlderThan(SHORT));
      lock.wait(isOld ? LATER_MILLIS : SOON_MILLIS);
      return new ArrayList<>(all);
    }
  }

  /** Finishes it if it is idle. Throws nothing, since others wait for this thread. */
  private void look(Waiting one) {
    try {
      if (isIdle(one.task)) {
        boolean isMine;
        synchronized (lock) {
          isMine = all.remove(one); // before, or an error would finish it twice
        }
        if (isMine) {
          finish(one.task, one.then);
        }
      } else {
        reportIfLong(one);
      }
    } catch (Throwable t) {
      LOG.log(Level.ERROR, "an error interrupted the end of " + one.task, t);
    }
  }

  private void reportIfLong(Waiting one) {
    if (!one.isReported && one.isOlderThan(patience)) {
      one.isReported = true;
      reporter.accept(
          one.task
              + ", which has ended, still has "
              + one.task.lentQueue().openOperations()
              + " operations; no other task gets this queue before they have retired.\n"
              + Hal.explain());
    }
  }
}
