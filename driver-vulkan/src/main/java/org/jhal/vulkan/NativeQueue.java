// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.vulkan.jna.VulkanConstants;

/**
 * A VkQueue, to which one or several streams submit. Each operation ends with a barrier for all
 * that follows it in the queue, so work of one queue needs no semaphores among itself.
 *
 * <p>Thread-safe.
 */
class NativeQueue {
  // The block: VkSubmitInfo, VkTimelineSemaphoreSubmitInfo, one command buffer, the semaphore and
  // the value to signal; then the semaphores, the values and the stages of the waits.
  private static final int TIMELINE = 72;
  private static final int COMMANDS = TIMELINE + 48;
  private static final int SIGNAL = COMMANDS + 8;
  private static final int SIGNAL_VALUE = SIGNAL + 8;
  private static final int WAITS = SIGNAL_VALUE + 8;
  private static final int WAIT_BYTES = 8 + 8 + 4;
  private static final int USUAL_WAITS = 16;

  private final LogicalDevice device;
  private final long handle;

  private final AtomicInteger streams = new AtomicInteger();

  @GuardedBy("this")
  private NativeBlock block = new NativeBlock(WAITS + USUAL_WAITS * WAIT_BYTES);

  NativeQueue(LogicalDevice device, long handle) {
    this.device = device;
    this.handle = handle;
  }

  /** The VkQueue. */
  long handle() {
    return handle;
  }

  /** How many streams submit to it. */
  AtomicInteger streams() {
    return streams;
  }

  /** Whether several streams submit to it. */
  boolean isShared() {
    return streams.get() > 1;
  }

  /**
   * Submits work.
   *
   * @throws org.jhal.HalException if nothing of it was submitted; UNAVAILABLE if the device is lost
   */
  void submit(Work work) {
    List<Work.Point> waits = new ArrayList<>();
    for (Work.Point wait : work.waits()) {
      if (wait.queue() != this && !wait.isPast()) {
        waits.add(wait);
      }
    }
    synchronized (this) {
      write(work, waits);
      device.check("queueSubmit", device.calls().queueSubmit(handle, 1, block.address(0), 0));
    }
  }

  @GuardedBy("this")
  private void write(Work work, List<Work.Point> waits) {
    int count = waits.size();
    if (WAITS + count * WAIT_BYTES > block.bytes().capacity()) {
      block = new NativeBlock(WAITS + 2 * count * WAIT_BYTES);
    }
    ByteBuffer bytes = block.bytes();
    int values = WAITS + count * Long.BYTES;
    int stages = values + count * Long.BYTES;
    for (int i = 0; i < count; i++) {
      Work.Point wait = waits.get(i);
      bytes.putLong(WAITS + i * Long.BYTES, wait.timeline().handle());
      bytes.putLong(values + i * Long.BYTES, wait.value());
      bytes.putInt(stages + i * Integer.BYTES, VulkanConstants.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    }
    bytes.putLong(COMMANDS, work.commands());
    bytes.putLong(SIGNAL, work.signal().timeline().handle());
    bytes.putLong(SIGNAL_VALUE, work.signal().value());
    bytes
        .putInt(0, VulkanConstants.VK_STRUCTURE_TYPE_SUBMIT_INFO)
        .putLong(8, block.address(TIMELINE))
        .putInt(16, count)
        .putLong(24, block.address(WAITS))
        .putLong(32, block.address(stages))
        .putInt(40, work.commands() == 0 ? 0 : 1)
        .putLong(48, block.address(COMMANDS))
        .putInt(56, 1)
        .putLong(64, block.address(SIGNAL));
    bytes
        .putInt(TIMELINE, VulkanConstants.VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
        .putInt(TIMELINE + 16, count)
        .putLong(TIMELINE + 24, block.address(values))
        .putInt(TIMELINE + 32, 1)
        .putLong(TIMELINE + 40, block.address(SIGNAL_VALUE));
  }
}
