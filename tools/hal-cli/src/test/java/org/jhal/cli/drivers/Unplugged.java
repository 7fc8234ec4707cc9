// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.drivers;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.DriverProvider;

/** A driver whose library is not on this machine. */
public final class Unplugged implements DriverProvider {
  private static final AtomicInteger STARTS = new AtomicInteger();

  /** How often it was started. */
  public static int starts() {
    return STARTS.get();
  }

  @Override
  public String name() {
    return "unplugged";
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
    STARTS.incrementAndGet();
    return new Driver() {
      @Override
      public String name() {
        return "unplugged";
      }

      @Override
      public Availability probe() {
        return Availability.unavailable("libunplugged.so not found");
      }

      @Override
      public List<DeviceInfo> devices(DeviceUri uri) {
        throw new HalException(Status.UNAVAILABLE, "libunplugged.so not found");
      }

      @Override
      public Device open(DeviceUri uri) {
        throw new HalException(Status.UNAVAILABLE, "libunplugged.so not found");
      }
    };
  }
}
