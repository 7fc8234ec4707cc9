package org.jhal.gpu.compile;

import java.util.function.Consumer;
import org.jhal.driver.KernelModule;
import org.jhal.driver.LoadedKernel;

/** A native module and its kernels, in the order of the manifest. */
final class GpuModule implements KernelModule {
  private final KernelLoader loader;
  private long module; // 0 when it is unloaded
  private final long[] kernels;
  private final Consumer<Runnable> frees;

  /**
   * A module.
   *
   * @param frees soon makes calls that may wait until the device is idle
   */
  GpuModule(KernelLoader loader, long module, long[] kernels, Consumer<Runnable> frees) {
    this.loader = loader;
    this.module = module;
    this.kernels = kernels;
    this.frees = frees;
  }

  /** The native kernel of a loaded one. */
  static long kernel(LoadedKernel kernel) {
    return ((GpuModule) kernel.module()).kernels[kernel.index()];
  }

  @Override
  public long maxWorkItems() {
    return loader.maxWorkItems();
  }

  @Override
  public void unload() {
    long ended = module;
    frees.accept(() -> loader.unload(ended));
    module = 0; // behind the call, which can be repeated if it throws
  }
}
