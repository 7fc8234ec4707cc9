// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import org.jhal.Device;
import org.jhal.HalException;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The health of one device: down if it is lost or closed, or if an operation is too old. */
final class DeviceHealthIndicator extends AbstractHealthIndicator {
  private final Device device;

  DeviceHealthIndicator(Device device, JhalProperties.Health limits) {
    super("the health of a device cannot be determined");
    this.device = device;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    builder.withDetail("device", device.info().uri()).withDetail("name", device.info().name());
    HalException lost = device.lostCause();
    if (lost != null) {
      builder.down().withDetail("lost", lost.getMessage());
    } else if (device.isClosed()) {
      builder.down().withDetail("closed", true);
    } else {
      builder.up();
    }
  }
}
