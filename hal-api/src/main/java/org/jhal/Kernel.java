package org.jhal;

import java.util.List;

/**
 * An entry point of an executable. It stays valid as long as its executable is open.
 *
 * <p>Immutable; any thread may use it.
 */
public interface Kernel {
  /** The executable that this kernel belongs to. */
  Executable executable();

  /** The kernel's name, unique within the executable. */
  String name();

  /** The kernel's parameters, in the order in which it takes them and {@link Args} gives them. */
  List<Parameter> parameters();

  /** How many work items a workgroup has along each axis; at least 1 each. */
  Workgroups workgroupSize();

  /**
   * Enough workgroups of this kernel to cover that many items along the first axis; one along the
   * others.
   *
   * @throws HalException OUT_OF_RANGE if {@code items} is negative, or more than {@code
   *     Integer.MAX_VALUE} workgroups are needed
   */
  default Workgroups covering(long items) {
    return Workgroups.covering(items, workgroupSize().x());
  }

  /**
   * Enough workgroups of this kernel to cover that many items along the first two axes; one along
   * the third. Otherwise as {@link #covering(long)}.
   */
  default Workgroups covering(long itemsX, long itemsY) {
    return Workgroups.covering(itemsX, itemsY, workgroupSize().z(), workgroupSize());
  }

  /** Enough workgroups of this kernel to cover that many items; as {@link #covering(long)}. */
  default Workgroups covering(long itemsX, long itemsY, long itemsZ) {
    return Workgroups.covering(itemsX, itemsY, itemsZ, workgroupSize());
  }

  /** Dynamic shared memory per workgroup, in bytes. */
  int dynamicSharedMemory();
}
