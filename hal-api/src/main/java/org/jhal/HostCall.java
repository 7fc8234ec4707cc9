package org.jhal;

/**
 * A function of the host that a queue calls in the order of its timelines.
 *
 * <p>It runs on a thread of a small pool that all queues of a device share (option {@code
 * host-calls}), and occupies that thread until it returns. So it should not block for long.
 *
 * <ul>
 *   <li>It may wait for kernels, transfers, copies, and reads and writes of files, which need no
 *       thread of that pool.
 *   <li>It MUST NOT wait for another host call of the same device, which may get no thread before
 *       this one returns.
 *   <li>A call that has to wait longer, or for a host call, calls {@link Context#defer()} and
 *       returns; a deferred call occupies no thread.
 * </ul>
 *
 * <p>It may signal, fail and enqueue; it MUST NOT close a device.
 */
@FunctionalInterface
public interface HostCall {
  /** How the operation's signals depend on the call. */
  enum Mode {
    /**
     * The signals are raised when the call has returned, or, if it was deferred, when its {@link
     * Completion} is completed.
     */
    BLOCKING,
    /**
     * The signals are raised when the waits are met, regardless of the call; what it throws is
     * logged.
     */
    NON_BLOCKING
  }

  /**
   * Does the work.
   *
   * @throws Exception fails the operation's signals: a {@link HalException} as it is, any other as
   *     the cause of an ABORTED one
   */
  void run(Context context) throws Exception;

  /** The context of a host call. Valid on the calling thread until {@link HostCall#run} returns. */
  interface Context {
    /** The queue that the call was enqueued on. */
    DeviceQueue queue();

    /**
     * The signals of the operation, which are raised when the call is over; {@link Fence#NONE} for
     * {@link Mode#NON_BLOCKING}.
     */
    Fence signals();

    /**
     * Extends the operation beyond the return of the call, until the returned completion is called.
     * What the call throws after this is logged, and changes nothing.
     *
     * @throws HalException FAILED_PRECONDITION if called twice, after the call has returned, or in
     *     mode NON_BLOCKING
     */
    Completion defer();
  }

  /**
   * Ends a deferred host call. The first call of either method counts, later ones are ignored.
   * Thread-safe.
   */
  interface Completion {
    /** The operation succeeded: its signals are raised. */
    void complete();

    /** The operation failed: its signals are failed with {@code failure}. */
    void fail(HalException failure);
  }
}
