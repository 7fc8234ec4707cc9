// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a device still runs its work, for drivers whose streams are threads of this process. The
 * end of that wakes the threads that wait for a {@link HostEvent} of the device, or on its behalf.
 *
 * <p>Thread-safe.
 */
public final class Liveness {
  private final Map<Thread, Object> waits = new ConcurrentHashMap<>(); // the monitors, by thread
  private final AtomicReference<@Nullable HalException> lost = new AtomicReference<>();
  private volatile boolean isAbandoned;

  /** Of a device that runs its work. */
  public Liveness() {}

  public boolean isLost() {
    return lost.get() != null;
  }

  /**
   * Throws a copy of the cause if the device is lost.
   *
   * @throws HalException with the status that {@link #lose} was given
   */
  public void checkAlive() {
    HalException cause = lost.get();
    if (cause != null) {
      throw cause.again();
    }
  }

  /** The device is lost; the first cause counts. May be called again if an error has ended it. */
  public void lose(HalException cause) {
    lost.compareAndSet(null, cause);
    wake();
  }

  /**
   * The device's work may never end, and nobody waits for it any longer: other devices get past its
   * events. Its own streams are unaffected.
   */
  public void abandon() {
    isAbandoned = true;
    wake();
  }

  /** Whether other devices get past its events. */
  boolean isGone() {
    return isAbandoned || isLost();
  }

  /** The calling thread is going to wait on a monitor, which it holds. */
  void beginWait(Object monitor) {
    waits.put(Thread.currentThread(), monitor);
  }

  void endWait() {
    waits.remove(Thread.currentThread());
  }

  private void wake() {
    for (Object monitor : waits.values()) {
      synchronized (monitor) {
        monitor.notifyAll();
      }
    }
  }
}
