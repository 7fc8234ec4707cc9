// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.ToIntFunction;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.DriverRegistry;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.ConfiguredDriver;
import org.jhal.driver.options.EngineOptions;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.ReusableEvent;
import org.jhal.engine.EngineDevice;
import org.jhal.recording.compare.Elements;

/**
 * Opens two devices as one that does everything on both.
 *
 * <p>Thread-safe.
 */
class TwinDriver extends ConfiguredDriver {
  static final String NAME = "twin";

  private static final EngineOptions ENGINE =
      new EngineOptions(2, Duration.ofNanos(20_000), Duration.ZERO);
  private static final Option<String> FIRST =
      Option.text("first", "", "the URI of the device whose results count");
  private static final Option<String> SECOND =
      Option.text("second", "", "the URI of the device that is compared with it");
  private static final Option<Long> ULPS =
      Option.integer(
          "ulps",
          16,
          0,
          Long.MAX_VALUE,
          "",
          "how many units in the last place floating-point numbers may be apart");
  private static final Option<String> ABSOLUTE =
      Option.text(
          "absolute", "0", "the difference of floating-point numbers up to which they are equal");
  private static final Option<String> SCALED =
      Option.choice(
          "scaled",
          "no",
          List.of("no", "yes"),
          "whether units in the last place are those of the largest number of a buffer");
  private static final Option<String> NOISE =
      Option.choice(
          "noise",
          "no",
          List.of("no", "yes"),
          "whether each dispatch first runs twice on the first device, to learn how much it varies");
  private static final Option<String> FRESH =
      Option.choice(
          "fresh",
          "other",
          List.of("other", "same"),
          "whether new memory has other bytes on the second device, so that dispatches which read"
              + " what nothing has written fail");

  TwinDriver() {
    super(NAME, ENGINE, List.of(FIRST, SECOND, ULPS, ABSOLUTE, SCALED, NOISE, FRESH));
  }

  @Override
  public Availability probe() {
    return Availability.available("compares two devices: twin://?first=URI&second=URI");
  }

  /** One, if its two devices are named. */
  @Override
  protected List<DeviceInfo> devices(Settings settings) {
    if (settings.get(FIRST).isEmpty() || settings.get(SECOND).isEmpty()) {
      return List.of();
    }
    Optional<DeviceInfo> first = find(settings.get(FIRST));
    Optional<DeviceInfo> second = find(settings.get(SECOND));
    return first.isEmpty() || second.isEmpty()
        ? List.of()
        : List.of(info(first.get(), second.get()));
  }

  /** The device that a URI means, without opening it. */
  private static Optional<DeviceInfo> find(String name) {
    DeviceUri uri = DeviceUri.parse(name);
    return DriverRegistry.load().driver(uri.driver()).devices(uri).stream()
        .filter(
            info ->
                uri.selector().isEmpty()
                    || uri.selector().equals(String.valueOf(info.index()))
                    || uri.selector().equalsIgnoreCase(info.uuid())
                    || uri.selector().equals("pci:" + info.pciAddress()))
        .findFirst();
  }

  @Override
  public Device open(DeviceUri uri) {
    Settings settings = settings(uri);
    for (Option<String> needed : List.of(FIRST, SECOND)) {
      if (settings.get(needed).isEmpty()) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            ("'%s' has no option '%s'; to compare two devices, write"
                    + " twin://?first=URI&second=URI, with %%3F for ? and %%26 for & in URI")
                .formatted(uri, needed));
      }
    }
    if (!uri.selector().isEmpty()) {
      DeviceInfo unused = select(uri, settings);
    }
    Elements.Tolerance tolerance =
        new Elements.Tolerance(
            settings.get(ULPS), absolute(settings), settings.get(SCALED).equals("yes"));
    Device first = Hal.openDevice(settings.get(FIRST));
    TwinDevice twin = null;
    try {
      Device second = Hal.openDevice(settings.get(SECOND));
      twin =
          new TwinDevice(
              info(first.info(), second.info()),
              List.of(settings.get(FIRST), settings.get(SECOND)),
              first,
              second,
              tolerance,
              settings.get(NOISE).equals("yes"),
              settings.get(FRESH).equals("same"));
    } finally {
      if (twin == null) {
        first.close();
      }
    }
    return new EngineDevice<>(backend(twin), ENGINE.configure(settings), settings.toList());
  }

  /** What the engine gets; tests have one whose calls fail on purpose. */
  DeviceBackend<ReusableEvent<CountDownLatch>> backend(TwinDevice device) {
    return device;
  }

  private static double absolute(Settings settings) {
    String text = settings.get(ABSOLUTE);
    try {
      double value = Double.parseDouble(text);
      if (value >= 0 && value < Double.POSITIVE_INFINITY) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong(text, settings.origin(ABSOLUTE), Status.INVALID_ARGUMENT);
    }
    throw wrong(text, settings.origin(ABSOLUTE), Status.OUT_OF_RANGE);
  }

  private static HalException wrong(String text, String origin, Status status) {
    return new HalException(
        status,
        "option '%s' is '%s' (from %s); it must be a number from 0 on"
            .formatted(ABSOLUTE, text, origin));
  }

  /** What both devices can do. */
  private static DeviceInfo info(DeviceInfo first, DeviceInfo second) {
    String uuids = first.uuid() + " and " + second.uuid();
    return DeviceInfo.builder(NAME, 0)
        .name(first.name() + " and " + second.name())
        .uuid(UUID.nameUUIDFromBytes(uuids.getBytes(StandardCharsets.UTF_8)).toString())
        .memoryBytes(Math.min(first.memoryBytes(), second.memoryBytes()))
        .maxAllocationBytes(Math.min(first.maxAllocationBytes(), second.maxAllocationBytes()))
        .maxWorkgroupCount(least(first.maxWorkgroupCount(), second.maxWorkgroupCount()))
        .maxWorkgroupItems(least(first, second, DeviceInfo::maxWorkgroupItems))
        .maxWorkgroupSize(least(first.maxWorkgroupSize(), second.maxWorkgroupSize()))
        .maxSharedMemory(least(first, second, DeviceInfo::maxSharedMemory))
        .maxArgumentBytes(least(first, second, DeviceInfo::maxArgumentBytes))
        .reportsKernelFailures(first.reportsKernelFailures() && second.reportsKernelFailures())
        .properties(Map.of("first", first.uri(), "second", second.uri()))
        .build();
  }

  private static int least(DeviceInfo first, DeviceInfo second, ToIntFunction<DeviceInfo> limit) {
    return Math.min(limit.applyAsInt(first), limit.applyAsInt(second));
  }

  private static Workgroups least(Workgroups first, Workgroups second) {
    return new Workgroups(
        Math.min(first.x(), second.x()),
        Math.min(first.y(), second.y()),
        Math.min(first.z(), second.z()));
  }
}
