// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The exception that JHAL throws. Its {@link #status()} is the kind of failure. Its message names
 * what failed, its value and the limit that it violates. The message of a failed operation begins
 * with the {@linkplain #operation operation}.
 *
 * <p>Immutable, except for what a program can change in every {@link Throwable}.
 */
public final class HalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The maximum number of causes that are searched for a code, because they may form a cycle. */
  private static final int MOST_CAUSES = 100;

  private final Status status;
  private final @Nullable HalException origin; // for a copy: the original exception
  private final @Nullable NativeCode nativeCode;
  private final @Nullable FailedOperation operation;
  private final List<KernelFinding> findings;

  /** Creates a failure without a cause. */
  public HalException(Status status, String message) {
    this(status, message, null);
  }

  /** Creates a failure that another throwable has caused. */
  public HalException(Status status, String message, @Nullable Throwable cause) {
    this(status, message, cause, null);
  }

  /** Creates a failure that a native function has reported with {@code nativeCode}. */
  public HalException(
      Status status, String message, @Nullable Throwable cause, @Nullable NativeCode nativeCode) {
    this(status, message, cause, nativeCode, null, List.of(), null);
  }

  /** Returns the failure of an operation whose kernels do what is found; its status is ABORTED. */
  public static HalException ofFindings(String message, List<KernelFinding> findings) {
    List<KernelFinding> copy = List.copyOf(Objects.requireNonNull(findings, "findings"));
    return new HalException(Status.ABORTED, message, null, null, null, copy, null);
  }

  /**
   * Returns a failure that is made ahead, for when memory or stack are missing, and may be kept in
   * a static field: it has no stack trace, and gets no suppressed exceptions, so it refers to no
   * class of those who make or throw it.
   */
  public static HalException withoutTrace(Status status, String message) {
    return new HalException(message, status);
  }

  /** See {@link #withoutTrace}. */
  private HalException(String message, Status status) {
    super(Objects.requireNonNull(message, "message"), null, false, false);
    this.status = Objects.requireNonNull(status, "status");
    this.nativeCode = null;
    this.operation = null;
    this.findings = List.of();
    this.origin = null;
  }

  private HalException(
      Status status,
      String message,
      @Nullable Throwable cause,
      @Nullable NativeCode nativeCode,
      @Nullable FailedOperation operation,
      List<KernelFinding> findings,
      @Nullable HalException origin) {
    super(Objects.requireNonNull(message, "message"), cause);
    this.status = Objects.requireNonNull(status, "status");
    this.nativeCode = nativeCode;
    this.operation = operation;
    this.findings = findings;
    this.origin = origin;
  }

  /** Returns the message, which is never null. */
  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }

  /** Returns the kind of failure. */
  public Status status() {
    return status;
  }

  /**
   * Returns the code with which a native function failed, in this failure or in one of its causes;
   * null if there was none, or if it is not known.
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
   * Returns the operation that has failed; the failures of operations that depend on it name the
   * same one. Returns null if no single operation has failed: a call was rejected, the program has
   * failed a timeline, or a device was closed or lost. If a loss was detected after an operation,
   * the message names that one.
   */
  public @Nullable FailedOperation operation() {
    return operation;
  }

  /**
   * Returns what the operation's kernels do and must not do, if a device has looked for that and
   * the operation has failed for it; otherwise an empty list. The message has the same as text.
   */
  public List<KernelFinding> findings() {
    return findings;
  }

  /**
   * For engines: returns this failure as that of an operation. The message begins with the
   * operation.
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
            status, failed + ": " + getMessage(), getCause(), nativeCode, failed, findings, null);
    named.takeOver(this);
    return named;
  }

  /**
   * Returns this failure without its causes and suppressed exceptions, which may be of classes that
   * a receiver does not have, or that cannot be serialized. The native code is kept.
   */
  public HalException alone() {
    HalException alone =
        new HalException(status, getMessage(), null, nativeCode(), operation, findings, null);
    alone.setStackTrace(getStackTrace());
    return alone;
  }

  /**
   * Returns a copy of this failure for another thread to throw: a new exception with the same
   * status, message, operation, native code and cause, and the caller's stack trace. A suppressed
   * exception keeps the stack trace and the suppressed exceptions of the original one, so that the
   * origin is not lost, however often the failure is copied.
   */
  public HalException again() {
    HalException first = origin == null ? this : origin;
    HalException place = // without the cause, which would be printed twice
        new HalException(status, getMessage(), null, nativeCode, operation, findings, null);
    place.takeOver(first);
    HalException copy =
        new HalException(status, getMessage(), getCause(), nativeCode, operation, findings, first);
    copy.addSuppressed(place);
    return copy;
  }

  private void takeOver(HalException other) {
    setStackTrace(other.getStackTrace());
    for (Throwable suppressed : other.getSuppressed()) {
      addSuppressed(suppressed);
    }
  }

  /** Returns the failure in the form {@code org.jhal.HalException: STATUS: message}. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + status + ": " + getMessage();
  }
}
