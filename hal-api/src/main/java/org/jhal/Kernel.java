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

  /** Dynamic shared memory per workgroup, in bytes. */
  int dynamicSharedMemory();
}
