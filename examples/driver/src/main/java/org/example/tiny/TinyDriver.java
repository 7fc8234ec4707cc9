// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Workgroups;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.ConfiguredDriver;
import org.jhal.driver.options.EngineOptions;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.ReusableEvent;
import org.jhal.engine.EngineDevice;

/** Lists the devices and opens them. */
class TinyDriver extends ConfiguredDriver {
  static final String NAME = "tiny";

  static final EngineOptions ENGINE = new EngineOptions(2, Duration.ofNanos(20_000), Duration.ZERO);
  private static final Option<Long> MEMORY =
      Option.bytes("memory", 1 << 30, 0, 1 << 30, "how much memory the device has");

  TinyDriver() {
    super(NAME, ENGINE, List.of(MEMORY));
  }

  @Override
  public Availability probe() {
    return Availability.available("Java " + Runtime.version());
  }

  @Override
  protected List<DeviceInfo> devices(Settings settings) {
    return List.of(
        DeviceInfo.builder(NAME, 0)
            .name("Tiny device")
            .uuid("6d1c8ad5-0a3b-4c53-9e6c-5d2f4f2a7b10")
            .memoryBytes(settings.get(MEMORY))
            .maxWorkgroupCount(new Workgroups(Integer.MAX_VALUE, 65_535, 65_535))
            .maxWorkgroupItems(1024)
            .computesOnHost(true)
            .build());
  }

  @Override
  public Device open(DeviceUri uri) {
    Settings settings = settings(uri);
    DeviceInfo info = select(uri, settings);
    return new EngineDevice<>(backend(info), ENGINE.configure(settings), settings.toList());
  }

  /** What the engine gets; tests have one whose calls fail on purpose. */
  DeviceBackend<ReusableEvent<CountDownLatch>> backend(DeviceInfo info) {
    return new TinyDevice(info);
  }
}
