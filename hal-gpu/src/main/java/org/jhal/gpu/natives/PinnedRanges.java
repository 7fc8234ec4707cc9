package org.jhal.gpu.natives;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of host memory that a driver has page-locked in this process. Recorded because not all
 * native runtimes refuse memory that is already page-locked, and some cannot be asked about an
 * unknown address.
 *
 * <p>Thread-safe.
 */
public final class PinnedRanges {
  /** From the first address of each range to the one behind its end. Ranges do not overlap. */
  private final ConcurrentSkipListMap<Long, Long> ends = new ConcurrentSkipListMap<>();

  /** An empty record. */
  public PinnedRanges() {}

  /**
   * Adds a range, before it is page-locked.
   *
   * @throws HalException FAILED_PRECONDITION if a part of it is already page-locked
   */
  public void add(long address, long bytes) {
    synchronized (this) { // makes check and addition one step
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

  /** Removes a range that was released, or that could not be page-locked. */
  public void remove(long address) {
    ends.remove(address);
  }

  /** Whether a single range contains all bytes from {@code first} to {@code last}, inclusive. */
  public boolean contains(long first, long last) {
    Map.@Nullable Entry<Long, Long> range = ends.floorEntry(first);
    return range != null && last < range.getValue();
  }
}
