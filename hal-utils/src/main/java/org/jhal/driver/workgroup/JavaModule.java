// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.workgroup;

import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jhal.driver.KernelModule;

/** Kernels that are Java methods; the garbage collector unloads their classes. */
public class JavaModule implements KernelModule {
  private final List<MethodHandle> kernels;

  /**
   * A module.
   *
   * @param kernels of type {@code (Workgroup)void}, as {@link
   *     org.jhal.driver.bundle.JavaKernels#load} returns them
   */
  public JavaModule(List<MethodHandle> kernels) {
    this.kernels = List.copyOf(kernels);
  }

  /** The kernel of an index, of type {@code (Workgroup)void}. */
  public final MethodHandle kernel(int index) {
    return kernels.get(index);
  }

  @Override
  public void unload() {}
}
