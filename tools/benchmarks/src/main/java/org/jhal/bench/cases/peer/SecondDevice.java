// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.util.Map;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.DriverRegistry;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;

/** Another device of the driver that is measured, for cases with two. */
final class SecondDevice {
  private SecondDevice() {}

  /** The first one that is not the device of {@code bench}. */
  static Optional<DeviceInfo> find(Bench bench) {
    DeviceUri uri = DeviceUri.parse(bench.uri());
    int index = bench.device().info().index();
    return DriverRegistry.load().driver(uri.driver()).devices(uri).stream()
        .filter(info -> info.index() != index)
        .findFirst();
  }

  /**
   * Opens it like the device of {@code bench}, with a setting {@code spin}. It is shared, and not
   * to be closed.
   *
   * @throws NotAvailableException if there is none
   */
  static Device open(Bench bench, String spin) throws NotAvailableException {
    DeviceInfo info =
        find(bench)
            .orElseThrow(
                () ->
                    new NotAvailableException(
                        "two devices are needed, and driver "
                            + bench.device().info().driver()
                            + " has one here"));
    DeviceUri first = DeviceUri.parse(bench.uri());
    String uri =
        new DeviceUri(first.driver(), String.valueOf(info.index()), first.options()).toString();
    Bench other = new Bench(uri, bench.device(), bench.max(), bench.shared());
    return other.deviceWith(Map.of("spin", spin));
  }

  /**
   * Opens it for work in which both use each other's memory.
   *
   * @throws NotAvailableException if there is none, or if it and {@code device}, the first one,
   *     cannot use each other's memory
   */
  static Device openSharing(Bench bench, Device device, String spin) throws NotAvailableException {
    Device second = open(bench, spin);
    if (!device.canAccess(second) || !second.canAccess(device)) {
      throw new NotAvailableException(
          device.info().uri()
              + " and "
              + second.info().uri()
              + " cannot use each other's memory, so that copies go through the host");
    }
    return second;
  }
}
