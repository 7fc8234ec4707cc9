// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

/** Memory whose bytes the process can reach, as a {@link KernelView} needs it. */
@FunctionalInterface
public interface SegmentedMemory {
  /**
   * The bytes.
   *
   * @throws org.jhal.HalException FAILED_PRECONDITION if they do not exist yet, or no longer
   */
  Segments segments();
}
