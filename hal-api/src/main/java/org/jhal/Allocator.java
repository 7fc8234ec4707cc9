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

  /**
   * Makes a buffer over memory of the device that the program has allocated with the native
   * runtime, if the device offers {@link Capability#NATIVE_ACCESS}. The setting {@code memory} does
   * not count it.
   *
   * @param address the device's address of the first byte
   * @param bytes the size, at least 1. The caller must not free the memory before {@code
   *     onRelease}.
   * @param params of type {@link MemoryType#DEVICE}
   * @param onRelease runs once, on any thread and under the rules for callbacks (rule S7), when no
   *     operation uses the memory any more; null if nobody needs to know
   * @throws HalException INVALID_ARGUMENT if the runtime knows no allocation of this device that
   *     holds the range, as far as it can tell, or for another type of memory; OUT_OF_RANGE if
   *     {@code bytes} is less than 1; UNIMPLEMENTED without the capability; FAILED_PRECONDITION if
   *     the device is closed; UNAVAILABLE if it is lost
   */
  DeviceBuffer importDevice(
      long address, long bytes, BufferParams params, @Nullable Runnable onRelease);

  /**
   * Makes a buffer of this device over the memory of a buffer of another one, without a copy, if
   * this device {@linkplain Device#canAccess can access} that one. Operations of this device then
   * read and write the other device's memory, in the order that semaphores give.
   *
   * <p>The result has the size and the usage of {@code buffer}, and is a view that cannot be
   * mapped. It keeps the memory until it is closed itself. Closing the other device waits for
   * operations in flight that use it; those that are issued later fail with FAILED_PRECONDITION.
   *
   * @param buffer of another device, or of this one, whose memory was allocated by its device; a
   *     slice becomes a buffer of its length
   * @throws HalException UNIMPLEMENTED if this device cannot access the other one, or not this
   *     memory, with the reason; INVALID_ARGUMENT if {@code buffer} was made by {@link
   *     DeviceQueue#alloca}, or by something else than a device; FAILED_PRECONDITION if {@code
   *     buffer} or a device is closed; UNAVAILABLE if this device is lost
   */
  DeviceBuffer importPeer(DeviceBuffer buffer);
}
