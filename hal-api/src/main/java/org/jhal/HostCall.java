// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * A host function that a queue calls in the order of its timelines.
 *
 * <p>It runs on a thread of a small pool that all queues of a device share (option {@code
 * host-calls}), and occupies that thread until it returns. So it should not block for long.
 *
 * <ul>
 *   <li>It may wait for kernels, transfers, copies, and reads and writes of files, which need no
 *       thread of that pool.
 *   <li>It MUST NOT wait for another host call of the same device, which may get no thread before
 *       this one returns.
 *   <li>A call that has to wait longer, or for another host call, calls {@link Context#defer()} and
 *       returns; a deferred call occupies no thread.
 * </ul>
 *
 * <p>It may signal, fail and enqueue. It MUST NOT close a device, or create or close a group; these
 * calls throw FAILED_PRECONDITION.
 */
@FunctionalInterface
public interface HostCall {
  /** How the operation's signals depend on the call. */
  enum Mode {
    /**
     * The signals are raised when the call has returned, or, if it is deferred, when its {@link
     * Completion} is completed.
     */
    BLOCKING,
    /**
     * The signals are raised when the waits are reached, regardless of the call. An exception that
     * the call throws is logged.
     */
    NON_BLOCKING
  }

  /**
   * Does the work.
   *
   * @throws Exception to fail the operation's signals: with a {@link HalException} as it is, with
   *     any other exception as the cause of an ABORTED failure
   */
  void run(Context context) throws Exception;

  /** The context of a host call. Valid on the calling thread until {@link HostCall#run} returns. */
  interface Context {
    /** Returns the queue that the call was enqueued on. */
    DeviceQueue queue();

    /**
     * Returns the signals of the operation, which are raised when the call has ended; {@link
     * Fence#NONE} for {@link Mode#NON_BLOCKING}.
     */
    Fence signals();

    /**
     * Extends the operation beyond the return of the call, until a method of the returned
     * completion is called. An exception that the call throws after this is logged, and changes
     * nothing.
     *
     * @throws HalException FAILED_PRECONDITION if called twice, after the call has returned, or in
     *     mode {@link Mode#NON_BLOCKING}
     */
    Completion defer();
  }

  /**
   * Ends a deferred host call. The first call of either method counts; later ones are ignored. A
   * call that throws a {@link StackOverflowError} does not count.
   *
   * <p>Thread-safe.
   */
  interface Completion {
    /** Ends the operation successfully: its signals are raised. */
    void complete();

    /** Ends the operation with a failure: its signals fail with {@code failure}. */
    void fail(HalException failure);
  }
}
