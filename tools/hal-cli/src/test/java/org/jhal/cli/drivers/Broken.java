// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.drivers;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** A provider that throws while it is loaded. */
public final class Broken implements DriverProvider {
  /** Always throws. */
  public Broken() {
    throw new IllegalStateException("broken on\npurpose");
  }

  @Override
  public String name() {
    return "broken";
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
    throw new AssertionError("the constructor has not thrown");
  }
}
