package org.jhal.kernel;

/**
 * The body of a kernel that is written in Java in the program itself; see {@link
 * org.jhal.BundleBuilder#java(String, JavaKernel)}.
 *
 * <p>Must be thread-safe: a device may run several workgroups at the same time.
 */
@FunctionalInterface
public interface JavaKernel {
  /** Computes all work items of one workgroup. Whatever it throws fails the operation. */
  void run(Workgroup group);
}
