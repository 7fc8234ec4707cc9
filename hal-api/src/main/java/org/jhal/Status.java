package org.jhal;

/**
 * What kind of failure a {@link HalException} reports. Every driver maps its native codes to these.
 */
public enum Status {
  /** An argument is wrong in any state of the system: malformed, inconsistent, of a wrong type. */
  INVALID_ARGUMENT,
  /**
   * An argument is outside the range that is valid now: an offset past the end, a value already
   * passed.
   */
  OUT_OF_RANGE,
  /** The object is not in the state that the call needs: closed, not ended, not allocated yet. */
  FAILED_PRECONDITION,
  /** The object exists but was not made for this use: a buffer without the required usage. */
  PERMISSION_DENIED,
  /** What was named does not exist: a driver, a device, a kernel, a file. */
  NOT_FOUND,
  /** Memory or another finite resource is used up; the device stays usable. */
  RESOURCE_EXHAUSTED,
  /** A wait or a close reached its deadline. */
  DEADLINE_EXCEEDED,
  /** The work was cancelled before it ran, usually because something it needs was closed. */
  CANCELLED,
  /** The work ran and failed by itself: a kernel or a host call threw. */
  ABORTED,
  /** The device is lost, or the driver cannot be used on this machine. */
  UNAVAILABLE,
  /** This driver or device does not offer what was asked for. */
  UNIMPLEMENTED,
  /** Data was lost or corrupted beyond repair. */
  DATA_LOSS,
  /** An invariant of JHAL, a driver or the native runtime was violated. */
  INTERNAL,
  /** A failure that fits nowhere else. */
  UNKNOWN
}
