package org.jhal;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes buffers at once, without a queue. For memory in the order of a timeline see {@link
 * DeviceQueue#alloca}.
 *
 * <p>Thread-safe.
 */
public interface Allocator {
  /** Whether this device can allocate with {@code params} at all. */
  boolean supports(BufferParams params);

  /**
   * A new buffer. Its bytes are not defined.
   *
   * @param bytes the size, at least 0
   * @throws HalException OUT_OF_RANGE if {@code bytes} is negative; RESOURCE_EXHAUSTED if there is
   *     not enough memory, or the device has no buffers as large ({@link
   *     DeviceInfo#maxAllocationBytes}), and nothing is lost; UNIMPLEMENTED if the device does not
   *     support {@code params}; FAILED_PRECONDITION if the device is closed; UNAVAILABLE if it is
   *     lost
   */
  DeviceBuffer allocate(long bytes, BufferParams params);

  /**
   * A buffer over the caller's own memory, where the device offers {@link Capability#HOST_IMPORT}.
   * The range is from the position to the limit of {@code memory}, whose content becomes the
   * buffer's.
   *
   * @param memory a direct, writable byte buffer; the caller must not free it before {@code
   *     onRelease}
   * @param onRelease runs once, as a callback (rule S7), when the device has used the memory for
   *     the last time and has let go of it, which may be later than the buffer's end; on any thread
   * @throws HalException INVALID_ARGUMENT if {@code memory} is not direct or is read-only;
   *     UNIMPLEMENTED without the capability; FAILED_PRECONDITION if the device is closed;
   *     UNAVAILABLE if it is lost
   */
  DeviceBuffer importHost(ByteBuffer memory, BufferParams params, @Nullable Runnable onRelease);
}
