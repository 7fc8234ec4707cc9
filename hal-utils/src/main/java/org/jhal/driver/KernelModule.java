package org.jhal.driver;

/** The loaded kernels behind an executable, implemented by a driver. Thread-safe. */
public interface KernelModule {
  /** The maximum number of work items of a launch along one axis, all workgroups together. */
  default long maxWorkItems() {
    return Long.MAX_VALUE;
  }

  /** Unloads the kernels. Called once, when no issued work uses them. */
  void unload();
}
