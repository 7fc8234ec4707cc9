// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.drivers;

import java.util.List;
import java.util.Map;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.spi.DriverProvider;
import org.jspecify.annotations.Nullable;

/** A driver with two devices that can be listed and not opened. */
public final class Toy implements DriverProvider {
  @Override
  public String name() {
    return "toy";
  }

  @Override
  public String apiVersion() {
    return API_VERSION;
  }

  @Override
  public String spiVersion() {
    return SPI_VERSION;
  }

  @Override
  public Driver create() {
    return new Driver() {
      @Override
      public String name() {
        return "toy";
      }

      @Override
      public Availability probe() {
        return Availability.available("toys 1.0");
      }

      @Override
      public List<DeviceInfo> devices(DeviceUri uri) {
        return List.of(device(0, "0000:03:00.0"), device(1, null));
      }

      @Override
      public Device open(DeviceUri uri) {
        throw new HalException(Status.UNAVAILABLE, "a toy cannot be opened");
      }
    };
  }

  private static DeviceInfo device(int index, @Nullable String pciAddress) {
    return DeviceInfo.builder("toy", index)
        .name("Toy \"" + index + "\"")
        .uuid("uuid-" + index)
        .pciAddress(pciAddress)
        .memoryBytes(3L << 29)
        .maxAllocationBytes(1L << 29)
        .maxWorkgroupCount(new Workgroups(1, 2, 3))
        .maxWorkgroupItems(64)
        .maxWorkgroupSize(new Workgroups(64, 32, 8))
        .properties(Map.of("colour", "red", "age", "3"))
        .build();
  }
}
