// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The entry point: opens a device by name.
 *
 * <p>Drivers are searched for as by {@link DriverRegistry#load()}. Those that the class loader of
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

  /** The maximum number of characters that {@link #explain} returns. */
  public static final int EXPLANATION_LIMIT = 65_536;

  private Hal() {}

  /**
   * Opens the device that {@code uri} names: {@code "mock"}, {@code "mock://1"}, {@code
   * "mock://?queues=4"}. The caller closes it.
   *
   * <p>{@code "!mock"} opens the default device, excluding those of the driver {@code mock}; {@code
   * "!mock,!cuda"} excludes two drivers. Each of these drivers must have been found, usable or not.
   *
   * @throws HalException INVALID_ARGUMENT for a malformed URI, an unknown option or a malformed
   *     value; OUT_OF_RANGE for a value out of its range; NOT_FOUND if there is no such driver or
   *     device, with a list of those that exist; FAILED_PRECONDITION if the driver cannot be used
   *     on any machine ({@link DriverRegistry.Entry#problem()}); UNAVAILABLE if it cannot be used
   *     on this machine, with the cause
   */
  public static Device openDevice(String uri) {
    if (Objects.requireNonNull(uri, "uri").startsWith("!")) {
      Set<String> names = excluded(uri);
      DriverRegistry known = DriverRegistry.known();
      return (names.stream().allMatch(known::has) ? known : DriverRegistry.load())
          .openDefaultDeviceExcept(names);
    }
    String driver = DeviceUri.parse(uri).driver();
    DriverRegistry known = DriverRegistry.known();
    return (known.has(driver) ? known : DriverRegistry.load()).openDevice(uri);
  }

  private static Set<String> excluded(String uri) {
    Set<String> names = new LinkedHashSet<>();
    for (String part : uri.split(",", -1)) {
      if (!part.startsWith("!") || !DeviceUri.NAME.matcher(part.substring(1)).matches()) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "device '" + uri + "': '" + part + "' is not ! and the name of a driver to exclude");
      }
      names.add(part.substring(1));
    }
    return names;
  }

  private static DriverRegistry registry() {
    DriverRegistry known = DriverRegistry.known();
    return known.isEmpty() ? DriverRegistry.load() : known;
  }

  /**
   * Opens the first device of the first usable driver that does not compute on the host, in the
   * order of {@link DriverRegistry#entries()}, whatever the default device is. The caller closes
   * it.
   *
   * @throws HalException NOT_FOUND if there is none, with the reason for each driver
   */
  public static Device openAccelerator() {
    return registry().openAccelerator();
  }

  /**
   * Opens the default device: the one that the system property {@code jhal.device} or else the
   * environment variable {@code JHAL_DEVICE} names, else the first usable one in the order of
   * {@link DriverRegistry#entries()}, in which drivers that compute on the host come last, and the
   * mock after the others. The caller closes it. In the latter case, the choice, and why other
   * drivers were not chosen, is logged at INFO.
   *
   * @throws HalException as {@link #openDevice(String)}, with the origin of the name in the
   *     message; NOT_FOUND if no driver can be used, with the reason for each
   */
  public static Device openDevice() {
    Optional<String> uri = configuredDevice();
    if (uri.isEmpty()) {
      return registry().openDefaultDevice();
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
   * Returns the name of the device from the system property {@code jhal.device} or else from the
   * environment variable {@code JHAL_DEVICE}; empty if neither is set.
   */
  public static Optional<String> configuredDevice() {
    String uri =
        isPropertySet() ? System.getProperty(DEVICE_PROPERTY) : System.getenv(DEVICE_VARIABLE);
    return uri == null || uri.isEmpty() ? Optional.empty() : Optional.of(uri);
  }

  /**
   * Describes what this process waits for, as text for users: the open operations of all open
   * devices, by queue, each with the values that it waits for and the operation that would signal
   * them. Cycles, and waits for values that no operation has promised, come first. This does not
   * decide whether something is stuck: the program may still signal any timeline itself.
   *
   * <p>The text has many lines, and at most {@link #EXPLANATION_LIMIT} characters. To keep this
   * limit, long lists are shortened to some entries and the number of the others. At most 200,000
   * operations are examined, preferably the oldest. Devices of other copies of this API, in other
   * class loaders, are not included.
   *
   * <p>Any thread may call this at any time, even in a callback or in external work, and while a
   * device hangs or is lost. The call does not wait. Other threads continue meanwhile, so the text
   * does not show a single moment. The call examines every open operation, so it is not for hot
   * paths. The same text is available through JMX; see {@link HalMXBean}.
   */
  public static String explain() {
    return ProcessExplanation.make();
  }

  /**
   * Returns the state of each open device, oldest first, for monitoring. Devices of other copies of
   * this API, in other class loaders, are not included, nor are devices that are closed, unless
   * work on them has not ended. A device that cannot report its state is left out.
   *
   * <p>Any thread may call this at any time, as {@link #explain}, and the call does not wait. It
   * counts the open operations, which takes about a millisecond for 50,000 of them; {@link
   * DeviceHealth#check} does not. The same data is available through JMX; see {@link HalMXBean}.
   */
  public static List<DeviceState> deviceStates() {
    return DeviceState.all();
  }

  private static boolean isPropertySet() {
    return !System.getProperty(DEVICE_PROPERTY, "").isEmpty();
  }
}
