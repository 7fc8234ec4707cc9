package org.jhal.driver.options;

import java.util.concurrent.atomic.AtomicLong;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Limits how much memory of a device is used, and counts it.
 *
 * <p>Thread-safe.
 */
public final class MemoryBudget {
  private final String device;
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  /**
   * An unused budget.
   *
   * @param device the device's name, for messages
   * @param limit in bytes
   */
  public MemoryBudget(String device, long limit) {
    this.device = device;
    this.limit = limit;
  }

  /**
   * Counts bytes as used.
   *
   * @throws HalException RESOURCE_EXHAUSTED if that would exceed the limit; then none are counted
   */
  public void reserve(long bytes) {
    long before = used.get();
    while (bytes <= limit - before) {
      if (used.compareAndSet(before, before + bytes)) {
        return;
      }
      before = used.get();
    }
    throw new HalException(
        Status.RESOURCE_EXHAUSTED,
        "cannot allocate %s bytes on %s: %s of %s are in use"
            .formatted(bytes, device, before, limit));
  }

  /** Counts bytes as free. */
  public void giveBack(long bytes) {
    used.addAndGet(-bytes);
  }

  /** The bytes in use. */
  public long used() {
    return used.get();
  }
}
