package org.jhal.driver;

import org.jhal.Parameter;
import org.jhal.Workgroups;

/**
 * What a driver needs to know of a kernel that a command runs.
 *
 * <p>Immutable; any thread may use it.
 */
public interface LoadedKernel {
  /** What {@link DeviceBackend#load} returned. */
  KernelModule module();

  /**
   * Its place in the manifest and in the list that {@link DeviceBackend#load} was given, from 0.
   */
  int index();

  /** Its name, unique within the module. */
  String name();

  /** How many parameters it has. */
  int parameterCount();

  /** Parameter {@code index}, from 0. */
  Parameter parameter(int index);

  /** Where its arguments lie. */
  ArgumentLayout layout();

  /** How many work items a workgroup has along each axis; at least 1 each. */
  Workgroups workgroupSize();

  /** Dynamic shared memory per workgroup, in bytes. */
  int dynamicSharedMemory();
}
