package org.jhal.driver;

/** A driver's loaded kernels, behind an executable. Thread-safe. */
public interface KernelModule {
  /** The most work items that a launch of them takes along one axis, all workgroups together. */
  default long maxWorkItems() {
    return Long.MAX_VALUE;
  }

  /** Unloads them. Called once, when no issued work uses them. */
  void unload();
}
