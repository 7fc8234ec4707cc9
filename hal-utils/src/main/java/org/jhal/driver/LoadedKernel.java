// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.kernels.bundle.ArgumentLayout;

/**
 * A kernel that a command runs, as a driver sees it.
 *
 * <p>Immutable; any thread may use it.
 */
public interface LoadedKernel {
  /** The module that {@link DeviceBackend#load} returned. */
  KernelModule module();

  /**
   * The kernel's place in the manifest and in the list passed to {@link DeviceBackend#load}, from
   * 0.
   */
  int index();

  /** The kernel's name, unique within the module. */
  String name();

  /** The number of parameters. */
  int parameterCount();

  /** Parameter {@code index}, from 0. */
  Parameter parameter(int index);

  /** The layout of its arguments. */
  ArgumentLayout layout();

  /** How many work items a workgroup has along each axis; at least 1 each. */
  Workgroups workgroupSize();

  /** Dynamic shared memory per workgroup, in bytes. */
  int dynamicSharedMemory();
}
