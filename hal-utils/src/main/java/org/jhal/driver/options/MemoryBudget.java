// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.util.concurrent.TimeUnit;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Limits how much memory of a device is used, and counts it.
 *
 * <p>Memory that was freed may have to stay because the program can still reach a view of it. Such
 * memory <em>lingers</em>: it is not in use, but it counts toward the limit until the garbage
 * collector has found that its views are unreachable. Reserving starts a collection when much
 * memory lingers, and waits for one if there is no room otherwise.
 *
 * <p>Thread-safe.
 */
public final class MemoryBudget {
  /** How long an allocation waits for the collector, as long as it may take on a busy machine. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How many bytes may begin to linger before the collector is called, where the limit is high. */
  private static final long MUCH = 1L << 30;

  private final String device;
  private final long limit;
  private final long patience; // in nanoseconds
  private long used; // these three guarded by `this`
  private long lingering;
  private long found; // how much lingered at the last collection; a part of `lingering`

  /**
   * An unused budget.
   *
   * @param device the device's name, for messages
   * @param limit in bytes
   */
  public MemoryBudget(String device, long limit) {
    this(device, limit, PATIENCE_NANOS);
  }

  /** One whose allocations wait for the collector for so long. */
  MemoryBudget(String device, long limit, long patience) {
    this.device = device;
    this.limit = limit;
    this.patience = patience;
  }

  /**
   * Counts bytes as used. May wait up to two seconds for a garbage collection, if bytes linger.
   *
   * @throws HalException RESOURCE_EXHAUSTED if that would exceed the limit; then none are counted
   */
  public void reserve(long bytes) {
    if (isCollectionDue(bytes)) {
      System.gc();
    }
    synchronized (this) {
      awaitRoom(bytes);
      if (!hasRoom(bytes)) {
        String also =
            lingering == 0
                ? ""
                : "; another "
                    + lingering
                    + " are freed memory that the program still has mapped views of";
        throw new HalException(
            Status.RESOURCE_EXHAUSTED,
            "cannot allocate %s bytes on %s: %s of %s are in use%s"
                .formatted(bytes, device, used, limit, also));
      }
      used += bytes;
    }
  }

  private boolean hasRoom(long bytes) {
    return bytes <= limit - used - lingering;
  }

  /** Whether a collection gives room that is missing, or much memory lingers since the last. */
  private synchronized boolean isCollectionDue(long bytes) {
    boolean isMuch = lingering - found > Math.min(limit / 8, MUCH);
    boolean helps = !hasRoom(bytes) && bytes <= limit - used;
    if (isMuch || helps) {
      found = lingering;
    }
    return isMuch || helps;
  }

  /** Waits until there is room, or what lingers would not make enough, or for too long. */
  private void awaitRoom(long bytes) {
    boolean isInterrupted = false;
    long deadline = System.nanoTime() + patience;
    for (long left = patience;
        left > 0 && !hasRoom(bytes) && bytes <= limit - used;
        left = deadline - System.nanoTime()) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left + 1_000_000); // it cuts off to milliseconds
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Counts bytes as free. */
  public synchronized void giveBack(long bytes) {
    used -= bytes;
    notifyAll();
  }

  /** Counts bytes as lingering instead of used, until they are {@link #release}d. */
  public synchronized void linger(long bytes) {
    used -= bytes;
    lingering += bytes;
  }

  /** Counts bytes that lingered as free. */
  public synchronized void release(long bytes) {
    lingering -= bytes;
    found = Math.min(found, lingering);
    notifyAll();
  }

  /** The bytes in use, without those that linger. */
  public synchronized long used() {
    return used;
  }
}
