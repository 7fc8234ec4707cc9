package org.jhal;

import java.nio.ByteBuffer;

/**
 * Bytes that a device can work on, or a slice of them.
 *
 * <p>Life cycle: a buffer from {@link Allocator#allocate} exists until it is closed; a buffer from
 * {@link DeviceQueue#alloca} has memory from its alloca's signal on until a {@link
 * DeviceQueue#dealloca} or until it is closed. Closing is allowed while operations use it: the
 * memory goes when the last of them has retired. A buffer that nobody closes is reported and
 * reclaimed once it is unreachable (rule M7).
 *
 * <p>Contract: rules M1, M2, M7.
 *
 * <p>Thread-safe; the bytes are not: only timelines order who reads and writes them.
 */
public non-sealed interface DeviceBuffer extends BufferRef, AutoCloseable {
  /** The device that this buffer belongs to. */
  Device device();

  /** How many bytes it has; 0 is possible. */
  long size();

  /** How it was made; a slice has those of its buffer. */
  BufferParams params();

  /**
   * A view of {@code length} bytes from {@code offset} on. It shares memory and life with this
   * buffer: closing the slice does nothing, closing the buffer closes it.
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
   * Makes {@code length} bytes from {@code offset} on reachable for the host.
   *
   * @throws HalException PERMISSION_DENIED if the usage does not include what {@code mode} asks
   *     for; OUT_OF_RANGE if the range does not fit or {@code length} is more than {@link
   *     Integer#MAX_VALUE}; FAILED_PRECONDITION if the buffer is closed or has no memory yet
   */
  Mapping map(long offset, long length, MapMode mode);

  /** Gives the buffer up. Twice is harmless. Its memory goes when no operation uses it any more. */
  @Override
  void close();

  /** What the host wants to do with a mapping. */
  enum MapMode {
    /** Read only; wants {@link BufferUsage#MAP_READ}. */
    READ,
    /** Write what is there; wants {@link BufferUsage#MAP_WRITE}. */
    WRITE,
    /** Write all of it; what was there before may be lost. Wants {@link BufferUsage#MAP_WRITE}. */
    DISCARD_WRITE,
    /** Both; wants both. */
    READ_WRITE
  }

  /**
   * A range of a buffer that the host reaches. Host accesses must be ordered against the device's
   * by timelines, as any other access.
   */
  interface Mapping extends AutoCloseable {
    /** The buffer that is mapped. */
    DeviceBuffer buffer();

    /**
     * The bytes, in native byte order, from position 0 to the mapped length; read-only for {@link
     * MapMode#READ}. The view stays safe to touch for ever, but after {@link #close()} or the
     * buffer's end it shows no defined bytes.
     */
    ByteBuffer bytes();

    /**
     * Makes what the host wrote visible to the device and to other mappings. {@link #close()} does
     * so too. Nothing happens if the device is closed.
     *
     * @throws HalException UNAVAILABLE if the device is lost; what the driver reports
     */
    void flush();

    /**
     * Makes what the device wrote visible to the host.
     *
     * @throws HalException UNAVAILABLE if the device is lost, FAILED_PRECONDITION if it is closed;
     *     what the driver reports
     */
    void invalidate();

    /**
     * Ends the mapping, flushing it first unless the device is lost. Twice is harmless.
     *
     * @throws HalException what {@link #flush()} throws; the mapping has ended all the same
     */
    @Override
    void close();
  }
}
