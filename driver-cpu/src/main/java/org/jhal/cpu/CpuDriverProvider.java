// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** The provider of the driver for the processors of this machine. */
public final class CpuDriverProvider implements DriverProvider {
  /** For the service loader. */
  public CpuDriverProvider() {}

  @Override
  public String name() {
    return CpuDriver.NAME;
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
    return 0; // behind GPUs, before the mock
  }

  @Override
  public Driver create() {
    return new CpuDriver();
  }
}
