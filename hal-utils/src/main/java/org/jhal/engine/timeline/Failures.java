// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.lang.System.Logger.Level;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeStream;
import org.jhal.driver.UncoveredWorkException;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Converts what was thrown into a {@link HalException}, or logs it. Nothing here throws, since a
 * waiter needs the outcome: an exception of a user may itself throw when it is asked for its
 * message, and memory or stack may be short.
 */
public final class Failures {
  /** For when not even an exception can be made. */
  static final HalException UNKNOWN =
      HalException.withoutTrace(
          Status.RESOURCE_EXHAUSTED, "no memory or stack was left to describe a failure");

  private Failures() {}

  /**
   * For what a driver threw: itself if it is a {@link HalException}, RESOURCE_EXHAUSTED for a lack
   * of memory, threads or file handles, otherwise INTERNAL, since drivers should throw nothing
   * else.
   */
  public static HalException of(Throwable thrown) {
    Throwable first = first(thrown);
    if (first instanceof HalException failure) {
      return failure;
    }
    return isExhausted(first)
        ? caused(Status.RESOURCE_EXHAUSTED, "", first)
        : caused(Status.INTERNAL, "unexpected ", first);
  }

  /** Without further calls for other errors: the stack may be short. */
  private static boolean isExhausted(Throwable thrown) {
    return thrown instanceof OutOfMemoryError
        || (thrown instanceof Exception && HostFailures.isExhausted(thrown));
  }

  /** What a driver threw, as part of a message: {@code STATUS: message}. */
  public static String describe(Throwable thrown) {
    HalException failure = of(thrown);
    return failure.status() + ": " + failure.getMessage();
  }

  /** The message of what was thrown, or nothing if it has none or throws when it is asked. */
  public static String message(Throwable thrown) {
    try {
      return String.valueOf(thrown.getMessage());
    } catch (Throwable silent) {
      return "";
    }
  }

  /** Whether a native call threw this because the device is lost. */
  public static boolean isLoss(Throwable thrown) {
    return thrown instanceof HalException failure && failure.status() == Status.UNAVAILABLE;
  }

  /**
   * For what a host function, or the host's part of an operation, threw: itself if it is a {@link
   * HalException}, otherwise RESOURCE_EXHAUSTED or ABORTED with it as the cause.
   *
   * @param what the message up to what was thrown
   */
  public static HalException aborted(String what, Throwable thrown) {
    if (thrown instanceof HalException failure) {
      return failure;
    }
    return caused(isExhausted(thrown) ? Status.RESOURCE_EXHAUSTED : Status.ABORTED, what, thrown);
  }

  /**
   * A failure with {@code thrown} as its cause.
   *
   * @param what the message up to what was thrown
   */
  public static HalException caused(Status status, String what, Throwable thrown) {
    try {
      String text = status == Status.RESOURCE_EXHAUSTED ? HostFailures.reason(thrown) : "" + thrown;
      return new HalException(status, what + text, thrown);
    } catch (Throwable silent) {
      try {
        // Without the cause, which would throw again when the failure is printed.
        return new HalException(status, what + thrown.getClass().getName());
      } catch (Throwable exhausted) {
        return UNKNOWN;
      }
    }
  }

  /** What {@link NativeStream#submit} threw, as the cause of a loss: what has failed first. */
  public static Throwable first(Throwable thrown) {
    return thrown instanceof UncoveredWorkException e
        ? Objects.requireNonNull(e.getCause())
        : thrown;
  }

  public static HalException internal(String message) {
    return new HalException(Status.INTERNAL, message);
  }

  /**
   * Logs a message, and what was thrown, if anything, or at least its class if it cannot be
   * printed. The engine logs by this alone: a logger may throw, for example if a stack overflow has
   * spoilt one of its classes, and the engine must go on behind the call.
   */
  public static void log(
      System.Logger logger, Level level, String message, @Nullable Throwable thrown) {
    try {
      if (thrown != null) {
        String unused = thrown.toString(); // many loggers would print nothing if this throws
      }
      logger.log(level, message, thrown);
    } catch (Throwable silent) {
      try {
        logger.log(level, thrown == null ? message : message + ": " + thrown.getClass().getName());
      } catch (Throwable exhausted) {
        return; // there is no other way to report it
      }
    }
  }
}
