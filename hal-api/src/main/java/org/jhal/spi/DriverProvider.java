package org.jhal.spi;

import org.jhal.Driver;

/**
 * How a driver is found: a service, registered in {@code META-INF/services} and, for a named
 * module, in its module-info. Its public constructor without parameters and {@link #name()} load
 * nothing native.
 */
public interface DriverProvider {
  /**
   * The version of what programs, kernels and drivers see of {@code org.jhal} and {@code
   * org.jhal.kernel}, as {@code MAJOR.MINOR}.
   *
   * <p>The minor version rises when something is added. The major version rises, and the minor
   * starts at 0 again, when a driver that was compiled against the old version might not work: when
   * something is gone, means something else, or must be implemented that it does not have.
   *
   * <p>A driver is refused unless the major version is its own and the minor version is not below
   * its own. Its {@link #apiVersion()} returns this constant, which the compiler copies into the
   * driver.
   */
  String API_VERSION = "1.0";

  /**
   * The same of what only drivers see: this package, and the packages that hal-utils exports. Its
   * {@link #spiVersion()} returns this constant.
   */
  String SPI_VERSION = "1.0";

  /** The driver's name: lower-case letters, digits and dashes, starting with a letter. */
  String name();

  /** {@code return DriverProvider.API_VERSION;} in every provider; see there. */
  String apiVersion();

  /** {@code return DriverProvider.SPI_VERSION;} in every provider; see there. */
  String spiVersion();

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
