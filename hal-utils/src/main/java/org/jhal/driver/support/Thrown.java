package org.jhal.driver.support;

import org.jhal.HalException;
import org.jhal.Status;

/**
 * Makes failures of what user code or the host threw. Nothing throws here: the throwable may throw
 * when it is asked for its message, and memory or stack may be short.
 */
public final class Thrown {
  /** For when not even an exception can be made. */
  public static final HalException UNKNOWN =
      new HalException(
          Status.RESOURCE_EXHAUSTED, "no memory or stack was left to describe a failure");

  private Thrown() {}

  /**
   * For what a kernel, a host function, or the host's part of an operation, threw: itself if it is
   * a {@link HalException}, otherwise ABORTED with it as the cause.
   *
   * @param what the message up to what was thrown
   */
  public static HalException aborted(String what, Throwable thrown) {
    return thrown instanceof HalException failure ? failure : caused(Status.ABORTED, what, thrown);
  }

  /**
   * A failure with {@code thrown} as its cause.
   *
   * @param what the message up to what was thrown
   */
  public static HalException caused(Status status, String what, Throwable thrown) {
    try {
      return new HalException(status, what + thrown, thrown);
    } catch (Throwable silent) {
      try {
        // Without the cause, which would throw again when the failure is printed.
        return new HalException(status, what + thrown.getClass().getName());
      } catch (Throwable exhausted) {
        return UNKNOWN;
      }
    }
  }
}
