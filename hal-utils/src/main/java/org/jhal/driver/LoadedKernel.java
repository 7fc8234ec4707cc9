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

  /**
   * Whether all workgroups of a dispatch have to run at the same time, since they may wait for each
   * other; only with {@link org.jhal.Capability#COOPERATIVE_DISPATCH}. A dispatch then has at most
   * {@link KernelModule#residentWorkgroups} of them.
   */
  boolean isCooperative();

  /** The largest number of workgroups along each axis that the device takes. */
  Workgroups maxCount();

  /**
   * The grid of an {@link Command.Kind#INDIRECT_DISPATCH} whose counts were read on the host.
   *
   * @param x an unsigned number, as are the others
   * @throws org.jhal.HalException OUT_OF_RANGE if a count exceeds {@link #maxCount}, or the kernel
   *     is cooperative and has fewer resident workgroups
   */
  Workgroups grid(int x, int y, int z);
}
