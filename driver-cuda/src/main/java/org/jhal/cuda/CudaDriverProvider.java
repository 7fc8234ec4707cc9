package org.jhal.cuda;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** The provider of the driver for NVIDIA devices. */
public final class CudaDriverProvider implements DriverProvider {
  static final String NAME = "cuda";

  /** Higher than the mock's, which is 0. */
  private static final int PREFERENCE = 100;

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
  public int preference() {
    return PREFERENCE;
  }

  @Override
  public Driver create() {
    return new CudaDriver();
  }
}
