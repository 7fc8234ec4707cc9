package org.jhal;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Allocates buffers immediately, without a queue. {@link DeviceQueue#alloca} allocates in the order
 * of a timeline instead.
 *
 * <p>Thread-safe.
 */
public interface Allocator {
  /** Whether this device can allocate with {@code params} at all. */
  boolean supports(BufferParams params);

  /**
   * Allocates a buffer. Its content is undefined.
   *
   * @param bytes the size, at least 0
   * @throws HalException OUT_OF_RANGE if {@code bytes} is negative; RESOURCE_EXHAUSTED if there is
   *     not enough memory or {@code bytes} exceeds {@link DeviceInfo#maxAllocationBytes}, and the
   *     device stays usable; UNIMPLEMENTED if the device does not support {@code params};
   *     FAILED_PRECONDITION if the device is closed; UNAVAILABLE if it is lost
   */
  DeviceBuffer allocate(long bytes, BufferParams params);

  /**
   * Makes a buffer over the caller's own memory, if the device offers {@link
   * Capability#HOST_IMPORT}. The buffer spans {@code memory} from its position to its limit and
   * starts with its content.
   *
   * @param memory a direct, writable byte buffer; the caller must not free it before {@code
   *     onRelease}
   * @param onRelease runs once, on any thread and under the rules for callbacks (rule S7), when the
   *     device has released the memory, which may be after the buffer's end; null if nobody needs
   *     to know
   * @throws HalException INVALID_ARGUMENT if {@code memory} is not direct or is read-only;
   *     UNIMPLEMENTED without the capability; FAILED_PRECONDITION if the device is closed;
   *     UNAVAILABLE if it is lost
   */
  DeviceBuffer importHost(ByteBuffer memory, BufferParams params, @Nullable Runnable onRelease);
}
