// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.drivers;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** A driver that does not start. */
public final class Faulty implements DriverProvider {
  @Override
  public String name() {
    return "faulty";
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
    throw new UnsatisfiedLinkError("no faulty in java.library.path");
  }
}
