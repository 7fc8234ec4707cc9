package org.jhal.gpu.compile;

import java.util.List;
import java.util.function.Consumer;
import org.jhal.driver.KernelModule;
import org.jhal.driver.LoadedKernel;

/** A native module and its kernels, in the order of the manifest. */
final class GpuModule<M, K> implements KernelModule {
  private final KernelLoader<M, K> loader;
  private final M module;
  private final List<K> kernels;
  private final Consumer<Runnable> frees;

  /**
   * A module.
   *
   * @param frees calls soon what may wait until the device is idle
   */
  GpuModule(KernelLoader<M, K> loader, M module, List<K> kernels, Consumer<Runnable> frees) {
    this.loader = loader;
    this.module = module;
    this.kernels = List.copyOf(kernels);
    this.frees = frees;
  }

  /** The native kernel behind one that the device has loaded, whose kernels are of type K. */
  @SuppressWarnings("unchecked") // a device has one type of native kernels
  static <K> K kernel(LoadedKernel kernel) {
    return ((GpuModule<?, K>) kernel.module()).kernels.get(kernel.index());
  }

  @Override
  public long maxWorkItems() {
    return loader.maxWorkItems();
  }

  @Override
  public void unload() {
    frees.accept(() -> loader.unload(module));
  }
}
