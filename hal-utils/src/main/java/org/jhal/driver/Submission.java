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
   * Whether everything that the submission waits for is over. Otherwise some of it is still to come
   * in a stream of the device, and may write host memory that the device reaches.
   *
   * <p>Memory of an upload may be read while issuing only if this is true, or if it is on the heap,
   * which no device reaches. May be called while issuing only.
   */
  boolean waitsReached();

  /**
   * The work failed after it was issued; the first failure counts. For drivers that run commands
   * themselves.
   */
  void fail(HalException failure);

  /**
   * Adds what the host must still do when the native work is complete, before anything is
   * signalled, such as copying out of staging memory. Runs on one of the few threads that serve
   * transfers of the device; may be called while issuing only.
   */
  void afterwards(HostCompletion tail);
}
