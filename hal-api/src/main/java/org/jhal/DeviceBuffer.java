// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.nio.ByteBuffer;

/**
 * Bytes that a device can work on, or a slice of them.
 *
 * <p>Life cycle: a buffer from {@link Allocator#allocate} exists until it is closed. A buffer from
 * {@link DeviceQueue#alloca} has memory from its alloca's signal on, until a {@link
 * DeviceQueue#dealloca} or until it is closed. A buffer may be closed while operations use it: its
 * memory is freed when the last of them has retired. A buffer that is never closed is reported and
 * reclaimed once it is unreachable (rule M7).
 *
 * <p>Contract: rules M1, M2, M7.
 *
 * <p>The methods are thread-safe. Access to the bytes is not: only timelines order reads and
 * writes.
 */
public non-sealed interface DeviceBuffer extends BufferRef, AutoCloseable {
  /** Returns the device that this buffer belongs to. */
  Device device();

  /** Returns the size in bytes, which may be 0. */
  long size();

  /** Returns the parameters that the buffer was created with; a slice has those of its buffer. */
  BufferParams params();

  /**
   * Returns a view of {@code length} bytes from {@code offset} on. The slice shares this buffer's
   * memory: closing the slice does nothing, and closing the buffer closes the slice.
   *
   * @param offset where the slice starts, in bytes from the start of this buffer
   * @param length in bytes, at least 0
   * @throws HalException OUT_OF_RANGE if the range does not fit; FAILED_PRECONDITION if this buffer
   *     is closed
   */
  DeviceBuffer slice(long offset, long length);

  /**
   * Gives the memory of this buffer a name, for people: messages, reports of {@code
   * validate=hazards} and recordings have it. Slices have the name of their buffer. The last name
   * that was given counts.
   *
   * @param name at most 100 characters, none of them a control character, and not only spaces
   * @return this buffer
   * @throws HalException INVALID_ARGUMENT for any other name
   */
  DeviceBuffer named(String name);

  /** Maps the whole buffer; see {@link #map(long, long, MapMode)}. */
  default Mapping map(MapMode mode) {
    return map(0, size(), mode);
  }

  /**
   * Maps {@code length} bytes from {@code offset} on into the host's address space.
   *
   * @throws HalException PERMISSION_DENIED if the usage does not include what {@code mode} needs;
   *     OUT_OF_RANGE if the range does not fit or {@code length} is more than {@link
   *     Integer#MAX_VALUE}; FAILED_PRECONDITION if the buffer or the device is closed, or if the
   *     buffer has no memory because its alloca has not been issued yet or its dealloca has;
   *     UNAVAILABLE if the device is lost
   */
  Mapping map(long offset, long length, MapMode mode);

  /**
   * Closes the buffer. Its memory is freed when no operation uses it any more. Closing twice is
   * harmless.
   */
  @Override
  void close();

  /** How the host uses a mapping. */
  enum MapMode {
    /** Only reads; needs {@link BufferUsage#MAP_READ}. */
    READ,
    /** Writes parts, and keeps the rest; needs {@link BufferUsage#MAP_WRITE}. */
    WRITE,
    /** Writes everything; the previous content may be lost. Needs {@link BufferUsage#MAP_WRITE}. */
    DISCARD_WRITE,
    /** Reads and writes; needs both usages. */
    READ_WRITE
  }

  /**
   * A range of a buffer that the host can access. Like any other access, the host's accesses must
   * be ordered against the device's by timelines.
   *
   * <p>A mapping keeps the buffer's memory until the mapping is closed. A mapping that becomes
   * unreachable without being closed is closed and reported in the log (rule M7), even if its view
   * is still in use.
   */
  interface Mapping extends AutoCloseable {
    /** Returns the buffer that is mapped. */
    DeviceBuffer buffer();

    /**
     * Returns the bytes, in native byte order, from position 0 to the mapped length; read-only for
     * {@link MapMode#READ}. The view may be accessed forever, but its content is undefined after
     * {@link #close()} or after the end of the buffer.
     */
    ByteBuffer bytes();

    /**
     * Makes the host's writes visible to the device and to other mappings, as {@link #close()} also
     * does. Does nothing for {@link MapMode#READ} or if the device is closed.
     *
     * @throws HalException UNAVAILABLE if the device is lost; any failure that the driver reports
     */
    void flush();

    /**
     * Makes the device's writes visible to the host.
     *
     * @throws HalException UNAVAILABLE if the device is lost; FAILED_PRECONDITION if it is closed;
     *     any failure that the driver reports
     */
    void invalidate();

    /**
     * Ends the mapping, and flushes it first unless the device is lost. Closing twice is harmless.
     *
     * @throws HalException as {@link #flush()}; the mapping has ended nevertheless
     */
    @Override
    void close();
  }
}
