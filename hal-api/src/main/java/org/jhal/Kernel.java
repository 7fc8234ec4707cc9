// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.List;
import java.util.OptionalLong;

/**
 * An entry point of an executable. It can be dispatched as long as its executable is open. While a
 * kernel is reachable, its executable is not reclaimed (rule M7).
 *
 * <p>Immutable; any thread may use it.
 */
public interface Kernel {
  /** Returns the executable that this kernel belongs to. */
  Executable executable();

  /** Returns the kernel's name, which is unique within the executable. */
  String name();

  /** Returns the kernel's parameters, in the order in which {@link Args} lists the arguments. */
  List<Parameter> parameters();

  /** Returns the number of work items of a workgroup along each axis; at least 1 each. */
  Workgroups workgroupSize();

  /**
   * Returns enough workgroups of this kernel to cover {@code items} items along the first axis, and
   * one workgroup along each other axis.
   *
   * @throws HalException OUT_OF_RANGE if {@code items} is negative, or more than {@code
   *     Integer.MAX_VALUE} workgroups are needed
   */
  default Workgroups covering(long items) {
    return Workgroups.covering(items, workgroupSize().x());
  }

  /**
   * Returns enough workgroups of this kernel to cover these numbers of items along the first two
   * axes, and one workgroup along the third.
   *
   * @throws HalException as {@link #covering(long)}
   */
  default Workgroups covering(long itemsX, long itemsY) {
    return Workgroups.covering(itemsX, itemsY, workgroupSize().z(), workgroupSize());
  }

  /**
   * Returns enough workgroups of this kernel to cover these numbers of items along the three axes.
   *
   * @throws HalException as {@link #covering(long)}
   */
  default Workgroups covering(long itemsX, long itemsY, long itemsZ) {
    return Workgroups.covering(itemsX, itemsY, itemsZ, workgroupSize());
  }

  /** Returns the dynamic shared memory per workgroup, in bytes. */
  int dynamicSharedMemory();

  /**
   * Returns how many workgroups of this kernel the device holds at the same time, if the bundle
   * declares the kernel as cooperative; otherwise empty. A dispatch with more workgroups, along all
   * axes together, is refused with OUT_OF_RANGE (rule M6b). The number depends on the size of the
   * workgroup, the shared memory and, on most devices, on the code; it is determined when the
   * kernel is loaded, and does not change. Other work on the device does not count: a dispatch
   * begins when there is room.
   */
  default OptionalLong residentWorkgroups() {
    return OptionalLong.empty();
  }

  /**
   * Returns how the device runs this kernel, and why not in a faster way, such as {@code "items
   * have stacks of their own: a goto in line 12"}. It is meant for people, and its wording may
   * change. Empty if the device runs all kernels alike.
   */
  default String note() {
    return "";
  }
}
