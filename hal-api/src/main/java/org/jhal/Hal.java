package org.jhal;

import java.util.Optional;

/**
 * The entry point: opens a device by name.
 *
 * <p>Drivers are looked for as {@link DriverRegistry#load()} does. Those that the class loader of
 * JHAL itself finds are cached until a driver is requested that is not among them.
 *
 * <p>Thread-safe.
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
   * The system property that names the default device; it takes precedence over {@link
   * #DEVICE_VARIABLE}.
   */
  public static final String DEVICE_PROPERTY = "jhal.device";

  /** The environment variable that names the default device. */
  public static final String DEVICE_VARIABLE = "JHAL_DEVICE";

  private Hal() {}

  /**
   * Opens the device that {@code uri} names: {@code "mock"}, {@code "mock://1"}, {@code
   * "mock://?queues=4"}. The caller closes it.
   *
   * @throws HalException INVALID_ARGUMENT for a malformed URI or an unknown option; OUT_OF_RANGE
   *     for an option with a value out of its range; NOT_FOUND if there is no such driver or
   *     device, with a list of those that exist; UNAVAILABLE if the driver cannot be used on this
   *     machine, with the cause
   */
  public static Device openDevice(String uri) {
    String driver = DeviceUri.parse(uri).driver();
    DriverRegistry known = DriverRegistry.known();
    return (known.has(driver) ? known : DriverRegistry.load()).openDevice(uri);
  }

  /**
   * Opens the default device: the one that the system property {@code jhal.device} or else the
   * environment variable {@code JHAL_DEVICE} names, else the first usable one in the order of
   * {@link DriverRegistry#entries()}, in which drivers that compute on the host come last. The
   * caller closes it.
   *
   * @throws HalException as {@link #openDevice(String)}, and the message says where the name came
   *     from; NOT_FOUND if no driver can be used; the message gives the reason for each
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
