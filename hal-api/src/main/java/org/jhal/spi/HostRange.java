// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.nio.ByteBuffer;

/**
 * The host memory of a {@link org.jhal.HostMemory} that is neither an array nor a buffer.
 *
 * <p>Several threads may call the methods at the same time, each for other bytes.
 */
public interface HostRange {
  /** Returns the size in bytes, which may exceed 2^31 - 1. It must not exceed the actual memory. */
  long size();

  /** Returns whether a readback may write to the memory. */
  boolean isWritable();

  /** Returns whether the memory is on the heap, where no device can access it. */
  boolean isOnHeap();

  /**
   * Returns the native address of the first byte, or 0 if the memory is on the heap or the address
   * is not known. If the memory is pinned, a device may access it there, without the methods below.
   */
  long address();

  /**
   * Copies bytes out of the range.
   *
   * @param offset where to start, in bytes; the caller has checked that the range is long enough
   * @param target receives as many bytes as it has remaining; its position must not change
   */
  void read(long offset, ByteBuffer target);

  /**
   * Copies bytes into the range.
   *
   * @param offset where to start, in bytes; the caller has checked that the range is long enough
   * @param source supplies its remaining bytes; its position must not change
   */
  void write(long offset, ByteBuffer source);
}
