package org.jhal.spi;

import java.nio.ByteBuffer;

/**
 * Memory of the host behind a {@link org.jhal.HostMemory}, for memory that is neither an array nor
 * a buffer.
 *
 * <p>Its methods are called by several threads, each for other bytes.
 */
public interface HostRange {
  /** The size in bytes; at most what the memory has, and more than 2^31 - 1 if need be. */
  long size();

  /** Whether a readback may write to it. */
  boolean isWritable();

  /** Whether it is on the heap, where no device can access it. */
  boolean isOnHeap();

  /**
   * The native address of its first byte, or 0 if it is on the heap or the address is not known. A
   * device may access the range there, without the methods below, if it is page-locked.
   */
  long address();

  /**
   * Copies bytes out of the range.
   *
   * @param offset where to start, in bytes; the caller has checked that the range is long enough
   * @param target takes its remaining bytes, and keeps its position
   */
  void read(long offset, ByteBuffer target);

  /**
   * Copies bytes into the range.
   *
   * @param offset where to start, in bytes; the caller has checked that the range is long enough
   * @param source gives its remaining bytes, and keeps its position
   */
  void write(long offset, ByteBuffer source);
}
