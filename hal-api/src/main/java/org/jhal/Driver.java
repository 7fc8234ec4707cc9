package org.jhal;

import java.util.List;
import java.util.Objects;

/**
 * A way to reach devices of one kind.
 *
 * <p>Thread-safe.
 */
public interface Driver {
  /** Its name, as device URIs write it. */
  String name();

  /**
   * Whether it can be used on this machine. May load native libraries and initialise them; the
   * verdict is kept. Never throws for a machine that lacks something.
   */
  Availability probe();

  /**
   * The devices there are.
   *
   * @param uri whose options may say how many; its selector is ignored
   * @throws HalException UNAVAILABLE with the cause if the driver cannot be used; INVALID_ARGUMENT
   *     for an unknown option
   */
  List<DeviceInfo> devices(DeviceUri uri);

  /**
   * Opens the device that {@code uri} selects, by default the first.
   *
   * @throws HalException NOT_FOUND if there is no such device, with those that there are;
   *     INVALID_ARGUMENT or OUT_OF_RANGE for a wrong option; UNAVAILABLE with the cause if the
   *     driver cannot be used
   */
  Device open(DeviceUri uri);

  /**
   * Whether a driver can be used.
   *
   * @param isAvailable whether it can
   * @param detail one line for people: the version found, or why it cannot be used
   */
  record Availability(boolean isAvailable, String detail) {
    /** Checks for null. */
    public Availability {
      Objects.requireNonNull(detail, "detail");
    }

    /** It can. */
    public static Availability available(String detail) {
      return new Availability(true, detail);
    }

    /** It cannot, and why. */
    public static Availability unavailable(String reason) {
      return new Availability(false, Objects.requireNonNull(reason, "reason"));
    }
  }
}
