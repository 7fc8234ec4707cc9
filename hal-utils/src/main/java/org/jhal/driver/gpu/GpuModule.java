package org.jhal.driver.gpu;

import java.util.List;
import org.jhal.driver.KernelModule;

/** A native module: its kernels in the order of the manifest, and the action that unloads it. */
final class GpuModule<K> implements KernelModule {
  private final List<K> kernels;
  private final long maxWorkItems;
  private final Runnable unload;
  private final FreeThread frees;

  GpuModule(List<K> kernels, long maxWorkItems, Runnable unload, FreeThread frees) {
    this.kernels = kernels;
    this.maxWorkItems = maxWorkItems;
    this.unload = unload;
    this.frees = frees;
  }

  K kernel(int index) {
    return kernels.get(index);
  }

  @Override
  public long maxWorkItems() {
    return maxWorkItems;
  }

  @Override
  public void unload() {
    frees.free(unload);
  }
}
