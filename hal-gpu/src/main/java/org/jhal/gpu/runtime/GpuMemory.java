// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;

/** Memory that the device can access at one address. */
public interface GpuMemory extends DeviceMemory {
  /** The device's address of its first byte. */
  long address();

  /** The {@link #place} of memory of the host. */
  int HOST = -1;

  /** The ordinal of the device whose memory it is, or {@link #HOST}. */
  int place();

  /** Device memory cannot be mapped. */
  @Override
  default MappedRange map(long offset, int length) {
    throw new HalException(Status.UNIMPLEMENTED, "device memory cannot be mapped");
  }

  /** The memory of an operand in a submission. */
  static GpuMemory of(Operand operand, Submission submission) {
    return (GpuMemory) submission.memory(operand);
  }

  /** The device's address of an operand's start. */
  static long address(Operand operand, Submission submission) {
    return of(operand, submission).address() + submission.offset(operand);
  }
}
