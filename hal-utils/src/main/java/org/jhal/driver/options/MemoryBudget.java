package org.jhal.driver.options;

import java.util.concurrent.atomic.AtomicLong;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * How much memory of a device may be used, and how much is.
 *
 * <p>Thread-safe.
 */
public final class MemoryBudget {
  private final String device;
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  /**
   * A budget of which nothing is used.
   *
   * @param device its name, for messages
   * @param limit in bytes
   */
  public MemoryBudget(String device, long limit) {
    this.device = device;
    this.limit = limit;
  }

  /**
   * Counts bytes as used.
   *
   * @throws HalException RESOURCE_EXHAUSTED if there are not enough, and then none are counted
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
        "cannot allocate "
            + bytes
            + " bytes on "
            + device
            + ": "
            + before
            + " of "
            + limit
            + " are in use");
  }

  /** Counts bytes as not used any more. */
  public void giveBack(long bytes) {
    used.addAndGet(-bytes);
  }

  /** How many bytes are in use. */
  public long used() {
    return used.get();
  }
}
