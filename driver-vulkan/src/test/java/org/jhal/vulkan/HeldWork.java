// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jhal.driver.NativeStream;

/**
 * Keeps back the work of streams that tests hold.
 *
 * <p>Thread-safe.
 */
final class HeldWork implements LogicalDevice.Submitter {
  /** What is kept back of one stream, in its order. */
  private static final class Held {
    private int holds;
    private final Deque<Work> works = new ArrayDeque<>();
  }

  private final LogicalDevice.Submitter next;

  @GuardedBy("this")
  private final Map<Timeline, Held> held = new HashMap<>();

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
    held.computeIfAbsent(timeline, each -> new Held()).holds++;
    return () -> release(timeline);
  }

  /** Whether what a stream submits now is kept back. */
  synchronized boolean isHeld(Timeline timeline) {
    return held.containsKey(timeline);
  }

  private synchronized void release(Timeline timeline) {
    Held found = held.get(timeline);
    if (found != null && --found.holds == 0) {
      found.works.forEach(next::submit);
      held.remove(timeline);
    }
  }

  @Override
  public synchronized void submit(Work work) {
    Held found = held.get(work.signal().timeline());
    if (found == null) {
      next.submit(work);
    } else {
      found.works.add(work);
    }
  }
}
