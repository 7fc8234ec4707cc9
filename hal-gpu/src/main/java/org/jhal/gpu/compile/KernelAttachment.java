// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

/** Something that a stream keeps for a kernel until the kernel is unloaded. */
@FunctionalInterface
public interface KernelAttachment {
  /**
   * The kernel is about to be unloaded, and no work that uses it is in flight. Called at least
   * once, from any thread, with no lock held. Releases that it passes to the device's free thread
   * come before the unloading. It may not block and does not throw.
   */
  void end();
}
