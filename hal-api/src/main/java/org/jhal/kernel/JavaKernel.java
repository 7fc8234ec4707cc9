// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * The body of a kernel that the program itself contains as a Java object; see {@link
 * org.jhal.BundleBuilder#java(String, JavaKernel)}.
 *
 * <p>Must be thread-safe: a device may run several workgroups at the same time.
 */
@FunctionalInterface
public interface JavaKernel {
  /**
   * Computes all work items of one workgroup. Whatever this throws fails the operation, as
   * described for {@link Workgroup}.
   */
  void run(Workgroup group);
}
