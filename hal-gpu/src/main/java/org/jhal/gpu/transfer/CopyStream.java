// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import org.jhal.HalException;
import org.jhal.driver.DeviceMemory;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a device as far as moving bytes and freeing memory depend on it: it copies between
 * staging memory and memory of the device, in order, and says how far it has come. The driver
 * implements it over whatever its runtime has: a stream and events, a queue with fences, or a
 * timeline.
 *
 * <p>A <em>mark</em> is the number of a place in the stream. The stream is past a mark when all
 * that was put into it before the mark was made is over. Later marks have larger numbers, or the
 * same one.
 *
 * <p>Failures are {@link HalException}s. Status UNAVAILABLE means that the device is lost, and that
 * nothing in the stream runs any more. After any other failure of a copy or a mark, a part of it
 * may be in the stream, so its memory is used again only behind {@link #synchronize}. If that fails
 * as well, the device counts as lost.
 *
 * <p>Threads: one at a time uses a stream, with the device bound; it is never a virtual one.
 */
public interface CopyStream {
  /**
   * Allocates memory of the host through which bytes go. The whole of it is mapped once, and what
   * the host wrote is {@linkplain org.jhal.driver.MappedRange#flush flushed} before an upload, what
   * it reads {@linkplain org.jhal.driver.MappedRange#invalidate invalidated} behind a readback. The
   * caller frees it, when no copy uses it and before the stream is closed; the stream of its copies
   * is this one.
   *
   * @param isPinned whether it is page-locked, so that copies are asynchronous. If not, it may be
   *     any memory that the copies take
   * @throws HalException RESOURCE_EXHAUSTED if there is not enough of it; the caller then makes do
   *     with less
   */
  DeviceMemory allocate(int bytes, boolean isPinned);

  /** Begins to copy from staging memory to memory of the device. Offsets and length in bytes. */
  void upload(DeviceMemory staging, long from, DeviceMemory target, long to, long bytes);

  /** Begins to copy from memory of the device to staging memory. Offsets and length in bytes. */
  void readback(DeviceMemory source, long from, DeviceMemory staging, long to, long bytes);

  /**
   * Makes a mark behind all that is in the stream, and returns its number. A driver that has its
   * own way to learn how far a stream has come, such as the events that the engine records behind
   * each operation, may return the number of the next of these, even before it is recorded.
   */
  long mark();

  /**
   * Whether the stream is past a mark; never blocks. A late answer is allowed, an early one not.
   */
  boolean isPast(long mark);

  /**
   * Creates an object that marks one place of the stream at a time, in which other threads see the
   * stream pass it. Null if there is none; then small readbacks are not copied in pieces.
   */
  default @Nullable Milestone milestone() {
    return null;
  }

  /** Waits until the stream is past a mark, better asleep than polling. May wait longer. */
  default void await(long mark) {
    synchronize();
  }

  /** Waits until all that is in the stream is over. */
  void synchronize();

  /** Ends the stream, which is idle unless the device is lost. Not called for one that is lent. */
  void close();

  /** A place in a stream. */
  interface Milestone {
    /**
     * Sets it behind all that is in the stream now. Called by a thread that uses the stream, once
     * the stream is past the place before.
     */
    void set();

    /**
     * Whether the stream is past the place where it was last set; never blocks. For any thread with
     * the device bound.
     */
    boolean isPassed();

    /** Releases it, when the stream is idle or lost. */
    void close();
  }
}
