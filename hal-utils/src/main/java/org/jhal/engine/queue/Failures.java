package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.Status;

/** Makes failures of what was thrown. */
public final class Failures {
  private Failures() {}

  /** What a driver threw: as it is, or INTERNAL if it should not have been thrown at all. */
  public static HalException of(Throwable thrown) {
    return thrown instanceof HalException failure
        ? failure
        : new HalException(Status.INTERNAL, "unexpected " + thrown, thrown);
  }

  /** What a driver threw, within a message: {@code STATUS: message}. */
  public static String describe(Throwable thrown) {
    HalException failure = of(thrown);
    return failure.status() + ": " + failure.getMessage();
  }

  /** Whether a native call threw this because the device is lost. */
  static boolean isLoss(Throwable thrown) {
    return thrown instanceof HalException failure && failure.status() == Status.UNAVAILABLE;
  }

  /** What a host function threw: as it is, or the cause of an ABORTED. */
  public static HalException aborted(Throwable thrown) {
    return thrown instanceof HalException failure
        ? failure
        : new HalException(Status.ABORTED, "host call threw " + thrown, thrown);
  }

  static HalException internal(String message) {
    return new HalException(Status.INTERNAL, message);
  }
}
