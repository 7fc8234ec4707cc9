package org.jhal.driver.gpu;

import java.util.List;
import org.jhal.driver.KernelModule;

/** A native module and its kernels, in the order of the manifest. */
final class GpuModule<M, K> implements KernelModule {
  private final KernelLoader<M, K> loader;
  private final M module;
  private final List<K> kernels;
  private final FreeThread frees;

  /** A module, which {@code frees} unloads. */
  GpuModule(KernelLoader<M, K> loader, M module, List<K> kernels, FreeThread frees) {
    this.loader = loader;
    this.module = module;
    this.kernels = List.copyOf(kernels);
    this.frees = frees;
  }

  K kernel(int index) {
    return kernels.get(index);
  }

  @Override
  public long maxWorkItems() {
    return loader.maxWorkItems();
  }

  @Override
  public void unload() {
    frees.free(() -> loader.unload(module));
  }
}
