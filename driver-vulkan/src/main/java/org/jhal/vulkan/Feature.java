// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.Arrays;
import java.util.List;

/**
 * A feature of a device that a SPIR-V capability needs, or that the driver itself needs. {@link
 * FeatureChain} asks for them and enables them.
 */
enum Feature {
  INT64(FeatureChain.CORE, 176, 11, "Int64", true),
  BUFFER_ADDRESS(FeatureChain.V12, 168, 5347, "PhysicalStorageBufferAddresses", true),
  TIMELINE_SEMAPHORE(FeatureChain.V12, 164, Feature.NONE, "timelineSemaphore", true),
  SCALAR_LAYOUT(FeatureChain.V12, 140, Feature.NONE, "scalarBlockLayout", true),
  FLOAT64(FeatureChain.CORE, 172, 10, "Float64", false),
  INT16(FeatureChain.CORE, 180, 22, "Int16", false),
  STORAGE16(FeatureChain.V11, 16, 4433, "StorageBuffer16BitAccess", false),
  UNIFORM_STORAGE16(FeatureChain.V11, 20, 4434, "UniformAndStorageBuffer16BitAccess", false),
  PUSH16(FeatureChain.V11, 24, 4435, "StoragePushConstant16", false),
  STORAGE_POINTERS(FeatureChain.V11, 44, 4441, "VariablePointersStorageBuffer", false),
  POINTERS(FeatureChain.V11, 48, 4442, "VariablePointers", false),
  STORAGE8(FeatureChain.V12, 24, 4448, "StorageBuffer8BitAccess", false),
  UNIFORM_STORAGE8(FeatureChain.V12, 28, 4449, "UniformAndStorageBuffer8BitAccess", false),
  PUSH8(FeatureChain.V12, 32, 4450, "StoragePushConstant8", false),
  BUFFER_INT64_ATOMICS(FeatureChain.V12, 36, 12, "Int64Atomics", false),
  SHARED_INT64_ATOMICS(FeatureChain.V12, 40, Feature.NONE, "shaderSharedInt64Atomics", false),
  FLOAT16(FeatureChain.V12, 44, 9, "Float16", false),
  INT8(FeatureChain.V12, 48, 39, "Int8", false),
  SUBGROUP_TYPES(FeatureChain.V12, 152, Feature.NONE, "shaderSubgroupExtendedTypes", false),
  MEMORY_MODEL(FeatureChain.V12, 180, 5345, "VulkanMemoryModel", false),
  MEMORY_MODEL_DEVICE(FeatureChain.V12, 184, 5346, "VulkanMemoryModelDeviceScope", false),
  BROADCAST_DYNAMIC(FeatureChain.V12, 200, Feature.NONE, "subgroupBroadcastDynamicId", false),
  BUFFER_FLOAT32(FeatureChain.FLOATS, 16, Feature.NONE, "shaderBufferFloat32Atomics", false),
  BUFFER_FLOAT32_ADD(FeatureChain.FLOATS, 20, 6033, "AtomicFloat32AddEXT", false),
  BUFFER_FLOAT64(FeatureChain.FLOATS, 24, Feature.NONE, "shaderBufferFloat64Atomics", false),
  BUFFER_FLOAT64_ADD(FeatureChain.FLOATS, 28, 6034, "AtomicFloat64AddEXT", false),
  SHARED_FLOAT32(FeatureChain.FLOATS, 32, Feature.NONE, "shaderSharedFloat32Atomics", false),
  SHARED_FLOAT32_ADD(FeatureChain.FLOATS, 36, Feature.NONE, "sharedFloat32AtomicAdd", false),
  SHARED_FLOAT64(FeatureChain.FLOATS, 40, Feature.NONE, "shaderSharedFloat64Atomics", false),
  SHARED_FLOAT64_ADD(FeatureChain.FLOATS, 44, Feature.NONE, "sharedFloat64AtomicAdd", false);

  /** The capability of a feature that no capability needs. */
  static final int NONE = -1;

  /** The index of the structure in {@link FeatureChain}. */
  final int structure;

  /** The offset of the VkBool32 in that structure. */
  final int offset;

  /** The number of the SPIR-V capability that needs it, or {@link #NONE}. */
  final int capability;

  /** The name of the capability, or of the feature if no capability needs it. */
  final String title;

  /** Whether a device without it cannot be used. */
  final boolean isRequired;

  Feature(int structure, int offset, int capability, String title, boolean isRequired) {
    this.structure = structure;
    this.offset = offset;
    this.capability = capability;
    this.title = title;
    this.isRequired = isRequired;
  }

  /** Those without which a device cannot be used. */
  static List<Feature> required() {
    return Arrays.stream(values()).filter(feature -> feature.isRequired).toList();
  }
}
