package org.jhal;

import java.util.Optional;

/**
 * The way in: opens a device by name.
 *
 * <p>Drivers are looked for as {@link DriverRegistry#load()} does. What the class loader of JHAL
 * itself shows is kept, with the drivers made from it, until a driver is asked for that it has not.
 *
 * <pre>{@code
 * try (Device device = Hal.openDevice("mock");
 *     TimelineSemaphore timeline = device.createSemaphore(0);
 *     DeviceBuffer buffer = device.allocate(1024, BufferParams.DEVICE)) {
 *   DeviceQueue queue = device.queue(0);
 *   queue.fill(Fence.NONE, timeline.at(1), buffer, 0, 1024, FillPattern.of8(7));
 *   queue.readback(timeline.at(1), timeline.at(2), buffer, 0, HostMemory.of(result));
 *   timeline.await(2, Duration.ofSeconds(5));
 * }
 * }</pre>
 */
public final class Hal {
  /**
   * The system property that names the default device; it comes before {@link #DEVICE_VARIABLE}.
   */
  public static final String DEVICE_PROPERTY = "jhal.device";

  /** The environment variable that names the default device. */
  public static final String DEVICE_VARIABLE = "JHAL_DEVICE";

  private Hal() {}

  /**
   * Opens the device that {@code uri} names: {@code "mock"}, {@code "mock://1"}, {@code
   * "mock://?queues=4"}.
   *
   * @throws HalException INVALID_ARGUMENT for a malformed URI or an unknown option; NOT_FOUND if
   *     there is no such driver or device, with what there is; UNAVAILABLE if the driver cannot be
   *     used on this machine, with the cause
   */
  public static Device openDevice(String uri) {
    String driver = DeviceUri.parse(uri).driver();
    DriverRegistry known = DriverRegistry.known();
    return (known.has(driver) ? known : DriverRegistry.load()).openDevice(uri);
  }

  /**
   * Opens the default device: what the system property {@code jhal.device} or else the environment
   * variable {@code JHAL_DEVICE} names, else the first usable one in the order of {@link
   * DriverRegistry#entries()}, in which drivers that compute on the host come last.
   *
   * @throws HalException as {@link #openDevice(String)}, and the message tells where the name came
   *     from; NOT_FOUND if no driver can be used, and why not, each
   */
  public static Device openDevice() {
    Optional<String> uri = configuredDevice();
    if (uri.isEmpty()) {
      DriverRegistry known = DriverRegistry.known();
      return (known.isEmpty() ? DriverRegistry.load() : known).openDefaultDevice();
    }
    try {
      return openDevice(uri.get());
    } catch (HalException e) {
      String origin =
          isPropertySet()
              ? "system property " + DEVICE_PROPERTY
              : "environment variable " + DEVICE_VARIABLE;
      throw new HalException(
          e.status(), "the " + origin + " names '" + uri.get() + "': " + e.getMessage(), e);
    }
  }

  /**
   * The device that the system property {@code jhal.device} or else the environment variable {@code
   * JHAL_DEVICE} names; empty if neither does.
   */
  public static Optional<String> configuredDevice() {
    String uri =
        isPropertySet() ? System.getProperty(DEVICE_PROPERTY) : System.getenv(DEVICE_VARIABLE);
    return uri == null || uri.isEmpty() ? Optional.empty() : Optional.of(uri);
  }

  private static boolean isPropertySet() {
    return !System.getProperty(DEVICE_PROPERTY, "").isEmpty();
  }
}
