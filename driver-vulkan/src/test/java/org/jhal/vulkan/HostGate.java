// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;

/** A VkEvent at which commands wait until the host opens it. */
final class HostGate implements AutoCloseable {
  private static final int EVENT_CREATE_INFO = 10; // VK_STRUCTURE_TYPE_EVENT_CREATE_INFO

  private final LogicalDevice device;
  private final NativeBlock event = new NativeBlock(Long.BYTES);

  HostGate(LogicalDevice device) {
    this.device = device;
    try (Structs structs = new Structs()) {
      Structs.Struct info = structs.typed(EVENT_CREATE_INFO, 0, 24);
      device.check(
          "createEvent",
          function("vkCreateEvent")
              .invokeInt(new Object[] {device.handle(), info.address(), 0L, event.address(0)}));
    }
  }

  private Function function(String name) {
    return Function.getFunction(
        new Pointer(LogicalDevice.setup().getDeviceProcAddr(device.handle(), name)));
  }

  private long handle() {
    ByteBuffer bytes = event.bytes();
    return bytes.getLong(0);
  }

  /** What is recorded from here on waits. */
  void record(Recording recording) {
    function("vkCmdWaitEvents")
        .invokeVoid(
            new Object[] {
              recording.handle(),
              1,
              event.address(0),
              VulkanConstants.VK_PIPELINE_STAGE_HOST_BIT,
              VulkanConstants.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
              0,
              0L,
              0,
              0L,
              0,
              0L
            });
  }

  /** Lets them go on. */
  void open() {
    device.check(
        "setEvent", function("vkSetEvent").invokeInt(new Object[] {device.handle(), handle()}));
  }

  /** Destroys it, when nothing waits at it. */
  @Override
  public void close() {
    device
        .disposals()
        .add(
            () ->
                function("vkDestroyEvent")
                    .invokeVoid(new Object[] {device.handle(), handle(), 0L}));
  }
}
