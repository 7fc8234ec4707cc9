package org.jhal;

import java.util.List;

/**
 * An entry point of an executable. It stays valid as long as its executable is open.
 *
 * <p>Immutable; any thread may use it.
 */
public interface Kernel {
  /** The executable that it belongs to. */
  Executable executable();

  /** Its name, unique within the executable. */
  String name();

  /** Its parameters, in the order in which a kernel takes them and {@link Args} gives them. */
  List<Parameter> parameters();

  /** How many work items a workgroup has along each axis; at least 1 each. */
  Workgroups workgroupSize();

  /** Dynamic shared memory per workgroup, in bytes. */
  int dynamicSharedMemory();
}
