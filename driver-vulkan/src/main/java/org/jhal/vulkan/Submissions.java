// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * Takes the work of streams to native queues. A native queue waits only for work of other queues
 * that was submitted before, so none waits for the host. Where that is not enough, work is kept
 * back, with all later work of its stream:
 *
 * <ul>
 *   <li>until work that it waits for was submitted,
 *   <li>until such work is over, if it ends within a submission, whose semaphore tells of its end
 *       only, or if other streams use the same native queue, which would wait, too.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class Submissions {
  private static final long IDLE_MILLIS = TimeUnit.SECONDS.toMillis(1);

  private final LogicalDevice device;

  @GuardedBy("this")
  private final Map<Timeline, Deque<Work>> backlogs = new LinkedHashMap<>(); // by stream

  private volatile boolean isAny; // whether there are backlogs; written with the lock held
  private final AtomicInteger looks = new AtomicInteger(); // that are asked for, or under way

  @GuardedBy("this")
  private boolean isWatched; // a thread looks at the backlogs

  @GuardedBy("this")
  private boolean isClosed;

  Submissions(LogicalDevice device) {
    this.device = device;
  }

  /**
   * Submits work now or later, in the order of its stream.
   *
   * @throws HalException if it is not submitted at all. If a later submission fails, the device is
   *     lost
   */
  void submit(Work work) {
    Timeline stream = work.signal().timeline();
    boolean isKept = isAny && hasBacklog(stream);
    if (!isKept && isReady(work)) {
      handOver(work);
    } else {
      keepBack(stream, work);
    }
    if (isAny) {
      submitReady();
    }
  }

  private synchronized boolean hasBacklog(Timeline stream) {
    return backlogs.containsKey(stream);
  }

  private synchronized void keepBack(Timeline stream, Work work) {
    if (!isWatched && !isClosed) {
      try {
        new EngineThread("vulkan-waits", this::watch).start();
      } catch (OutOfMemoryError e) {
        throw new HalException(
            Status.RESOURCE_EXHAUSTED, "no thread can be started that submits work later", e);
      }
      isWatched = true;
    }
    backlogs.computeIfAbsent(stream, each -> new ArrayDeque<>()).add(work);
    isAny = true;
    notifyAll();
  }

  private static void handOver(Work work) {
    Timeline timeline = work.signal().timeline();
    timeline.submitting(work.signal().value());
    boolean isDone = false;
    try {
      work.queue().submit(work);
      timeline.submitted(work.signal().value());
      isDone = true;
    } finally {
      if (!isDone) {
        timeline.notSubmitted();
      }
    }
  }

  private static boolean isReady(Work work) {
    for (Work.Point wait : work.waits()) {
      if (wait.isPast()) {
        continue;
      }
      if (!wait.isSubmitted()) {
        return false;
      }
      boolean isInOrder = wait.queue() == work.queue();
      if (!isInOrder && (work.queue().isShared() || !wait.timeline().isEnd(wait.value()))) {
        return false;
      }
    }
    return true;
  }

  /** Submits what need not be kept back any more. One thread at a time does, for all that ask. */
  private void submitReady() {
    if (looks.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    while (seen > 0) {
      try {
        while (submitSome()) {
          continue;
        }
      } catch (Throwable t) { // the streams have gone on, so nothing else can tell of it
        device.lose(Attempt.aborted("", t));
        clear();
      }
      seen = looks.addAndGet(-seen);
    }
  }

  private boolean submitSome() {
    List<Timeline> streams;
    synchronized (this) {
      streams = new ArrayList<>(backlogs.keySet());
    }
    boolean isSome = false;
    for (Timeline stream : streams) {
      Work first = first(stream);
      if (first != null && isReady(first)) {
        handOver(first);
        removeFirst(stream);
        isSome = true;
      }
    }
    return isSome;
  }

  private synchronized @Nullable Work first(Timeline stream) {
    Deque<Work> backlog = backlogs.get(stream);
    return backlog == null ? null : backlog.peek();
  }

  private synchronized void removeFirst(Timeline stream) {
    Deque<Work> backlog = backlogs.get(stream);
    if (backlog != null) {
      backlog.poll();
      if (backlog.isEmpty()) {
        backlogs.remove(stream);
        isAny = !backlogs.isEmpty();
      }
    }
  }

  private synchronized void clear() {
    backlogs.clear();
    isAny = false;
  }

  /** Looks at the backlogs, since nothing else tells of the end of work; less often over time. */
  private void watch() {
    long since = System.nanoTime();
    while (awaitAny()) {
      submitReady();
      long waited = isAny ? System.nanoTime() - since : 0;
      if (waited == 0) {
        since = System.nanoTime();
      }
      LockSupport.parkNanos(this, BackOff.length(waited));
    }
  }

  /** Waits for a backlog; returns false if the thread ends. */
  private synchronized boolean awaitAny() {
    try {
      if (!isAny && !isClosed) {
        wait(IDLE_MILLIS);
      }
      isWatched = isAny && !isClosed;
    } catch (InterruptedException e) {
      isWatched = isAny && !isClosed; // nothing interrupts it but code of others
    }
    return isWatched;
  }

  /** Ends it, when all streams are idle or the device lost. */
  synchronized void close() {
    clear();
    isClosed = true;
    notifyAll();
  }
}
