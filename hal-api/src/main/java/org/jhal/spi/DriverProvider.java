package org.jhal.spi;

import org.jhal.Driver;

/**
 * The service through which a driver is found, registered in {@code META-INF/services} and, for a
 * named module, in its module-info. Its public constructor without parameters and {@link #name()}
 * load no native library.
 */
public interface DriverProvider {
  /**
   * The version of the API, the packages {@code org.jhal} and {@code org.jhal.kernel}, as {@code
   * MAJOR.MINOR}.
   *
   * <p>The minor version rises when something is added. The major version rises, and the minor
   * starts at 0 again, when a driver that was compiled against the old version might not work: when
   * something was removed, has another meaning, or has to be implemented in addition.
   *
   * <p>JHAL refuses a driver unless both have the same major version and the driver's minor version
   * is not above that of JHAL. A driver's {@link #apiVersion()} returns this constant, which the
   * compiler copies into the driver.
   */
  String API_VERSION = "1.0";

  /**
   * The version of the SPI, which only drivers see: this package, and the packages that hal-utils
   * exports. The rules of {@link #API_VERSION} apply. A driver's {@link #spiVersion()} returns this
   * constant.
   */
  String SPI_VERSION = "1.1";

  /** The driver's name: lower-case letters, digits and dashes, starting with a letter. */
  String name();

  /** {@code return DriverProvider.API_VERSION;} in every provider; see that constant. */
  String apiVersion();

  /** {@code return DriverProvider.SPI_VERSION;} in every provider; see that constant. */
  String spiVersion();

  /**
   * The driver's priority in the search for a default device: higher comes first; equal ones are
   * ordered by name. Drivers of hardware keep the default of 100, drivers that compute on the host
   * return 0.
   */
  default int preference() {
    return 100;
  }

  /**
   * Creates the driver. Called until it has returned one. May not load native libraries; that is
   * left to {@link Driver#probe()} and later calls.
   */
  Driver create();
}
