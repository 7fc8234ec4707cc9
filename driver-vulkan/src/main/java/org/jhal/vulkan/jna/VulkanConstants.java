// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan.jna;

/** Enumerators and macros of {@code vulkan_core.h}, with their names. */
public final class VulkanConstants {
  public static final int VK_API_VERSION_1_2 = 1 << 22 | 2 << 12;

  // VkResult: only codes that the driver handles; VulkanResult has more.
  public static final int VK_SUCCESS = 0;
  public static final int VK_TIMEOUT = 2;
  public static final int VK_ERROR_INCOMPATIBLE_DRIVER = -9;

  // VkStructureType
  public static final int VK_STRUCTURE_TYPE_APPLICATION_INFO = 0;
  public static final int VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO = 1;
  public static final int VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO = 2;
  public static final int VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO = 3;
  public static final int VK_STRUCTURE_TYPE_SUBMIT_INFO = 4;
  public static final int VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO = 5;
  public static final int VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO = 9;
  public static final int VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO = 12;
  public static final int VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO = 16;
  public static final int VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO = 18;
  public static final int VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO = 29;
  public static final int VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO = 30;
  public static final int VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO = 39;
  public static final int VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO = 40;
  public static final int VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO = 42;
  public static final int VK_STRUCTURE_TYPE_MEMORY_BARRIER = 46;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES = 49;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES = 51;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 = 1000059000;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 = 1000059001;
  public static final int VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO = 1000060000;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES = 1000071004;
  public static final int VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO = 1000072000;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES = 1000094000;
  public static final int VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT = 1000128004;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES = 1000168000;
  public static final int VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT = 1000178000;
  public static final int VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT = 1000178001;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT =
      1000178002;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES = 1000196000;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES = 1000197000;
  public static final int VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO = 1000207002;
  public static final int VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO = 1000207003;
  public static final int VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO = 1000207004;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT =
      1000212000;
  public static final int VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO = 1000244001;
  public static final int VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT =
      1000260000;

  public static final int VK_PHYSICAL_DEVICE_TYPE_CPU = 4;

  // VkQueueFlagBits
  public static final int VK_QUEUE_GRAPHICS_BIT = 1;
  public static final int VK_QUEUE_COMPUTE_BIT = 2;

  // VkMemoryPropertyFlagBits
  public static final int VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT = 1;
  public static final int VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT = 2;
  public static final int VK_MEMORY_PROPERTY_HOST_COHERENT_BIT = 4;
  public static final int VK_MEMORY_PROPERTY_HOST_CACHED_BIT = 8;

  public static final int VK_MEMORY_HEAP_DEVICE_LOCAL_BIT = 1;

  // VkBufferUsageFlagBits
  public static final int VK_BUFFER_USAGE_TRANSFER_SRC_BIT = 1;
  public static final int VK_BUFFER_USAGE_TRANSFER_DST_BIT = 2;
  public static final int VK_BUFFER_USAGE_STORAGE_BUFFER_BIT = 0x20;
  public static final int VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT = 0x100;
  public static final int VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT = 0x20000;

  public static final int VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT = 2;
  public static final int VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT = 0x80;
  public static final long VK_WHOLE_SIZE = -1;

  public static final int VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE = 2;
  public static final int VK_SEMAPHORE_TYPE_TIMELINE = 1;
  public static final int VK_SHADER_STAGE_COMPUTE_BIT = 0x20;
  public static final int VK_PIPELINE_BIND_POINT_COMPUTE = 1;
  public static final int VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT = 2;
  public static final int VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT = 1;
  public static final int VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT = 4;
  public static final int VK_COMMAND_BUFFER_LEVEL_PRIMARY = 0;
  public static final int VK_COMMAND_BUFFER_LEVEL_SECONDARY = 1;
  public static final int VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO = 41;

  public static final int VK_QUERY_TYPE_TIMESTAMP = 2;
  public static final int VK_QUERY_RESULT_64_BIT = 1;
  public static final int VK_QUERY_RESULT_WAIT_BIT = 2;
  public static final int VK_TIME_DOMAIN_DEVICE_EXT = 0;
  public static final int VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT = 1;
  public static final int VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO = 11;
  public static final int VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT = 1000184000;

  // VkPipelineStageFlagBits
  public static final int VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT = 0x2000;
  public static final int VK_PIPELINE_STAGE_HOST_BIT = 0x4000;
  public static final int VK_PIPELINE_STAGE_ALL_COMMANDS_BIT = 0x10000;

  // VkAccessFlagBits
  public static final int VK_ACCESS_HOST_READ_BIT = 0x2000;
  public static final int VK_ACCESS_MEMORY_READ_BIT = 0x8000;
  public static final int VK_ACCESS_MEMORY_WRITE_BIT = 0x10000;

  // VkDebugUtilsMessageSeverityFlagBitsEXT, ..TypeFlagBitsEXT
  public static final int VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT = 0x100;
  public static final int VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT = 0x1000;
  public static final int VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT = 2;

  private VulkanConstants() {}
}
