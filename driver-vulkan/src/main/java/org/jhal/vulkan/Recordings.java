// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jhal.MemoryType;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;

/**
 * The command buffers of a stream, which are used again once the stream is past them.
 *
 * <p>Used by the thread that issues.
 */
final class Recordings {
  private record Used(Recording recording, long value) {}

  private final LogicalDevice device;
  private final Timeline timeline;
  private final long leastForKernel;
  private final long pool; // the VkCommandPool
  private final Recording.Blocks blocks = new Recording.Blocks();
  private final Deque<Used> used = new ArrayDeque<>(); // in stream order
  private final Deque<Recording> free = new ArrayDeque<>();
  private final List<Recording> all = new ArrayList<>();

  /**
   * No command buffers yet.
   *
   * @param leastForKernel as in {@link Recording}
   */
  Recordings(LogicalDevice device, Timeline timeline, long leastForKernel) {
    this.device = device;
    this.timeline = timeline;
    this.leastForKernel = leastForKernel;
    try (Structs structs = new Structs()) {
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, 0, 24)
              .int32(VulkanConstants.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT)
              .int32(device.physical().family().index());
      long[] made = new long[1];
      device.check(
          "createCommandPool",
          LogicalDevice.setup().createCommandPool(device.handle(), info.address(), 0, made));
      pool = made[0];
    }
  }

  /** A command buffer that has begun. */
  Recording begin() {
    Used oldest = used.peek();
    Recording recording = free.poll();
    if (recording == null && oldest != null && timeline.isOver(oldest.value)) {
      recording = used.remove().recording;
    }
    if (recording == null) {
      recording = make(VulkanConstants.VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    }
    recording.begin(); // which resets it
    return recording;
  }

  /** A command buffer for others to execute, which lives as long as the stream. */
  Recording makeKept() {
    return make(VulkanConstants.VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  }

  private Recording make(int level) {
    try (Structs structs = new Structs()) {
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, 0, 32)
              .int64(pool)
              .int32(level)
              .int32(1);
      long[] handle = new long[1];
      device.check(
          "allocateCommandBuffers",
          LogicalDevice.setup().allocateCommandBuffers(device.handle(), info.address(), handle));
      Recording made =
          new Recording(
              device,
              handle[0],
              blocks,
              new ScratchMemory(device.memory(MemoryType.HOST_UPLOAD)),
              leastForKernel);
      all.add(made);
      return made;
    }
  }

  /** Takes back a command buffer that was submitted with a value of the timeline. */
  void submitted(Recording recording, long value) {
    used.add(new Used(recording, value));
  }

  /** Takes back a command buffer that was not submitted. */
  void discard(Recording recording) {
    recording.reset();
    free.add(recording);
  }

  /** Frees all, when the stream is idle or lost. */
  void close() {
    LogicalDevice.setup().destroyCommandPool(device.handle(), pool, 0);
    all.forEach(Recording::close);
  }
}
