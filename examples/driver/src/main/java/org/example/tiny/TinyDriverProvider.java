// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** How JHAL finds the driver; loads nothing. */
public final class TinyDriverProvider implements DriverProvider {
  /** For the service loader. */
  public TinyDriverProvider() {}

  @Override
  public String name() {
    return TinyDriver.NAME;
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
  public int preference() {
    return 0; // computes on the host; a driver of hardware leaves this method out
  }

  @Override
  public Driver create() {
    return new TinyDriver();
  }
}
