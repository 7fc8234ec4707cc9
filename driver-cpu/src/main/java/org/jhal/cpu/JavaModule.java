// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.List;
import org.jhal.driver.KernelModule;
import org.jhal.kernels.workgroup.GridKernel;
import org.jhal.kernels.workgroup.JavaGrid;

/** Kernels in Java, by their index. */
record JavaModule(List<GridKernel> kernels) implements KernelModule {
  @Override
  public long residentWorkgroups(int index) {
    return JavaGrid.RESIDENT;
  }

  @Override
  public void unload() {} // the garbage collector does
}
