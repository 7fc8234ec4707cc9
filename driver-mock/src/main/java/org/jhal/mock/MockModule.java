// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.List;
import org.jhal.driver.KernelModule;
import org.jhal.kernels.workgroup.GridKernel;
import org.jhal.kernels.workgroup.JavaGrid;

/** Kernels of a device that counts them. */
final class MockModule implements KernelModule {
  private final MockDevice device;
  private final List<GridKernel> kernels;

  MockModule(MockDevice device, List<GridKernel> kernels) {
    this.device = device;
    this.kernels = kernels;
  }

  @Override
  public long residentWorkgroups(int index) {
    return JavaGrid.RESIDENT;
  }

  GridKernel kernel(int index) {
    return kernels.get(index);
  }

  @Override
  public void unload() {
    device.dropModule();
    device.check("unload");
  }
}
