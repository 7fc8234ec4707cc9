// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.drivers;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** A driver for an outdated version of the API. */
public final class Outdated implements DriverProvider {
  @Override
  public String name() {
    return "outdated";
  }

  @Override
  public String apiVersion() {
    return "0.9";
  }

  @Override
  public String spiVersion() {
    return SPI_VERSION;
  }

  @Override
  public Driver create() {
    throw new AssertionError("a driver with an outdated version was created");
  }
}
