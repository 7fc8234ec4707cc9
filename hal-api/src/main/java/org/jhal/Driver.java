package org.jhal;

import java.util.List;
import java.util.Objects;

/**
 * Gives access to devices of one kind.
 *
 * <p>Thread-safe.
 */
public interface Driver {
  /** The driver's name, as it appears in device URIs. */
  String name();

  /**
   * Whether the driver can be used on this machine. May load native libraries and initialise them;
   * the driver keeps the verdict. Never throws because a machine lacks something.
   */
  Availability probe();

  /**
   * Lists the devices.
   *
   * @param uri its options may say how many devices there are; its selector is ignored
   * @throws HalException UNAVAILABLE with the cause if the driver cannot be used; INVALID_ARGUMENT
   *     for an unknown option
   */
  List<DeviceInfo> devices(DeviceUri uri);

  /**
   * Opens the device that {@code uri} selects; an empty selector means the first. The caller closes
   * it.
   *
   * @throws HalException NOT_FOUND if there is no such device, with a list of those that exist;
   *     INVALID_ARGUMENT or OUT_OF_RANGE for a wrong option; UNAVAILABLE with the cause if the
   *     driver cannot be used
   */
  Device open(DeviceUri uri);

  /**
   * Whether a driver can be used.
   *
   * @param isAvailable whether the driver can be used
   * @param detail one line for people: the version found, or why it cannot be used
   */
  record Availability(boolean isAvailable, String detail) {
    /** Checks for null. */
    public Availability {
      Objects.requireNonNull(detail, "detail");
    }

    /** The driver can be used. */
    public static Availability available(String detail) {
      return new Availability(true, detail);
    }

    /** The driver cannot be used, for this reason. */
    public static Availability unavailable(String reason) {
      return new Availability(false, Objects.requireNonNull(reason, "reason"));
    }
  }
}
