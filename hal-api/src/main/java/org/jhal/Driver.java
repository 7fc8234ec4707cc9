// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.List;
import java.util.Objects;

/**
 * Gives access to devices of one kind.
 *
 * <p>Thread-safe.
 */
public interface Driver {
  /** Returns the driver's name, as it appears in device URIs. */
  String name();

  /**
   * Reports whether the driver can be used on this machine. May load native libraries and
   * initialize them; the driver keeps the result. Never throws if something is missing on the
   * machine.
   */
  Availability probe();

  /**
   * Lists the devices.
   *
   * @param uri the options, which may determine how many devices there are; the selector is ignored
   * @throws HalException UNAVAILABLE with the cause if the driver cannot be used; INVALID_ARGUMENT
   *     for an unknown option or a malformed value; OUT_OF_RANGE for a value out of its range
   */
  List<DeviceInfo> devices(DeviceUri uri);

  /**
   * Opens the device that {@code uri} selects; an empty selector selects the first one. The caller
   * closes it.
   *
   * @throws HalException NOT_FOUND if there is no such device, with a list of those that exist;
   *     INVALID_ARGUMENT for a malformed selector, an unknown option or a malformed value;
   *     OUT_OF_RANGE for a value out of its range; UNAVAILABLE with the cause if the driver cannot
   *     be used
   */
  Device open(DeviceUri uri);

  /**
   * Whether a driver can be used. Immutable.
   *
   * @param isAvailable whether the driver can be used
   * @param detail one line for users: the version that was found, or why the driver cannot be used
   */
  record Availability(boolean isAvailable, String detail) {
    /** Rejects null. */
    public Availability {
      Objects.requireNonNull(detail, "detail");
    }

    /** Returns that the driver can be used. */
    public static Availability available(String detail) {
      return new Availability(true, detail);
    }

    /** Returns that the driver cannot be used, for this reason. */
    public static Availability unavailable(String reason) {
      return new Availability(false, Objects.requireNonNull(reason, "reason"));
    }
  }
}
