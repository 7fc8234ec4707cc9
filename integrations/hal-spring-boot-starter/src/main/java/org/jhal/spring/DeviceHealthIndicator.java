// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.Device;
import org.jhal.DeviceHealth;
import org.jhal.DeviceInfo;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of the open devices of this process: down if one of them is lost, has an operation
 * that is too old, or is a bean that is closed.
 */
final class DeviceHealthIndicator extends AbstractHealthIndicator {
  private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

  private final Map<String, Device> devices; // by the names of the beans
  private final Duration oldest;

  DeviceHealthIndicator(Map<String, Device> devices, @Nullable Duration oldest) {
    super("the health of the devices cannot be determined");
    this.devices = new TreeMap<>(devices);
    this.oldest = oldest == null ? NO_LIMIT : oldest;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    List<String> problems = new ArrayList<>(DeviceHealth.check(oldest).problems());
    Map<String, String> names = new TreeMap<>();
    devices.forEach(
        (bean, device) -> {
          DeviceInfo info = device.info();
          names.put(bean, info.uri() + ": " + info.name());
          if (device.isClosed()) {
            problems.add(device + ", the bean " + bean + ", is closed");
          }
        });
    builder.status(problems.isEmpty() ? "UP" : "DOWN").withDetail("devices", names);
    if (!problems.isEmpty()) {
      builder.withDetail("problems", problems);
    }
  }
}
