// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** The provider of the driver for AMD devices. */
public final class HipDriverProvider implements DriverProvider {
  static final String NAME = "hip";

  /** Above the mock's 0, and below that of a driver tested on real devices. */
  private static final int PREFERENCE = 90;

  /** For the service loader. */
  public HipDriverProvider() {}

  @Override
  public String name() {
    return NAME;
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
    return PREFERENCE;
  }

  @Override
  public Driver create() {
    return new HipDriver();
  }
}
