// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jspecify.annotations.Nullable;

/** Work that the host does for an operation after its native work and before its signals. */
@FunctionalInterface
public interface HostCompletion {
  /**
   * Does the work, or a part of it and {@link Context#defer() defers} the end. Not called if the
   * operation has already failed.
   *
   * <p>A failure fails the operation, whether it is thrown here or given to {@link Completion#end}:
   * a {@link org.jhal.HalException} as it is, anything else as the cause of an ABORTED one. With
   * status UNAVAILABLE the device is lost. What is thrown after the end was deferred does not fail
   * the operation; unless it loses the device, it is only logged.
   */
  void run(Context context) throws Exception;

  /**
   * Whether {@link #run} does no more than copy a little memory: it takes less than a millisecond,
   * waits for nothing, makes no native call, and does not defer the end. A brief completion runs on
   * the thread that sees the operation's event fire, which may be a thread of the program that
   * waits for the operation. Constant.
   */
  default boolean isBrief() {
    return false;
  }

  /**
   * Does a part of what {@link #run} has to do, if the device is so far; otherwise nothing. Called
   * for a brief completion between the issue and {@link #run}, by the threads that wait for the
   * event, one at a time and with the device bound. It takes less time than {@link #run} may, and
   * may ask how far a stream has come. The operation may fail later.
   *
   * <p>What it throws is dropped: it is not called again, and {@link #run} does the rest.
   *
   * @return whether to call it again before the event fires
   */
  default boolean advance() {
    return false;
  }

  /**
   * Releases what this holds, such as staging memory. Called once, whether or not {@link #run} was.
   */
  default void retire() {}

  /** What {@link #run} may ask for. */
  interface Context {
    /**
     * Lets the operation end when the returned object completes, instead of when {@link #run}
     * returns.
     *
     * @throws org.jhal.HalException FAILED_PRECONDITION if it is not the first call, or {@link
     *     #run} has returned
     */
    Completion defer();

    /** The threads on which the completion runs. They stay usable after {@link #run} returned. */
    HostThreads threads();
  }

  /** The deferred end of an operation. Any thread may use it. */
  interface Completion {
    /**
     * Ends the operation. The first call counts. Users' callbacks may run before it returns, so it
     * must be called with no lock held and without a device bound.
     *
     * @param failure null if the work is done
     */
    void end(@Nullable Throwable failure);
  }
}
