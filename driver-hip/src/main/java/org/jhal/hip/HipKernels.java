package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
import static org.jhal.hip.jna.HipConstants.HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
import static org.jhal.hip.jna.HipConstants.hipSuccess;

import java.util.Set;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.gpu.compile.CompilerFiles;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.compile.RuntimeCompiler;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.hip.jna.HipRuntime;
import org.jhal.hip.jna.HiprtcApi;
import org.jhal.hip.jna.hipFunction_t;
import org.jhal.hip.jna.hipModule_t;
import org.jspecify.annotations.Nullable;

/** Loads kernels. */
final class HipKernels extends KernelLoader<HipKernels.Module, hipFunction_t> {
  /** A loaded module, with the metadata of its code. */
  record Module(hipModule_t handle, CodeObject code) {}

  private final HipDevice runtime;

  HipKernels(HipDevice runtime, GpuProperties device) {
    super(
        runtime.gate(),
        device,
        new Kernels(
            Set.of("gpu-c++", "hip-hsaco"),
            HiprtcApi.PREFIX,
            HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    this.runtime = runtime;
  }

  @Override
  protected RuntimeCompiler compiler() {
    HipLibrary library = HipLibrary.load();
    return Hiprtc.load(library.library(), library.major());
  }

  @Override
  protected @Nullable CompilerFiles compilerFiles() {
    HipLibrary library = HipLibrary.load();
    return Hiprtc.files(library.library(), library.major());
  }

  @Override
  protected Module link(byte[] code, String what) {
    CodeObject told = CodeObject.read(code, what);
    told.checkArchitecture(device().architecture(), what);
    long[] out = new long[1];
    int result = HipRuntime.hipModuleLoadData(out, image(code));
    if (result != hipSuccess) {
      throw runtime.failure("hipModuleLoadData", result, "cannot load " + what);
    }
    hipModule_t module = new hipModule_t();
    module.set(out[0]);
    return new Module(module, told);
  }

  @Override
  protected void unload(Module module) {
    runtime.checkFreed("hipModuleUnload", HipRuntime.hipModuleUnload(module.handle.take()));
  }

  @Override
  protected hipFunction_t find(Module module, String entry, String what) {
    long[] out = new long[1];
    int code = HipRuntime.hipModuleGetFunction(out, module.handle, entry);
    if (code != hipSuccess) {
      throw runtime.failure("hipModuleGetFunction", code, "no kernel '" + entry + "' in " + what);
    }
    hipFunction_t function = new hipFunction_t();
    function.set(out[0]);
    return function;
  }

  /** The runtime cannot tell the arguments, but the code object can. */
  @Override
  protected void checkArguments(
      Module module, hipFunction_t function, String entry, KernelSpec spec, String name) {
    module.code.checkArguments(entry, spec, name);
  }

  /**
   * The runtime counts work items in 32 bits. Some versions refuse more, others do not run them.
   */
  @Override
  protected long maxWorkItems() {
    return 0xFFFFFFFFL;
  }

  @Override
  protected int attribute(hipFunction_t function, int attribute) {
    int[] value = new int[1];
    runtime.check(
        "hipFuncGetAttribute", HipRuntime.hipFuncGetAttribute(value, attribute, function));
    return value[0];
  }

  /** Nothing to do: a kernel may use all shared memory of the device. */
  @Override
  protected void allowSharedMemory(hipFunction_t function, int staticBytes, int dynamicBytes) {}
}
