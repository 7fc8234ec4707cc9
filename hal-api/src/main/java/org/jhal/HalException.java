package org.jhal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The one exception of JHAL. Its {@link #status()} tells what kind of failure it is; its message
 * names the thing that failed, the value it had and the limit it broke.
 */
public final class HalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Status status;
  private final @Nullable HalException origin; // of a copy: what was thrown first

  /** A failure without a cause. */
  public HalException(Status status, String message) {
    this(status, message, null);
  }

  /** A failure that another throwable explains. */
  public HalException(Status status, String message, @Nullable Throwable cause) {
    this(status, message, cause, null);
  }

  private HalException(
      Status status, String message, @Nullable Throwable cause, @Nullable HalException origin) {
    super(Objects.requireNonNull(message, "message"), cause);
    this.status = Objects.requireNonNull(status, "status");
    this.origin = origin;
  }

  /** What failed; never null. */
  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }

  /** What kind of failure this is. */
  public Status status() {
    return status;
  }

  /**
   * The same failure to be thrown by another thread: a new exception with this one's status,
   * message and cause, whose stack trace is the caller's. It has one suppressed exception, which
   * keeps the stack trace and the suppressed exceptions of the first, so that the place of origin
   * is not lost, however often the failure is handed on.
   */
  public HalException again() {
    HalException first = origin == null ? this : origin;
    HalException place = new HalException(status, getMessage()); // no cause: it would print twice
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
