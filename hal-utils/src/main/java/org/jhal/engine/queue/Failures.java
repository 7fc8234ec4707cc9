package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.Status;

/** Converts what was thrown into a {@link HalException}. */
public final class Failures {
  private Failures() {}

  /**
   * For what a driver threw: itself if it is a {@link HalException}, otherwise INTERNAL, since
   * drivers should throw nothing else.
   */
  public static HalException of(Throwable thrown) {
    return thrown instanceof HalException failure
        ? failure
        : new HalException(Status.INTERNAL, "unexpected " + thrown, thrown);
  }

  /** What a driver threw, as part of a message: {@code STATUS: message}. */
  public static String describe(Throwable thrown) {
    HalException failure = of(thrown);
    return failure.status() + ": " + failure.getMessage();
  }

  /** Whether a native call threw this because the device is lost. */
  static boolean isLoss(Throwable thrown) {
    return thrown instanceof HalException failure && failure.status() == Status.UNAVAILABLE;
  }

  /**
   * For what a host function threw: itself if it is a {@link HalException}, otherwise ABORTED with
   * it as the cause.
   */
  public static HalException aborted(Throwable thrown) {
    return thrown instanceof HalException failure
        ? failure
        : new HalException(Status.ABORTED, "host call threw " + thrown, thrown);
  }

  static HalException internal(String message) {
    return new HalException(Status.INTERNAL, message);
  }
}
