package org.jhal.cli.drivers;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** A driver for an API of long ago. */
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
    throw new AssertionError("its version should have kept everybody from this");
  }
}
