// SPDX-License-Identifier: Apache-2.0
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
  /** What a range ends before, and the device that has page-locked it. */
  private record Range(long end, Object owner) {}

  /** By the first address. Ranges do not overlap. */
  private final ConcurrentSkipListMap<Long, Range> ranges = new ConcurrentSkipListMap<>();

  /** An empty record. */
  public PinnedRanges() {}

  /**
   * Adds a range, before it is page-locked.
   *
   * @throws HalException FAILED_PRECONDITION if a part of it is already page-locked
   */
  public void add(Object owner, long address, long bytes) {
    synchronized (this) { // makes check and addition one step
      if (!overlaps(address, bytes)) {
        ranges.put(address, new Range(address + bytes, owner));
        return;
      }
    }
    throw new HalException(
        Status.FAILED_PRECONDITION,
        ("%s bytes of host memory at 0x%x cannot be page-locked: a part of them is already, by an"
                + " import or a buffer")
            .formatted(bytes, address));
  }

  private boolean overlaps(long address, long bytes) {
    Map.@Nullable Entry<Long, Range> before = ranges.floorEntry(address);
    Long next = ranges.higherKey(address);
    return (before != null && before.getValue().end > address)
        || (next != null && next < address + bytes);
  }

  /**
   * Removes a range that was released, or that could not be page-locked, unless another owner has
   * added one there meanwhile.
   */
  public void remove(Object owner, long address) {
    ranges.computeIfPresent(address, (key, range) -> range.owner == owner ? null : range);
  }

  /** Removes all ranges of an owner. */
  public void removeAll(Object owner) {
    ranges.values().removeIf(range -> range.owner == owner);
  }

  /** Whether a single range contains all bytes from {@code first} to {@code last}, inclusive. */
  public boolean contains(long first, long last) {
    Map.@Nullable Entry<Long, Range> range = ranges.floorEntry(first);
    return range != null && last < range.getValue().end;
  }
}
