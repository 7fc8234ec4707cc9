// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.natives.Undo;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;
import org.jhal.vulkan.jna.VulkanSetup;
import org.jspecify.annotations.Nullable;

/**
 * A VkBuffer over memory of its own, with an address.
 *
 * @param size in bytes
 * @param handle the VkBuffer
 * @param memory the VkDeviceMemory
 * @param address that of the first byte for kernels
 * @param hostAddress that of the first byte for the host; 0 if the host does not see it
 */
record NativeBuffer(
    LogicalDevice device, long size, long handle, long memory, long address, long hostAddress) {
  private static final int USAGE =
      VulkanConstants.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
          | VulkanConstants.VK_BUFFER_USAGE_TRANSFER_DST_BIT
          | VulkanConstants.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
          | VulkanConstants.VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT
          | VulkanConstants.VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  private static final int HOST_ALLOCATION =
      VulkanConstants.VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

  /**
   * Allocates memory.
   *
   * @throws HalException RESOURCE_EXHAUSTED if there is not enough
   */
  static NativeBuffer allocate(LogicalDevice device, long size, int typeIndex, boolean isMapped) {
    try (Structs structs = new Structs()) {
      NativeBuffer made =
          make(device, structs, size, typeIndex, 0, 0, "cannot allocate " + size + " bytes");
      return isMapped ? Undo.onFailure(made::mapped, made::free) : made;
    }
  }

  /**
   * Makes whole pages of the host's memory a buffer.
   *
   * @throws HalException INVALID_ARGUMENT if the runtime cannot take this memory
   */
  static NativeBuffer importHost(LogicalDevice device, long hostAddress, long size) {
    try (Structs structs = new Structs()) {
      int typeIndex = typeOf(device, structs, hostAddress);
      Structs.Struct pages =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, 0, 32)
              .int32(HOST_ALLOCATION)
              .int64(hostAddress);
      Structs.Struct external =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, 0, 24)
              .int32(HOST_ALLOCATION);
      NativeBuffer made =
          make(
              device,
              structs,
              size,
              typeIndex,
              external.address(),
              pages.address(),
              "cannot import " + size + " bytes of host memory");
      return new NativeBuffer(device, size, made.handle, made.memory, made.address, hostAddress);
    }
  }

  private static int typeOf(LogicalDevice device, Structs structs, long hostAddress) {
    String name = "vkGetMemoryHostPointerPropertiesEXT";
    Function function =
        Function.getFunction(
            new Pointer(LogicalDevice.setup().getDeviceProcAddr(device.handle(), name)));
    Structs.Struct types =
        structs.typed(VulkanConstants.VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT, 0, 24);
    device.check(
        "getMemoryHostPointerPropertiesEXT",
        function.invokeInt(
            new Object[] {device.handle(), HOST_ALLOCATION, hostAddress, types.address()}));
    int index = device.physical().memory().firstCoherent(types.int32At(16));
    if (index == MemoryTypes.NONE) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "the device does not take memory of the host at this address");
    }
    return index;
  }

  private static NativeBuffer make(
      LogicalDevice device,
      Structs structs,
      long size,
      int typeIndex,
      long bufferChain,
      long memoryChain,
      String what) {
    VulkanSetup setup = LogicalDevice.setup();
    Structs.Struct info =
        structs
            .typed(VulkanConstants.VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, bufferChain, 56)
            .int32(0)
            .int64(size)
            .int32(USAGE)
            .int32(0);
    long[] buffer = new long[1];
    int code = setup.createBuffer(device.handle(), info.address(), 0, buffer);
    if (code != VulkanConstants.VK_SUCCESS) {
      throw device.failure("createBuffer", code, what);
    }
    return Undo.onFailure(
        () -> withMemory(device, structs, size, typeIndex, buffer[0], memoryChain, what),
        () -> setup.destroyBuffer(device.handle(), buffer[0], 0));
  }

  private static NativeBuffer withMemory(
      LogicalDevice device,
      Structs structs,
      long size,
      int typeIndex,
      long buffer,
      long chain,
      String what) {
    VulkanSetup setup = LogicalDevice.setup();
    Structs.Struct needs = structs.zeros(24);
    setup.getBufferMemoryRequirements(device.handle(), buffer, needs.address());
    Structs.Struct flags =
        structs
            .typed(VulkanConstants.VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, chain, 24)
            .int32(VulkanConstants.VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT);
    Structs.Struct info =
        structs
            .typed(VulkanConstants.VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, flags.address(), 32)
            .int64(chain == 0 ? needs.int64At(0) : size)
            .int32(typeIndex);
    long[] memory = new long[1];
    int code = setup.allocateMemory(device.handle(), info.address(), 0, memory);
    if (code != VulkanConstants.VK_SUCCESS) {
      throw device.failure("allocateMemory", code, what);
    }
    return Undo.onFailure(
        () -> {
          device.check(
              "bindBufferMemory", setup.bindBufferMemory(device.handle(), buffer, memory[0], 0));
          Structs.Struct of =
              structs
                  .typed(VulkanConstants.VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, 0, 24)
                  .int64(buffer);
          long address = setup.getBufferDeviceAddress(device.handle(), of.address());
          return new NativeBuffer(device, size, buffer, memory[0], address, 0);
        },
        () -> setup.freeMemory(device.handle(), memory[0], 0));
  }

  private NativeBuffer mapped() {
    long[] host = new long[1];
    device.check(
        "mapMemory",
        LogicalDevice.setup()
            .mapMemory(device.handle(), memory, 0, VulkanConstants.VK_WHOLE_SIZE, 0, host));
    return new NativeBuffer(device, size, handle, memory, address, host[0]);
  }

  /** Frees it, when no operation uses it. */
  void free() {
    free(null);
  }

  /** Likewise; until then {@code kept} stays reachable. */
  void free(@Nullable Object kept) {
    VulkanSetup setup = LogicalDevice.setup();
    device
        .disposals()
        .add(
            () -> {
              setup.destroyBuffer(device.handle(), handle, 0);
              setup.freeMemory(device.handle(), memory, 0);
              Reference.reachabilityFence(kept);
            });
  }
}
