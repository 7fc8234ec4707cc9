// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jhal.HalException;

/**
 * One submission of a {@link CommandList}, as {@link NativeStream#submit} sees it: it resolves the
 * operands, and takes what the driver learns after issuing.
 *
 * <p>Operands are resolved, and {@link #afterwards} and {@link #whenFired} called, while issuing
 * only: on the thread that calls {@link NativeStream#submit}, before that returns. {@link #fail}
 * may be called from any thread, before the event that is recorded behind the commands fires.
 */
public interface Submission {
  /** The memory of an operand. */
  DeviceMemory memory(Operand operand);

  /** The offset in bytes at which the operand starts in its memory. */
  long offset(Operand operand);

  /** The length of the operand in bytes. */
  long length(Operand operand);

  /**
   * Whether everything that the submission waits for is over. If not, some of that work is still in
   * a stream of the device, and may write host memory that the device can access.
   *
   * <p>Memory of an upload may be read while issuing only if this is true, or if the memory is on
   * the heap, which no device can access. May be called while issuing only.
   */
  boolean waitsReached();

  /**
   * Whether the stream's {@link NativeStream#capacity() capacity} was reserved for each command. If
   * not, the engine has reserved what {@link NativeStream#weight(PreparedCommands)} said, and the
   * stream may lack room for the commands one by one. May be called while issuing only.
   */
  boolean hasRoomForEach();

  /**
   * Gives the submission back instead of issuing it: for commands that were weighed as a whole and
   * must be issued one by one after all. Nothing may have been issued, and {@link
   * NativeStream#submit} returns. The submission comes again, before all later ones, when there is
   * room for each command. May be called while issuing only, and only if {@link #hasRoomForEach} is
   * false.
   */
  void putBack();

  /** Whether the submission comes again because it was put back. */
  boolean wasPutBack();

  /**
   * Whether {@link NativeStream#issueMayBlock} has said that issuing may block, so that a thread of
   * the queue issues. If not, it may be a thread of the user.
   */
  boolean mayBlock();

  /**
   * Has a thread of the device do something that takes long and belongs to no stream, such as
   * preparing a faster form of the commands. The commands, their kernels and their buffers live
   * until it is over; memory that a queue allocated may be freed in stream order. May be called
   * while issuing only.
   *
   * <p>The device is bound to the thread. Nothing happens if the device is closed or lost before.
   * What {@code work} throws is logged; with status UNAVAILABLE the device is lost.
   */
  void inBackground(Runnable work);

  /**
   * Whether {@link #ranOnDevice} is to be called: the time is recorded, and {@link
   * NativeStream#timingWeight} was reserved. Constant for a submission.
   */
  boolean isTimed();

  /**
   * Reports when the work ran on the device, both as {@link System#nanoTime}. For a submission that
   * {@link #isTimed}, from {@link NativeStream#submit} on until the event behind it has fired, or
   * in {@link #whenFired}; from any thread.
   *
   * @param error by how many nanoseconds each of the two may be wrong
   */
  void ranOnDevice(long begin, long end, long error);

  /**
   * Whether {@link #commandRan} is to be called for each command: it is a recording, and {@link
   * NativeStream#commandTimingWeight} was reserved for each. Then the commands are to be issued one
   * by one, in whatever form they were {@linkplain DeviceBackend#prepare prepared}. Constant for a
   * submission.
   */
  default boolean timesCommands() {
    return false;
  }

  /**
   * Reports when a command of the list ran on the device; otherwise as {@link #ranOnDevice}, for a
   * submission that {@link #timesCommands}.
   *
   * @param index of the command in the list
   */
  default void commandRan(int index, long begin, long end, long error) {}

  /**
   * Reports how an upload or a readback moves its bytes, for statistics (rule D6) and for
   * recordings of what happens. To be called once for each, while issuing only.
   */
  void moves(Command command, TransferPath path);

  /**
   * Reports that the work failed after it was issued; the first failure counts. For drivers that
   * run commands themselves, or whose runtime reports failures. One that has to ask its runtime
   * says so with {@link DeviceBackend#outcomesCanFail}.
   */
  void fail(HalException failure);

  /**
   * Adds work that the host must do after the native work and before the signals, such as copying
   * out of staging memory. It runs on one of the few threads that serve transfers of the device,
   * unless it is {@linkplain HostCompletion#isBrief brief}. May be called while issuing only, and
   * once.
   *
   * <p>No event of the stream covers it. So operations that wait for this one, even on the same
   * device, are issued only after it is over and the signals are raised; without it they are issued
   * at once, behind the event (rule Q5).
   *
   * @throws HalException FAILED_PRECONDITION if the submission has one already
   */
  void afterwards(HostCompletion completion);

  /**
   * Adds something to release when the native work is over, such as memory that only this
   * submission uses. Unlike {@link #afterwards} it does not delay the signals. May be called while
   * issuing only.
   *
   * <p>It runs exactly once: after the event that is recorded behind the operation has fired, the
   * signals are applied, and the work of {@link #afterwards} is over; also if the operation has
   * failed, and if {@link NativeStream#submit} throws after this call. If no event shows when the
   * work is over, because one could not be recorded, queried or synchronized, it runs after the
   * stream was closed. If the work never ends, it never runs.
   *
   * <p>It runs on the stream's completion thread, on another thread of the device while that one
   * sleeps for later work, or on the thread that closes the stream, with the device bound and no
   * lock held; those of two submissions may run at the same time. The completion of later
   * operations waits for it, so it should be short; it may not call back into the {@link
   * org.jhal.Device}. What it throws is logged; with status UNAVAILABLE it also loses the device.
   */
  void whenFired(Runnable release);
}
