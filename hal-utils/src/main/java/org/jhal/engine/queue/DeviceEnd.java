// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Since when a device is gone: lost, or closed past its deadline. From then on the events of its
 * operations may never fire (rule S9a). Its queues share this object, by which they also know that
 * they are of one device.
 *
 * <p>Thread-safe.
 */
public final class DeviceEnd {
  /** How often {@link #begin} was called in this process. */
  private static final AtomicInteger CHANGES = new AtomicInteger();

  /** Run on any thread when a device is gone; each wakes another thread and does nothing else. */
  private static final List<Runnable> WAKERS = new CopyOnWriteArrayList<>();

  private final AtomicLong since = new AtomicLong(); // by System.nanoTime(); 0 until it is gone

  /** Grows with each call of {@link #begin}, on any device; 0 while none is gone. */
  static int changes() {
    return CHANGES.get();
  }

  /** Has {@code waker} run whenever a device is gone, until {@link #removeWaker}. */
  static void addWaker(Runnable waker) {
    WAKERS.add(waker);
  }

  static void removeWaker(Runnable waker) {
    WAKERS.remove(waker);
  }

  /**
   * Marks the device as gone. If it already was, the time stays.
   *
   * @param when since when, by {@link System#nanoTime}. A device that is lost since it has waited
   *     for another one is gone since that one is: the time counts once through a chain of devices
   */
  public void begin(long when) {
    since.compareAndSet(0, when | 1); // 0 means something else
    int unused = CHANGES.incrementAndGet();
    for (Runnable waker : WAKERS) {
      waker.run();
    }
  }

  /** Whether the device is gone. */
  public boolean hasBegun() {
    return since.get() != 0;
  }

  /** Since when it is gone, by {@link System#nanoTime}. */
  long since() {
    return since.get();
  }
}
