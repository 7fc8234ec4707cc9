package org.jhal;

import java.nio.ByteBuffer;

/**
 * Bytes that a device can work on, or a slice of them.
 *
 * <p>Life cycle: a buffer from {@link Allocator#allocate} exists until it is closed; a buffer from
 * {@link DeviceQueue#alloca} has memory from its alloca's signal on until a {@link
 * DeviceQueue#dealloca} or until it is closed. Closing is allowed while operations use the buffer:
 * its memory is freed when the last of them has retired. A buffer that nobody closes is reported
 * and reclaimed once it is unreachable (rule M7).
 *
 * <p>Contract: rules M1, M2, M7.
 *
 * <p>The methods are thread-safe. Access to the bytes is not: only timelines order reads and
 * writes.
 */
public non-sealed interface DeviceBuffer extends BufferRef, AutoCloseable {
  /** The device that this buffer belongs to. */
  Device device();

  /** The size in bytes; may be 0. */
  long size();

  /** The parameters that it was made with; a slice has those of its buffer. */
  BufferParams params();

  /**
   * A view of {@code length} bytes from {@code offset} on. It shares this buffer's memory: closing
   * the slice does nothing, closing the buffer closes the slice.
   *
   * @throws HalException OUT_OF_RANGE if the range does not fit; FAILED_PRECONDITION if this buffer
   *     is closed
   */
  DeviceBuffer slice(long offset, long length);

  /** Maps all of it; see {@link #map(long, long, MapMode)}. */
  default Mapping map(MapMode mode) {
    return map(0, size(), mode);
  }

  /**
   * Maps {@code length} bytes from {@code offset} on into the host's address space.
   *
   * @throws HalException PERMISSION_DENIED if the usage does not include what {@code mode} asks
   *     for; OUT_OF_RANGE if the range does not fit or {@code length} is more than {@link
   *     Integer#MAX_VALUE}; FAILED_PRECONDITION if the buffer is closed, or has no memory because
   *     its alloca has not happened yet or its dealloca has
   */
  Mapping map(long offset, long length, MapMode mode);

  /**
   * Closes the buffer. Its memory is freed when no operation uses it any more. Closing twice is
   * harmless.
   */
  @Override
  void close();

  /** What the host wants to do with a mapping. */
  enum MapMode {
    /** Only read; needs {@link BufferUsage#MAP_READ}. */
    READ,
    /** Write parts, and keep the rest; needs {@link BufferUsage#MAP_WRITE}. */
    WRITE,
    /** Write all of it; the previous content may be lost. Needs {@link BufferUsage#MAP_WRITE}. */
    DISCARD_WRITE,
    /** Read and write; needs both usages. */
    READ_WRITE
  }

  /**
   * A range of a buffer that the host can access. Timelines must order the host's accesses against
   * the device's, as any other access.
   *
   * <p>It keeps the buffer's memory until it is closed. One that became unreachable without that is
   * closed and reported in the log (rule M7), also if its view is still in use.
   */
  interface Mapping extends AutoCloseable {
    /** The buffer that is mapped. */
    DeviceBuffer buffer();

    /**
     * The bytes, in native byte order, from position 0 to the mapped length; read-only for {@link
     * MapMode#READ}. The view stays safe to access for ever, but after {@link #close()} or the
     * buffer's end its content is undefined.
     */
    ByteBuffer bytes();

    /**
     * Makes what the host wrote visible to the device and to other mappings. {@link #close()} does
     * so too. Does nothing if the device is closed.
     *
     * @throws HalException UNAVAILABLE if the device is lost; any failure that the driver reports
     */
    void flush();

    /**
     * Makes what the device wrote visible to the host.
     *
     * @throws HalException UNAVAILABLE if the device is lost; FAILED_PRECONDITION if it is closed;
     *     any failure that the driver reports
     */
    void invalidate();

    /**
     * Ends the mapping, flushing it first unless the device is lost. Closing twice is harmless.
     *
     * @throws HalException what {@link #flush()} throws; the mapping has ended nevertheless
     */
    @Override
    void close();
  }
}
