package org.jhal.gpu.runtime;

import org.jhal.driver.DeviceMemory;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;

/** Memory that the device can access at one address. */
public interface GpuMemory extends DeviceMemory {
  /** The device's address of its first byte. */
  long address();

  /** The {@link #place} of memory of the host. */
  int HOST = -1;

  /** Where the bytes are: the ordinal of the device whose memory it is, or {@link #HOST}. */
  int place();

  /** The memory that a submission gives an operand. */
  static GpuMemory of(Operand operand, Submission submission) {
    return (GpuMemory) submission.memory(operand);
  }

  /** The device's address at which an operand starts. */
  static long address(Operand operand, Submission submission) {
    return of(operand, submission).address() + submission.offset(operand);
  }
}
