// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.CheckOption;
import org.jhal.driver.options.ConfiguredDriver;
import org.jhal.driver.options.EngineOptions;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.Faults;
import org.jhal.engine.EngineDevice;

/** The driver of {@link MockDevice}s. */
class MockDriver extends ConfiguredDriver {
  private static final EngineOptions ENGINE =
      new EngineOptions(2, Duration.ofNanos(20_000), Duration.ZERO);
  private static final Option<Long> DEVICES =
      Option.integer("devices", 1, 1, 64, "devices", "how many devices there are");
  private static final Option<Long> SEED =
      Option.integer(
          "seed",
          0,
          0,
          Long.MAX_VALUE,
          "",
          "the seed for reordering unordered work; 0 runs everything in order");
  private static final Option<Long> MEMORY =
      Option.bytes("memory", 16L << 30, 0, 1L << 50, "how much memory each device has");
  private static final Option<Duration> DELAY =
      Option.duration(
          "delay",
          Duration.ZERO,
          Duration.ZERO,
          Duration.ofMinutes(1),
          "how long a stream waits before each operation");
  private static final Option<Long> THREADS =
      Option.integer(
          "threads",
          Math.min(64, Runtime.getRuntime().availableProcessors()),
          1,
          64,
          "threads",
          "how many threads a dispatch uses at most");

  private static final Option<String> OUTCOMES =
      Option.choice(
          "outcomes",
          "told",
          List.of("told", "asked"),
          "whether a failure of work is reported at once, or only as the outcome of its event");

  MockDriver(String name) {
    super(
        name,
        ENGINE,
        List.of(
            DEVICES, SEED, MEMORY, DELAY, THREADS, OUTCOMES, CheckOption.CHECK, CheckOption.MODE));
  }

  @Override
  public Availability probe() {
    return Availability.available("computes on the CPU with Java " + Runtime.version().feature());
  }

  @Override
  protected List<DeviceInfo> devices(Settings settings) {
    List<DeviceInfo> devices = new ArrayList<>();
    for (int i = 0; i < settings.getInt(DEVICES); i++) {
      String uuid =
          UUID.nameUUIDFromBytes(
                  ("jhal " + name() + " device " + i).getBytes(StandardCharsets.UTF_8))
              .toString();
      devices.add(
          DeviceInfo.builder(name(), i)
              .name("Mock device " + i)
              .uuid(uuid)
              .memoryBytes(settings.get(MEMORY))
              .maxWorkgroupCount(new Workgroups(Integer.MAX_VALUE, 65_535, 65_535))
              .maxWorkgroupItems(1024)
              .computesOnHost(true)
              .maxWorkgroupSize(new Workgroups(1024, 1024, 64)) // as on most devices
              .properties(Map.of("threads", String.valueOf(settings.get(THREADS))))
              .build());
    }
    return devices;
  }

  @Override
  public Device open(DeviceUri uri) {
    return open(uri, MockDevice.newFaults());
  }

  /** Opens a device on which {@code faults} applies from the first call on. */
  EngineDevice<MockEvent> open(DeviceUri uri, Faults faults) {
    Settings settings = settings(uri);
    DeviceInfo info = selectOrHint(uri, settings);
    MockDevice device =
        new MockDevice(
            info,
            settings.get(SEED),
            settings.get(DELAY).toNanos(),
            settings.getInt(THREADS),
            settings.get(OUTCOMES).equals("asked"),
            CheckOption.checks(settings),
            faults);
    return new EngineDevice<>(backend(device), ENGINE.configure(settings), settings.toList());
  }

  private DeviceInfo selectOrHint(DeviceUri uri, Settings settings) {
    try {
      return select(uri, settings);
    } catch (HalException e) {
      if (e.status() != Status.NOT_FOUND) {
        throw e;
      }
      throw new HalException(
          Status.NOT_FOUND,
          e.getMessage()
              + "; the option devices says how many there are, as in "
              + name()
              + "://1?devices=2");
    }
  }

  /** The backend that the engine gets for a device; tests override it to add defects. */
  DeviceBackend<MockEvent> backend(MockDevice device) {
    return device;
  }
}
