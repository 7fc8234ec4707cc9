package org.jhal.driver;

import org.jhal.HalException;

/**
 * One submission of a {@link CommandList}, as {@link NativeStream#issue} sees it: where its
 * operands are this time, and what the driver learns about it after issuing.
 *
 * <p>Operands are resolved, and {@link #afterwards} and {@link #whenFired} called, while issuing
 * only: on the thread that calls {@link NativeStream#issue} or {@link NativeStream#allocAsync},
 * before that returns. {@link #fail} may be called from any thread, before the event that is
 * recorded behind the commands fires.
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
   *
   * <p>An event of the stream says nothing of it. So operations that wait for this one, also those
   * of the same device, are issued only after it has returned and the signals are raised; without
   * it they are issued at once, behind the event (rule Q5).
   */
  void afterwards(HostCompletion tail);

  /**
   * Adds what is to be given back when the native work is over, such as memory that this submission
   * alone uses. Unlike {@link #afterwards} it does not delay the signals.
   *
   * <p>It runs exactly once: after the event that is recorded behind the operation has fired, the
   * signals are applied, and what {@link #afterwards} was given is over; also if the operation has
   * failed, and if {@link NativeStream#issue} throws after this call. Where no event can tell when
   * the work is over, since one could not be recorded, queried or synchronized, it runs after the
   * stream was closed. Work that never ends keeps it from running.
   *
   * <p>It runs on the stream's completion thread, or on the thread that closes the stream, with the
   * device bound and no lock held. The completion of later operations waits for it, so it should be
   * short; it may not call back into the {@link org.jhal.Device}. What it throws is logged; with
   * status UNAVAILABLE it also loses the device.
   */
  void whenFired(Runnable release);
}
