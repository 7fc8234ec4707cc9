// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.kernels.bundle.ArgumentLayout;
import org.jhal.kernels.bundle.JavaKernels;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;

/**
 * A kernel in Java that a {@link JavaGrid} runs. The garbage collector unloads its class.
 *
 * <p>Immutable; any thread may use it.
 */
public final class GridKernel {
  private final MethodHandle body;
  private final KernelSpec spec;
  private final Parameter[] parameters; // those of spec, read for each access
  private final ArgumentLayout layout;

  /**
   * A kernel.
   *
   * @param body of type {@code (Workgroup)void}
   */
  GridKernel(MethodHandle body, KernelSpec spec) {
    this.body = body;
    this.spec = spec;
    this.parameters = spec.parameters().toArray(new Parameter[0]);
    this.layout = ArgumentLayout.of(spec.parameters());
  }

  /**
   * Loads the kernels of a variant.
   *
   * @return in the order of {@code kernels}
   * @throws HalException as {@link JavaKernels#load}
   */
  public static List<GridKernel> load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    List<MethodHandle> bodies = JavaKernels.load(source, variant, kernels);
    List<GridKernel> loaded = new ArrayList<>();
    for (int i = 0; i < bodies.size(); i++) {
      loaded.add(new GridKernel(bodies.get(i), kernels.get(i)));
    }
    return List.copyOf(loaded);
  }

  MethodHandle body() {
    return body;
  }

  int parameterCount() {
    return parameters.length;
  }

  Parameter parameter(int index) {
    return parameters[index];
  }

  /** Where the argument for a parameter starts, in bytes. */
  int offset(int index) {
    return layout.offset(index);
  }

  Workgroups workgroupSize() {
    return spec.workgroupSize();
  }

  /** In bytes. */
  int dynamicSharedMemory() {
    return spec.dynamicSharedMemory();
  }

  /** Whether its workgroups may wait for each other. */
  boolean isCooperative() {
    return spec.isCooperative();
  }

  @Override
  public String toString() {
    return spec.name();
  }
}
