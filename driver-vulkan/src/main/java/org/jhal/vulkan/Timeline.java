// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.concurrent.TimeUnit;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;

/**
 * A timeline semaphore: the values that one stream signals, one after the other. It is used again
 * for another stream once its stream is closed, as submissions of others may still name it.
 *
 * <p>Thread-safe, except {@link #next}.
 */
final class Timeline {
  /** How long one wait in the runtime takes at most: how soon the loss of the device is seen. */
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final LogicalDevice device;
  private final long handle;

  private long last; // the value given out last; used by the thread that submits
  private volatile long reached; // a value that the semaphore is known to have reached

  Timeline(LogicalDevice device, long handle) {
    this.device = device;
    this.handle = handle;
  }

  /** The VkSemaphore. */
  long handle() {
    return handle;
  }

  /** The value given out last. */
  long last() {
    return last;
  }

  /** Gives out the next value, which the next submission signals. */
  long next() {
    return ++last;
  }

  /** Takes back the value given out last, as its submission has failed. */
  void takeBack() {
    last--;
  }

  /**
   * Whether a value was reached; never blocks.
   *
   * @throws org.jhal.HalException UNAVAILABLE if it was not, and the device is lost
   */
  boolean isPast(long value) {
    if (value <= reached) {
      return true;
    }
    long[] counter = new long[1];
    device.check(
        "getSemaphoreCounterValue",
        device.calls().getSemaphoreCounterValue(device.handle(), handle, counter));
    long now = counter[0];
    if (now > reached) {
      reached = now; // a smaller one of another thread may follow, which is as true
    }
    if (now < value) {
      device.checkAlive();
    }
    return now >= value;
  }

  /**
   * Waits until a value is reached, even if the thread is interrupted.
   *
   * @throws org.jhal.HalException UNAVAILABLE if the device is lost before
   */
  void await(long value) {
    while (!await(value, WAIT_NANOS)) {
      device.checkAlive();
    }
  }

  /** Likewise, for at most {@code nanos}; returns whether it was reached. */
  boolean await(long value, long nanos) {
    if (isPast(value)) {
      return true;
    }
    try (Structs structs = new Structs(128)) {
      Structs.Struct semaphores = structs.zeros(Long.BYTES).int64(handle);
      Structs.Struct values = structs.zeros(Long.BYTES).int64(value);
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, 0, 40)
              .int32(0)
              .int32(1)
              .int64(semaphores.address())
              .int64(values.address());
      int code = device.calls().waitSemaphores(device.handle(), info.address(), nanos);
      if (code == VulkanConstants.VK_TIMEOUT) {
        return false;
      }
      device.check("waitSemaphores", code);
      return true;
    }
  }
}
