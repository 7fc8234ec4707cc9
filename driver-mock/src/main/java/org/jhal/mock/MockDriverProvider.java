// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.Objects;
import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** The provider of the mock driver, whose devices compute on the CPU, asynchronously. */
public final class MockDriverProvider implements DriverProvider {
  private final String name;

  /** For the service loader. */
  public MockDriverProvider() {
    this("mock");
  }

  /** The same driver under another name, for tests that need two drivers. */
  public MockDriverProvider(String name) {
    this.name = Objects.requireNonNull(name, "name");
  }

  @Override
  public String name() {
    return name;
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
    return -1; // a test double comes behind everything that computes for real
  }

  @Override
  public Driver create() {
    return new MockDriver(name);
  }
}
