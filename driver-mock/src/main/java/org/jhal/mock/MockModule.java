package org.jhal.mock;

import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jhal.driver.KernelModule;

/** Kernels that are Java methods. */
final class MockModule implements KernelModule {
  private final MockDevice device;
  private final List<MethodHandle> kernels;

  MockModule(MockDevice device, List<MethodHandle> kernels) {
    this.device = device;
    this.kernels = List.copyOf(kernels);
  }

  /** Of type {@code (Workgroup)void}. */
  MethodHandle kernel(int index) {
    return kernels.get(index);
  }

  @Override
  public void unload() { // the garbage collector unloads classes
    device.dropModule();
    device.check("unload");
  }
}
