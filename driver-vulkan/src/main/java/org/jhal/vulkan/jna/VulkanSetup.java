// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan.jna;

import com.sun.jna.Library;

/** The loader's other functions. */
public interface VulkanSetup extends Library {
  int enumerateInstanceVersion(int[] version);

  int enumerateInstanceLayerProperties(int[] count, long properties);

  int createInstance(long info, long allocator, long[] instance);

  long getInstanceProcAddr(long instance, String name);

  long getDeviceProcAddr(long device, String name);

  int enumeratePhysicalDevices(long instance, int[] count, long devices);

  void getPhysicalDeviceProperties2(long device, long properties);

  void getPhysicalDeviceFeatures2(long device, long features);

  void getPhysicalDeviceMemoryProperties(long device, long properties);

  void getPhysicalDeviceQueueFamilyProperties(long device, int[] count, long properties);

  int enumerateDeviceExtensionProperties(long device, long layer, int[] count, long properties);

  int createDevice(long physical, long info, long allocator, long[] device);

  void destroyDevice(long device, long allocator);

  void getDeviceQueue(long device, int family, int index, long[] queue);

  int createSemaphore(long device, long info, long allocator, long[] semaphore);

  void destroySemaphore(long device, long semaphore, long allocator);

  int createQueryPool(long device, long info, long allocator, long[] pool);

  void destroyQueryPool(long device, long pool, long allocator);

  int createCommandPool(long device, long info, long allocator, long[] pool);

  void destroyCommandPool(long device, long pool, long allocator);

  int allocateCommandBuffers(long device, long info, long[] buffers);

  int allocateMemory(long device, long info, long allocator, long[] memory);

  void freeMemory(long device, long memory, long allocator);

  int mapMemory(long device, long memory, long offset, long size, int flags, long[] address);

  int createBuffer(long device, long info, long allocator, long[] buffer);

  void destroyBuffer(long device, long buffer, long allocator);

  void getBufferMemoryRequirements(long device, long buffer, long requirements);

  int bindBufferMemory(long device, long buffer, long memory, long offset);

  long getBufferDeviceAddress(long device, long info);

  int createShaderModule(long device, long info, long allocator, long[] module);

  void destroyShaderModule(long device, long module, long allocator);

  int createPipelineLayout(long device, long info, long allocator, long[] layout);

  void destroyPipelineLayout(long device, long layout, long allocator);

  int createComputePipelines(
      long device, long cache, int count, long infos, long allocator, long[] pipelines);

  void destroyPipeline(long device, long pipeline, long allocator);
}
