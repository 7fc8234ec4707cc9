// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.DriverRegistry;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Opens the device that the option {@code of} names with the option {@code record}, which every
 * driver on the engine has. So the device is that of the other driver, and behaves as it does.
 *
 * <p>Thread-safe.
 */
final class RecordDriver implements Driver {
  static final String NAME = "record";

  private static final String OF = "of";
  private static final String FILE = "file";
  private static final String RECORD = "record"; // an option of the engine

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Availability probe() {
    return Availability.available("records a device of another driver: record://?of=URI&file=FILE");
  }

  /** Those of the other driver; none unless it is named. */
  @Override
  public List<DeviceInfo> devices(DeviceUri uri) {
    if (!uri.options().containsKey(OF)) {
      return List.of();
    }
    DeviceUri inner = inner(uri);
    return DriverRegistry.load().driver(inner.driver()).devices(inner);
  }

  @Override
  public Device open(DeviceUri uri) {
    for (String needed : List.of(OF, FILE)) {
      if (uri.options().getOrDefault(needed, "").isEmpty()) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            ("'%s' has no option '%s'; to record a device, write"
                    + " record://?of=URI&file=FILE, with %%3F for ? and %%26 for & in URI")
                .formatted(uri, needed));
      }
    }
    return DriverRegistry.load().openDevice(inner(uri).toString());
  }

  /**
   * The device to open. Options and a selector of {@code uri} itself are added to its own, so that
   * a program that adds them to the name of a device need not know that it is recorded.
   */
  static DeviceUri inner(DeviceUri uri) {
    DeviceUri of = DeviceUri.parse(uri.options().getOrDefault(OF, ""));
    if (of.driver().equals(NAME)) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "'" + uri + "' records a device that is recorded already");
    }
    Map<String, String> options = new LinkedHashMap<>(of.options());
    options.putAll(uri.options());
    options.remove(OF);
    String file = options.remove(FILE);
    if (file != null) {
      options.put(RECORD, file);
    }
    String selector = uri.selector().isEmpty() ? of.selector() : uri.selector();
    return new DeviceUri(of.driver(), selector, options);
  }

  @Override
  public String toString() {
    return "driver " + NAME;
  }
}
