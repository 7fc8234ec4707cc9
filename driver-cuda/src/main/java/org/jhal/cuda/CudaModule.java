package org.jhal.cuda;

import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import org.jhal.utils.KernelModule;

/** A native module and its functions, in the order of the manifest. */
final class CudaModule implements KernelModule {
  private final CudaContext context;
  private final FreeThread frees;
  private final CUmodule handle;
  private final CUfunction[] functions;

  CudaModule(CudaContext context, FreeThread frees, CUmodule handle, CUfunction[] functions) {
    this.context = context;
    this.frees = frees;
    this.handle = handle;
    this.functions = functions;
  }

  CUfunction function(int index) {
    return functions[index];
  }

  @Override
  public void unload() {
    frees.free(() -> context.checkFreed("cuModuleUnload", JCudaDriver.cuModuleUnload(handle)));
  }
}
