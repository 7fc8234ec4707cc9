package org.jhal.spi;

import org.jhal.Driver;

/**
 * How a driver is found: a service, registered in {@code META-INF/services} and, for a named
 * module, in its module-info. Its public constructor without parameters and {@link #name()} load
 * nothing native.
 */
public interface DriverProvider {
  /**
   * The version of this interface and of what a driver sees of {@code org.jhal}. It changes when a
   * driver that was compiled against the old one would not work. A driver's {@link #apiVersion()}
   * returns this constant, which the compiler copies into the driver.
   */
  int API_VERSION = 1;

  /** The driver's name: lower-case letters, digits and dashes, starting with a letter. */
  String name();

  /** {@code return DriverProvider.API_VERSION;} in every provider; see there. */
  int apiVersion();

  /**
   * Its place in the search for a default device: higher comes first, and among equals the name
   * decides. Drivers of hardware keep the default of 100, drivers that compute on the host return
   * 0.
   */
  default int preference() {
    return 100;
  }

  /**
   * The driver. Called until it has returned one; may not load anything native before {@link
   * Driver#probe()} or later calls need it.
   */
  Driver create();
}
