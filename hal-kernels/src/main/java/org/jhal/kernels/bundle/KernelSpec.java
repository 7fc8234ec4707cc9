// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.util.List;
import java.util.Objects;
import org.jhal.Parameter;
import org.jhal.Workgroups;

/**
 * A kernel, as a manifest declares it.
 *
 * @param name unique within the bundle; letters, digits and underscores, not starting with a digit
 * @param parameters in the order in which the kernel takes them, with unique names
 * @param workgroupSize work items of a workgroup along each axis, at least 1 each; their product
 *     fits into an int
 * @param dynamicSharedMemory dynamic shared memory per workgroup, in bytes; at least 0
 * @param isCooperative whether all workgroups of a dispatch run at the same time, so that they can
 *     wait for each other
 */
public record KernelSpec(
    String name,
    List<Parameter> parameters,
    Workgroups workgroupSize,
    int dynamicSharedMemory,
    boolean isCooperative) {
  /** Checks for null and copies the list. */
  public KernelSpec {
    Objects.requireNonNull(name, "name");
    parameters = List.copyOf(Objects.requireNonNull(parameters, "parameters"));
    Objects.requireNonNull(workgroupSize, "workgroupSize");
  }

  /** A kernel that is not cooperative. */
  public KernelSpec(
      String name, List<Parameter> parameters, Workgroups workgroupSize, int dynamicSharedMemory) {
    this(name, parameters, workgroupSize, dynamicSharedMemory, false);
  }
}
