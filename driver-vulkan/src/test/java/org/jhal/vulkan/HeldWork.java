// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jhal.driver.NativeStream;

/**
 * Keeps back the work of streams that tests hold, and of streams that wait for it: a wait in a
 * native queue would hold the other streams of that queue, too.
 *
 * <p>Thread-safe.
 */
final class HeldWork implements LogicalDevice.Submitter {
  /** What is kept back of one stream, in its order. */
  private static final class Backlog {
    private final Deque<Work> works = new ArrayDeque<>();
    private long first; // the smallest value that is not submitted
  }

  private final LogicalDevice.Submitter next;
  private volatile boolean isActive; // anything is held or kept back

  @GuardedBy("this")
  private final Map<Timeline, Integer> held = new HashMap<>();

  @GuardedBy("this")
  private final Map<Timeline, Backlog> backlogs = new LinkedHashMap<>();

  private HeldWork(LogicalDevice.Submitter next) {
    this.next = next;
  }

  /** That of a stream's device. */
  static HeldWork of(NativeStream<?> stream) {
    LogicalDevice device = ((VulkanStream) stream).device().logical();
    synchronized (HeldWork.class) {
      if (device.submitter() instanceof HeldWork work) {
        return work;
      }
      HeldWork made = new HeldWork(device.submitter());
      device.setSubmitter(made);
      return made;
    }
  }

  /** Holds a stream; what is returned releases it. */
  synchronized Runnable hold(Timeline timeline) {
    isActive = true;
    held.merge(timeline, 1, Integer::sum);
    return () -> release(timeline);
  }

  /** Whether what a stream submits now is kept back. */
  boolean isHeld(Timeline timeline) {
    if (!isActive) {
      return false;
    }
    synchronized (this) {
      return held.containsKey(timeline) || backlogs.containsKey(timeline);
    }
  }

  private synchronized void release(Timeline timeline) {
    held.computeIfPresent(timeline, (each, count) -> count == 1 ? null : count - 1);
    submitReady();
  }

  @Override
  public void submit(Work work) {
    if (!isActive) {
      next.submit(work);
      return;
    }
    synchronized (this) {
      Timeline timeline = work.signal().timeline();
      Backlog backlog = backlogs.get(timeline);
      if (backlog == null) {
        if (isReady(work)) {
          next.submit(work);
          return;
        }
        backlog = new Backlog();
        backlog.first = work.signal().value();
        backlogs.put(timeline, backlog);
      }
      backlog.works.add(work);
    }
  }

  @GuardedBy("this")
  private boolean isReady(Work work) {
    if (held.containsKey(work.signal().timeline())) {
      return false;
    }
    for (Work.Point wait : work.waits()) {
      Backlog backlog = backlogs.get(wait.timeline());
      if (backlog != null && wait.value() >= backlog.first) {
        return false;
      }
    }
    return true;
  }

  @GuardedBy("this")
  private void submitReady() {
    boolean isAny = true;
    while (isAny) {
      isAny = false;
      Set<Timeline> empty = new HashSet<>();
      for (Map.Entry<Timeline, Backlog> each : backlogs.entrySet()) {
        Backlog backlog = each.getValue();
        while (!backlog.works.isEmpty() && isReady(backlog.works.element())) {
          Work work = backlog.works.remove();
          next.submit(work);
          backlog.first = work.signal().value() + 1;
          isAny = true;
        }
        if (backlog.works.isEmpty()) {
          empty.add(each.getKey());
        }
      }
      backlogs.keySet().removeAll(empty);
    }
    isActive = !held.isEmpty() || !backlogs.isEmpty();
  }
}
