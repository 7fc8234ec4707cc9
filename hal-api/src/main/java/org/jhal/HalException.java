package org.jhal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The exception that JHAL throws. Its {@link #status()} is the kind of failure; its message names
 * what failed, its value and the limit that it broke.
 */
public final class HalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Status status;
  private final @Nullable HalException origin; // for a copy: the first exception

  /** A failure without a cause. */
  public HalException(Status status, String message) {
    this(status, message, null);
  }

  /** A failure that another throwable caused. */
  public HalException(Status status, String message, @Nullable Throwable cause) {
    this(status, message, cause, null);
  }

  private HalException(
      Status status, String message, @Nullable Throwable cause, @Nullable HalException origin) {
    super(Objects.requireNonNull(message, "message"), cause);
    this.status = Objects.requireNonNull(status, "status");
    this.origin = origin;
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }

  /** The kind of failure. */
  public Status status() {
    return status;
  }

  /**
   * A copy of this failure for another thread to throw: a new exception with the same status,
   * message and cause, and the caller's stack trace. One suppressed exception keeps the stack trace
   * and the suppressed exceptions of the first one, so that the origin is not lost, however often
   * the failure is copied.
   */
  public HalException again() {
    HalException first = origin == null ? this : origin;
    HalException place =
        new HalException(status, getMessage()); // no cause, or it would print twice
    place.setStackTrace(first.getStackTrace());
    for (Throwable suppressed : first.getSuppressed()) {
      place.addSuppressed(suppressed);
    }
    HalException copy = new HalException(status, getMessage(), getCause(), first);
    copy.addSuppressed(place);
    return copy;
  }

  /** Prints as {@code org.jhal.HalException: STATUS: message}. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + status + ": " + getMessage();
  }
}
