package org.jhal.hip;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** Finds the driver of AMD devices. */
public final class HipDriverProvider implements DriverProvider {
  static final String NAME = "hip";

  /** Before the mock's, which is 0, and behind that of the driver which has run on its devices. */
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
