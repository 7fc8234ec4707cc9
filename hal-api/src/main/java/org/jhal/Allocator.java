// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Allocates buffers immediately, without a queue. To allocate in the order of a timeline, use
 * {@link DeviceQueue#alloca}.
 *
 * <p>Thread-safe.
 */
public interface Allocator {
  /** Returns whether this device can allocate with {@code params} at all. */
  boolean supports(BufferParams params);

  /**
   * Allocates a buffer. Its content is undefined.
   *
   * @param bytes the size in bytes, at least 0
   * @throws HalException OUT_OF_RANGE if {@code bytes} is negative; RESOURCE_EXHAUSTED if there is
   *     not enough memory or {@code bytes} exceeds {@link DeviceInfo#maxAllocationBytes} (the
   *     device stays usable); UNIMPLEMENTED if the device does not support {@code params};
   *     FAILED_PRECONDITION if the device is closed; UNAVAILABLE if it is lost
   */
  DeviceBuffer allocate(long bytes, BufferParams params);

  /**
   * Creates a buffer over the caller's own memory, if the device offers {@link
   * Capability#HOST_IMPORT}. The buffer spans {@code memory} from its position to its limit, and
   * starts with its content.
   *
   * @param memory a direct, writable byte buffer; the caller must not free its memory before {@code
   *     onRelease} is called
   * @param onRelease called once, on any thread and under the rules for callbacks (rule S7), when
   *     the device has released the memory, which may be after the buffer was closed; null for no
   *     callback
   * @throws HalException INVALID_ARGUMENT if {@code memory} is not direct or is read-only, or if
   *     the native runtime cannot take it, as may be with a mapped file; UNIMPLEMENTED without the
   *     capability; RESOURCE_EXHAUSTED if no more memory can be page-locked; FAILED_PRECONDITION if
   *     the device is closed, or if an open buffer has the memory and the runtime takes it once
   *     only; UNAVAILABLE if the device is lost
   */
  DeviceBuffer importHost(ByteBuffer memory, BufferParams params, @Nullable Runnable onRelease);

  /**
   * Creates a buffer over memory that the program has allocated itself: with the native runtime, if
   * the device offers {@link Capability#NATIVE_ACCESS}, or anywhere in the process, if it offers
   * {@link Capability#HOST_ADDRESSES}. There an address is not checked. The memory does not count
   * towards the setting {@code memory}.
   *
   * @param address the device's address of the first byte
   * @param bytes the size in bytes, at least 1. The caller must not free the memory before {@code
   *     onRelease} is called.
   * @param params of type {@link MemoryType#DEVICE}
   * @param onRelease called once, on any thread and under the rules for callbacks (rule S7), when
   *     no operation uses the memory any more; null for no callback
   * @throws HalException INVALID_ARGUMENT if the runtime detects that no allocation of this device
   *     contains the range, or for another type of memory; OUT_OF_RANGE if {@code bytes} is less
   *     than 1; UNIMPLEMENTED if the device has neither capability; FAILED_PRECONDITION if the
   *     device is closed; UNAVAILABLE if it is lost
   */
  DeviceBuffer importDevice(
      long address, long bytes, BufferParams params, @Nullable Runnable onRelease);

  /**
   * Creates a buffer of this device over the memory of another device's buffer, without a copy, if
   * this device {@linkplain Device#canAccess can access} the other one. Operations of this device
   * then read and write the other device's memory, in the order that semaphores define.
   *
   * <p>The result has the size and the usage of {@code buffer}, and cannot be mapped. The memory is
   * kept until both buffers are closed and no operation uses it. Closing the other device waits for
   * operations in flight that use its memory; operations that would be issued later fail with
   * FAILED_PRECONDITION through their signals (rule S9b).
   *
   * @param buffer a buffer of another device, or of this one, whose memory its device has
   *     allocated; a slice becomes a buffer of the slice's length
   * @throws HalException UNIMPLEMENTED, with the reason, if this device cannot access the other
   *     device or this memory; INVALID_ARGUMENT if {@code buffer} comes from {@link
   *     DeviceQueue#alloca}, or was not created by a device; FAILED_PRECONDITION if {@code buffer}
   *     or one of the devices is closed; UNAVAILABLE if this device is lost
   */
  DeviceBuffer importPeer(DeviceBuffer buffer);
}
