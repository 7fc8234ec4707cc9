package org.jhal;

/**
 * A function of the host that a queue calls in the order of its timelines.
 *
 * <p>It runs on a thread of a small pool that all queues of a device share (option {@code
 * host-calls}), and occupies that thread until it returns. So it should not block for long. It may
 * wait for kernels, transfers and copies, which need no thread of that pool. It MUST NOT wait for
 * another host call of the same device: that one may get no thread before this one returns. A
 * callee that needs to wait longer, or for a host call, takes {@link Context#defer()} and returns;
 * a deferred call occupies no thread.
 *
 * <p>It may signal, fail and enqueue; it MUST NOT close the device.
 */
@FunctionalInterface
public interface HostCall {
  /** How the operation's signals and the call relate. */
  enum Mode {
    /**
     * The signals are raised when the call has returned, or when its {@link Completion} is told so.
     */
    BLOCKING,
    /**
     * The signals are raised when the waits are met, whatever the call does; what it throws is
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

  /** What a host call is told. Valid on the calling thread until {@link HostCall#run} returns. */
  interface Context {
    /** The queue that calls. */
    DeviceQueue queue();

    /**
     * What will be signalled when the call is over; {@link Fence#NONE} for {@link
     * Mode#NON_BLOCKING}.
     */
    Fence signals();

    /**
     * Makes the operation last beyond the return of the call: until the completion is told. What
     * the call throws after this is logged, and changes nothing.
     *
     * @throws HalException FAILED_PRECONDITION if called twice, after the call has returned, or in
     *     mode NON_BLOCKING
     */
    Completion defer();
  }

  /**
   * The end of a deferred host call. The first call counts, later ones are dropped. Any thread may
   * call it.
   */
  interface Completion {
    /** The operation succeeded: its signals are raised. */
    void complete();

    /** The operation failed: its signals are failed with {@code failure}. */
    void fail(HalException failure);
  }
}
