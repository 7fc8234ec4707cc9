// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.KernelModule;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.kernels.bundle.KernelArgument;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.spirv.EntryPoints;
import org.jhal.spirv.VulkanTarget;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;
import org.jhal.vulkan.jna.VulkanSetup;

/** Loaded kernels: a pipeline for each. Thread-safe. */
final class VulkanModule implements KernelModule {
  /** The format of compiled code; docs/vulkan.md describes it. */
  static final String FORMAT = VulkanTarget.FORMAT;

  private final LogicalDevice device;
  private final List<Long> pipelines; // by the index of the kernel

  private VulkanModule(LogicalDevice device, List<Long> pipelines) {
    this.device = device;
    this.pipelines = pipelines;
  }

  /** Loads kernels; see {@link org.jhal.driver.DeviceBackend#load}. */
  static VulkanModule load(
      LogicalDevice device,
      VulkanCompiler compiler,
      ExecutableSource source,
      Variant variant,
      List<KernelSpec> kernels) {
    String what = "bundle " + source.name() + ", file '" + variant.file() + "'";
    boolean isSource = variant.format().equals(Variant.CPP);
    EntryPoints points = EntryPoints.of(variant, kernels);
    byte[] code = isSource ? compiler.compile(source, variant, points) : variant.readFile(source);
    SpirvModule module = SpirvModule.read(code, what);
    List<String> missing = Capabilities.missing(module, device.physical());
    if (!missing.isEmpty()) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          what
              + " declares SPIR-V capabilities that "
              + device.physical().name()
              + " lacks: "
              + String.join(", ", missing));
    }
    List<String> entries = new ArrayList<>();
    for (KernelSpec kernel : kernels) {
      String entry = isSource ? points.name(kernel.name()) : variant.symbol(kernel.name(), what);
      if (!module.kernels().contains(entry)) {
        throw new HalException(
            Status.NOT_FOUND,
            "%s has no entry point '%s' of kind GLCompute".formatted(what, entry));
      }
      List<KernelArgument> taken = module.arguments().get(entry);
      if (taken != null) {
        KernelArgument.check(taken, kernel, "kernel '" + entry + "' of " + what);
      }
      checkSharedMemory(device, code, entry, kernel, what);
      entries.add(entry);
    }
    VulkanSetup setup = LogicalDevice.setup();
    long shaders = createShaders(device, code, what);
    List<Long> pipelines = new ArrayList<>();
    boolean isDone = false;
    try {
      for (int i = 0; i < kernels.size(); i++) {
        pipelines.add(createPipeline(device, shaders, entries.get(i), kernels.get(i), what));
      }
      isDone = true;
    } finally {
      setup.destroyShaderModule(device.handle(), shaders, 0);
      if (!isDone) {
        pipelines.forEach(each -> setup.destroyPipeline(device.handle(), each, 0));
      }
    }
    return new VulkanModule(device, pipelines);
  }

  private static void checkSharedMemory(
      LogicalDevice device, byte[] code, String entry, KernelSpec kernel, String what) {
    long bytes = SharedMemory.bytes(code, entry, specialization(kernel));
    int most = device.physical().limits().sharedBytes();
    if (bytes > most) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "kernel '%s' of %s takes %s bytes of shared memory; %s has %s for a workgroup"
              .formatted(kernel.name(), what, bytes, device.physical().name(), most));
    }
  }

  /** The values of the specialization constants from 0 on. */
  private static int[] specialization(KernelSpec kernel) {
    return new int[] {
      kernel.workgroupSize().x(),
      kernel.workgroupSize().y(),
      kernel.workgroupSize().z(),
      kernel.dynamicSharedMemory()
    };
  }

  private static long createShaders(LogicalDevice device, byte[] code, String what) {
    NativeBlock copy = new NativeBlock(code.length);
    copy.bytes().put(code);
    try (Structs structs = new Structs()) {
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, 0, 40)
              .int32(0)
              .int64(code.length)
              .int64(copy.address(0));
      long[] shaders = new long[1];
      int result =
          LogicalDevice.setup().createShaderModule(device.handle(), info.address(), 0, shaders);
      Reference.reachabilityFence(copy);
      if (result != VulkanConstants.VK_SUCCESS) {
        throw device.failure("createShaderModule", result, what);
      }
      return shaders[0];
    }
  }

  private static long createPipeline(
      LogicalDevice device, long shaders, String entry, KernelSpec kernel, String what) {
    try (Structs structs = new Structs()) {
      int[] constants = specialization(kernel);
      Structs.Struct values = structs.zeros(constants.length * Integer.BYTES);
      Structs.Struct entries = structs.zeros(constants.length * 16);
      for (int i = 0; i < constants.length; i++) {
        values.int32(constants[i]);
        entries.int32(i).int32(i * Integer.BYTES).int64(Integer.BYTES);
      }
      Structs.Struct specialization =
          structs
              .zeros(32)
              .int32(constants.length)
              .int64(entries.address())
              .int64((long) constants.length * Integer.BYTES)
              .int64(values.address());
      long name = structs.text(entry);
      Structs.Struct stage =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, 0, 48)
              .int32(0)
              .int32(VulkanConstants.VK_SHADER_STAGE_COMPUTE_BIT)
              .int64(shaders)
              .int64(name)
              .int64(specialization.address());
      Structs.Struct info =
          structs.typed(VulkanConstants.VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, 0, 96);
      ByteBuffer nested = stage.bytes();
      info.bytes().put(24, nested, 0, 48).putLong(72, device.pipelineLayout()).putInt(88, -1);
      long[] pipeline = new long[1];
      int code =
          LogicalDevice.setup()
              .createComputePipelines(device.handle(), 0, 1, info.address(), 0, pipeline);
      if (code != VulkanConstants.VK_SUCCESS) {
        throw device.failure(
            "createComputePipelines", code, "kernel '" + kernel.name() + "' of " + what);
      }
      return pipeline[0];
    }
  }

  /** The VkPipeline of a kernel. */
  long pipeline(int index) {
    return pipelines.get(index);
  }

  @Override
  public void unload() {
    device
        .disposals()
        .add(
            () ->
                pipelines.forEach(
                    each -> LogicalDevice.setup().destroyPipeline(device.handle(), each, 0)));
  }
}
