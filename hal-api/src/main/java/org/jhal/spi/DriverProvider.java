// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import org.jhal.Driver;

/**
 * The service through which JHAL finds a driver. It is registered in {@code META-INF/services} and,
 * for a named module, in its module-info. Neither its public constructor without parameters nor
 * {@link #name()} may load a native library.
 */
public interface DriverProvider {
  /**
   * The version of the API, which is the packages {@code org.jhal} and {@code org.jhal.kernel}, as
   * {@code MAJOR.MINOR}.
   *
   * <p>The minor version rises when something is added. The major version rises, and the minor one
   * restarts at 0, when a driver that was compiled against the old version might not work: when
   * something is removed, changes its meaning, or must be implemented in addition.
   *
   * <p>JHAL rejects a driver unless both have the same major version and the driver's minor version
   * is not above that of JHAL. A driver's {@link #apiVersion()} returns this constant, which the
   * compiler copies into the driver.
   */
  String API_VERSION = "1.0";

  /**
   * The version of the SPI, which only drivers use: this package, and the packages that hal-utils
   * and hal-kernels export. The rules of {@link #API_VERSION} apply. A driver's {@link
   * #spiVersion()} returns this constant.
   */
  String SPI_VERSION = "3.0";

  /** Returns the driver's name: lower-case letters, digits and dashes, starting with a letter. */
  String name();

  /**
   * Returns the version of the API that the driver was compiled against. Every provider implements
   * this as {@code return DriverProvider.API_VERSION;}.
   */
  String apiVersion();

  /**
   * Returns the version of the SPI that the driver was compiled against. Every provider implements
   * this as {@code return DriverProvider.SPI_VERSION;}.
   */
  String spiVersion();

  /**
   * Returns the driver's priority in the search for a default device. Higher priorities come first;
   * drivers of equal priority are ordered by name. Drivers for hardware keep the default of 100;
   * drivers that compute on the host return 0, and test doubles less.
   *
   * <p>A driver with devices of both kinds keeps the default, and says which of them {@linkplain
   * org.jhal.DeviceInfo#computesOnHost compute on the host}: these count as if this were 0.
   */
  default int preference() {
    return 100;
  }

  /**
   * Creates the driver. This must not load native libraries, which is left to {@link
   * Driver#probe()} and later calls. JHAL calls it until it has returned a driver: if it throws,
   * the lookup fails, and the next one tries again.
   */
  Driver create();
}
