package org.jhal.mock;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** Finds the mock driver: devices that compute for real on the CPU, asynchronously. */
public final class MockDriverProvider implements DriverProvider {
  /** For the service loader. */
  public MockDriverProvider() {}

  @Override
  public String name() {
    return "mock";
  }

  @Override
  public int apiVersion() {
    return API_VERSION;
  }

  @Override
  public int preference() {
    return 0;
  }

  @Override
  public Driver create() {
    return new MockDriver(name());
  }
}
