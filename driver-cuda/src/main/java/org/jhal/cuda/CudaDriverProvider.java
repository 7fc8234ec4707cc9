// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** The provider of the driver for NVIDIA devices. */
public final class CudaDriverProvider implements DriverProvider {
  static final String NAME = "cuda";

  /** For the service loader. */
  public CudaDriverProvider() {}

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
  public Driver create() {
    return new CudaDriver();
  }
}
