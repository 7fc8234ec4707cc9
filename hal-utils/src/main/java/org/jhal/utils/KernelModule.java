package org.jhal.utils;

/** A driver's loaded kernels, behind an executable. Thread-safe. */
public interface KernelModule {
  /** Unloads them. Called once, when no issued work uses them. */
  void unload();
}
