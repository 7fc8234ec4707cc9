package org.jhal.driver.gpu;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The host memory that a driver has page-locked in this process. Native runtimes know it too, but
 * not all of them refuse memory that is page-locked already, and some cannot be asked of an address
 * that they do not know.
 *
 * <p>Thread-safe.
 */
public final class PinnedRanges {
  /** First addresses, and the addresses behind the last. Ranges do not overlap. */
  private final ConcurrentSkipListMap<Long, Long> ends = new ConcurrentSkipListMap<>();

  /** None yet. */
  public PinnedRanges() {}

  /**
   * Adds a range, before it is page-locked.
   *
   * @throws HalException FAILED_PRECONDITION if a part of it is one already
   */
  void add(long address, long bytes) {
    synchronized (this) { // between looking and adding
      if (!overlaps(address, bytes)) {
        ends.put(address, address + bytes);
        return;
      }
    }
    throw new HalException(
        Status.FAILED_PRECONDITION,
        bytes
            + " bytes of host memory at 0x"
            + Long.toHexString(address)
            + " cannot be page-locked: a part of them is already, by an import or a buffer");
  }

  private boolean overlaps(long address, long bytes) {
    Map.@Nullable Entry<Long, Long> before = ends.floorEntry(address);
    Long next = ends.higherKey(address);
    return (before != null && before.getValue() > address)
        || (next != null && next < address + bytes);
  }

  /** Removes a range, after it was given back, or has not been page-locked. */
  void remove(long address) {
    ends.remove(address);
  }

  /** Whether one range has all bytes from {@code first} to {@code last}. */
  boolean contains(long first, long last) {
    Map.@Nullable Entry<Long, Long> range = ends.floorEntry(first);
    return range != null && last < range.getValue();
  }
}
