// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jhal.Driver;
import org.jhal.spi.DriverProvider;

/** The provider of the driver for devices with a Vulkan driver. */
public final class VulkanDriverProvider implements DriverProvider {
  static final String NAME = "vulkan";

  /** Behind the drivers of vendors' own runtimes, which are faster on the same device. */
  private static final int PREFERENCE = 80;

  /** For the service loader. */
  public VulkanDriverProvider() {}

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
    return new VulkanDriver();
  }
}
