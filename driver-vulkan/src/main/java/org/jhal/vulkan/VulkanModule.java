// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.KernelModule;
import org.jhal.kernels.bundle.GlobalSize;
import org.jhal.kernels.bundle.KernelArgument;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.spirv.EntryPoints;
import org.jhal.spirv.VulkanTarget;
import org.jspecify.annotations.Nullable;

/** Loaded kernels: a pipeline for each. Thread-safe. */
final class VulkanModule implements KernelModule {
  /** The format of compiled code; docs/vulkan.md describes it. */
  static final String FORMAT = VulkanTarget.FORMAT;

  private final LogicalDevice device;
  private final List<Long> pipelines = new ArrayList<>(); // by the index of the kernel
  private final List<Integer> reporting = new ArrayList<>(); // the numbers in trap reports

  private final @Nullable VariableMemory variables; // null if it has none
  private final List<VulkanMemory> globals = new ArrayList<>(); // of these, by index

  private VulkanModule(LogicalDevice device, @Nullable VariableMemory variables) {
    this.device = device;
    this.variables = variables;
  }

  /** Loads kernels; see {@link org.jhal.driver.DeviceBackend#load}. */
  static VulkanModule load(
      LogicalDevice device,
      VulkanCompiler compiler,
      ExecutableSource source,
      Variant variant,
      List<KernelSpec> kernels,
      List<Global> globals) {
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
    byte[] whole = FloatModes.demand(code, module, device.physical().limits().demanded());
    VulkanModule made =
        new VulkanModule(device, VariableMemory.make(device, module.variables(), what));
    boolean isDone = false;
    try (Pipelines maker = new Pipelines(device, whole, what)) {
      for (Global global : globals) {
        made.globals.add(made.find(global, what));
      }
      for (int i = 0; i < kernels.size(); i++) {
        KernelSpec kernel = kernels.get(i);
        Map<Integer, Integer> constants = Pipelines.numbered(specialization(kernel));
        if (module.reportsTraps()) {
          made.report(constants, "kernel '" + kernel.name() + "' of " + what);
        }
        if (module.mayLoseValues() && device.physical().computesOnHost()) {
          constants.put(Pipelines.LOSES_VALUES, 1); // only lavapipe is known to
        }
        made.pipelines.add(maker.make(entries.get(i), constants, made.address(), kernel.name()));
      }
      isDone = true;
    } finally {
      if (!isDone) {
        made.destroy();
      }
    }
    return made;
  }

  /** Adds the constants from number 4 on: the address of the report, and the kernel's number. */
  private void report(Map<Integer, Integer> constants, String kernel) {
    TrapReports traps = device.traps();
    int number = traps.add(kernel);
    reporting.add(number);
    long address = traps.address();
    constants.put(4, (int) address);
    constants.put(5, (int) (address >>> Integer.SIZE));
    constants.put(6, number);
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

  /** The address of the variables outside functions; 0 if there are none. */
  private long address() {
    return variables == null ? 0 : variables.address();
  }

  /** Finds the memory of a variable that the host may access. */
  private VulkanMemory find(Global global, String what) {
    VulkanMemory found = variables == null ? null : variables.variable(global.name());
    if (found == null) {
      throw new HalException(Status.NOT_FOUND, GlobalSize.absence(global, what));
    }
    GlobalSize.check(global, found.size(), what);
    return found;
  }

  /** The memory of a variable that the host may access, which lives as long as the module. */
  VulkanMemory global(int index) {
    return globals.get(index);
  }

  private void destroy() {
    reporting.forEach(device.traps()::remove);
    pipelines.forEach(each -> LogicalDevice.setup().destroyPipeline(device.handle(), each, 0));
    if (variables != null) {
      variables.free();
    }
  }

  /** The VkPipeline of a kernel. */
  long pipeline(int index) {
    return pipelines.get(index);
  }

  @Override
  public void unload() {
    device.disposals().add(this::destroy);
  }
}
