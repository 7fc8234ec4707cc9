// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** The provider of the driver {@code twin}, which compares two devices of other drivers. */
public final class TwinDriverProvider implements DriverProvider {
  /** For the service loader. */
  public TwinDriverProvider() {}

  @Override
  public String name() {
    return TwinDriver.NAME;
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
    return -100; // it has no device of its own
  }

  @Override
  public Driver create() {
    return new TwinDriver();
  }
}
