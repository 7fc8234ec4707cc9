// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * The kind of failure that a {@link HalException} reports. Every driver maps its native codes to
 * these.
 */
public enum Status {
  /**
   * An argument is wrong whatever the state of the system: malformed, inconsistent, or of a wrong
   * type.
   */
  INVALID_ARGUMENT,
  /**
   * An argument is outside the range that is currently valid: an offset beyond the end, or a value
   * that is already reached.
   */
  OUT_OF_RANGE,
  /**
   * An object is not in the state that the call needs (closed, not ended, not allocated yet), or
   * the call is not allowed on this thread.
   */
  FAILED_PRECONDITION,
  /**
   * An object exists but was not created or opened for this use: a buffer without the required
   * usage, or a file that this process may not read or write.
   */
  PERMISSION_DENIED,
  /** A named thing does not exist: a driver, a device, a kernel, or a file. */
  NOT_FOUND,
  /**
   * Memory, threads, file handles, space or another finite resource is exhausted; the device stays
   * usable.
   */
  RESOURCE_EXHAUSTED,
  /** A wait or a close reached its deadline. */
  DEADLINE_EXCEEDED,
  /** The work was cancelled before it ran, usually because something that it needs was closed. */
  CANCELLED,
  /**
   * The work ran and failed by itself: a kernel or a host call threw, or a file could not be
   * accessed.
   */
  ABORTED,
  /** The device is lost, or the driver cannot be used on this machine. */
  UNAVAILABLE,
  /** This driver or device does not offer what was requested. */
  UNIMPLEMENTED,
  /** Data was lost or corrupted beyond repair. */
  DATA_LOSS,
  /** An invariant of JHAL, a driver or the native runtime was violated. */
  INTERNAL,
  /** A failure of no other kind. */
  UNKNOWN
}
