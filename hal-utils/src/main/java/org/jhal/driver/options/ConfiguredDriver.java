// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.util.List;
import java.util.stream.Stream;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.HalException;

/**
 * A driver whose devices have options: reads them from URIs, and selects the device that a URI
 * means. A subclass lists its devices and opens them.
 */
public abstract class ConfiguredDriver implements Driver {
  private final String name;
  private final List<Option<?>> options;

  /**
   * For subclasses.
   *
   * @param engine the options of the engine, with this driver's defaults
   * @param own the driver's further options
   */
  protected ConfiguredDriver(String name, EngineOptions engine, List<Option<?>> own) {
    this.name = name;
    this.options = Stream.concat(engine.all().stream(), own.stream()).toList();
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final List<DeviceInfo> devices(DeviceUri uri) {
    return devices(settings(uri));
  }

  /** The devices with these settings, in the order of their indices. */
  protected abstract List<DeviceInfo> devices(Settings settings);

  /** The settings of the device that a URI means; see {@link Settings#resolve}. */
  protected final Settings settings(DeviceUri uri) {
    return Settings.resolve(name, options, uri);
  }

  /**
   * The device that a URI means.
   *
   * @param uri its selector is empty for the first device, an index, a whole uuid in upper or lower
   *     case, with or without the prefix that the driver writes before it, or {@code
   *     pci:DOMAIN:BUS:DEVICE.FUNCTION}
   * @throws HalException NOT_FOUND if there is no such device, with a list of those that exist;
   *     INVALID_ARGUMENT if the selector is none of these
   */
  protected final DeviceInfo select(DeviceUri uri, Settings settings) {
    return DeviceSelector.select(uri, devices(settings));
  }

  @Override
  public final String toString() {
    return "driver " + name;
  }
}
