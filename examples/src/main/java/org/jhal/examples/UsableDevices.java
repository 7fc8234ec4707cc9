// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DriverRegistry;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;

/** The devices of all drivers that can load a bundle. */
public final class UsableDevices {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private UsableDevices() {}

  /**
   * Opens every device that can be used, adds it to {@code devices}, and says why others cannot.
   *
   * @throws HalException NOT_FOUND if {@code devices} is empty then
   */
  public static void open(List<Device> devices, ExecutableSource bundle, PrintWriter err)
      throws InterruptedException {
    for (DriverRegistry.Answer answer : DriverRegistry.load().probeAll(PATIENCE)) {
      for (DeviceInfo info : answer.devices()) {
        Device device = null;
        try {
          device = Hal.openDevice(info.uri());
          device.loadExecutable(bundle).close(); // as there may be no variant for this device
          devices.add(device);
        } catch (HalException e) {
          err.println("hal: " + info.uri() + " is not used: " + e.getMessage());
          if (device != null) {
            device.close();
          }
        }
      }
    }
    if (devices.isEmpty()) {
      throw new HalException(Status.NOT_FOUND, "no device can be used; see hal devices");
    }
  }
}
