// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

/** The loaded kernels behind an executable, implemented by a driver. Thread-safe. */
public interface KernelModule {
  /** The maximum number of work items of a launch along one axis, all workgroups together. */
  default long maxWorkItems() {
    return Long.MAX_VALUE;
  }

  /**
   * How many workgroups of a kernel the device holds at the same time, with the workgroups and the
   * dynamic shared memory of its declaration, if nothing else runs. Called once for each
   * cooperative kernel, when it is loaded, and without the device bound.
   *
   * @param index its place in the manifest, from 0
   */
  default long residentWorkgroups(int index) {
    return 0;
  }

  /**
   * What {@link org.jhal.Kernel#note} returns for a kernel.
   *
   * @param index its place in the manifest, from 0
   */
  default String note(int index) {
    return "";
  }

  /** Unloads the kernels. Called once, when no issued work uses them. */
  void unload();
}
