package org.jhal.driver;

import org.jhal.HalException;

/**
 * One submission of a {@link CommandList}, as {@link NativeStream#issue} sees it: where its
 * operands are this time, and what the driver learns about it after issuing.
 *
 * <p>Operands are resolved while issuing only. {@link #fail} may be called from any thread, before
 * the event that is recorded behind the commands fires.
 */
public interface Submission {
  /** The memory of an operand. */
  DeviceMemory memory(Operand operand);

  /** Where the operand starts in its memory, in bytes. */
  long offset(Operand operand);

  /** How many bytes the operand has. */
  long length(Operand operand);

  /**
   * The work failed after it was issued; the first failure counts. For drivers that run commands
   * themselves.
   */
  void fail(HalException failure);

  /**
   * Adds what the host must still do when the native work is complete, before anything is
   * signalled, such as copying out of staging memory. Runs on a thread of the device's tail pool;
   * may be called while issuing only.
   */
  void afterwards(HostCompletion tail);
}
