package org.jhal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The exception that JHAL throws. Its {@link #status()} is the kind of failure; its message names
 * what failed, its value and the limit that it broke. The failure of an operation begins with the
 * {@linkplain #operation operation}.
 *
 * <p>Immutable, but for what every {@link Throwable} lets a program add.
 */
public final class HalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** How many causes are looked through for a code; they may form a circle. */
  private static final int MOST_CAUSES = 100;

  private final Status status;
  private final @Nullable HalException origin; // for a copy: the first exception
  private final @Nullable NativeCode nativeCode;
  private final @Nullable FailedOperation operation;

  /** A failure without a cause. */
  public HalException(Status status, String message) {
    this(status, message, null);
  }

  /** A failure that another throwable caused. */
  public HalException(Status status, String message, @Nullable Throwable cause) {
    this(status, message, cause, null);
  }

  /** A failure that a native function reported with {@code nativeCode}. */
  public HalException(
      Status status, String message, @Nullable Throwable cause, @Nullable NativeCode nativeCode) {
    this(status, message, cause, nativeCode, null, null);
  }

  private HalException(
      Status status,
      String message,
      @Nullable Throwable cause,
      @Nullable NativeCode nativeCode,
      @Nullable FailedOperation operation,
      @Nullable HalException origin) {
    super(Objects.requireNonNull(message, "message"), cause);
    this.status = Objects.requireNonNull(status, "status");
    this.nativeCode = nativeCode;
    this.operation = operation;
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
   * The code with which a native function failed, here or in what has caused this failure; null if
   * there was none, or it is not known.
   */
  public @Nullable NativeCode nativeCode() {
    Throwable next = this;
    for (int i = 0; next != null && i < MOST_CAUSES; i++) {
      if (next instanceof HalException failure && failure.nativeCode != null) {
        return failure.nativeCode;
      }
      next = next.getCause();
    }
    return null;
  }

  /**
   * The operation that has failed. Those that depend on it fail with the same one. Null if no
   * single operation did: a call was refused, the program has failed a timeline, a device was
   * closed, or it was lost; then the message says behind which operation that was seen.
   */
  public @Nullable FailedOperation operation() {
    return operation;
  }

  /**
   * For engines: this failure as that of an operation. The message begins with the operation.
   *
   * @return a new exception, or this one if it already is the failure of an operation
   */
  public HalException of(FailedOperation failed) {
    Objects.requireNonNull(failed, "failed");
    if (operation != null) {
      return this;
    }
    HalException named =
        new HalException(
            status, failed + ": " + getMessage(), getCause(), nativeCode, failed, null);
    named.takeOver(this);
    return named;
  }

  /**
   * This failure without its causes and suppressed exceptions, which may be of classes that a
   * receiver does not have, or that cannot be serialised.
   */
  public HalException alone() {
    HalException alone =
        new HalException(status, getMessage(), null, nativeCode(), operation, null);
    alone.setStackTrace(getStackTrace());
    return alone;
  }

  /**
   * A copy of this failure for another thread to throw: a new exception with the same status,
   * message, operation and cause, and the caller's stack trace. One suppressed exception keeps the
   * stack trace and the suppressed exceptions of the first one, so that the origin is not lost,
   * however often the failure is copied.
   */
  public HalException again() {
    HalException first = origin == null ? this : origin;
    HalException place = // no cause, or it would print twice
        new HalException(status, getMessage(), null, nativeCode, operation, null);
    place.takeOver(first);
    HalException copy =
        new HalException(status, getMessage(), getCause(), nativeCode, operation, first);
    copy.addSuppressed(place);
    return copy;
  }

  private void takeOver(HalException other) {
    setStackTrace(other.getStackTrace());
    for (Throwable suppressed : other.getSuppressed()) {
      addSuppressed(suppressed);
    }
  }

  /** Prints as {@code org.jhal.HalException: STATUS: message}. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + status + ": " + getMessage();
  }
}
