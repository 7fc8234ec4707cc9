// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import java.time.Duration;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.jhal.DeviceInfo;
import org.jhal.DriverRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Explains why an application without its device does not start: what was to be opened, which
 * property says so, and which devices there are.
 */
final class DeviceFailureAnalyzer extends AbstractFailureAnalyzer<DeviceOpening.FailedException> {
  /** How long the drivers may take to list their devices. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Environment environment;

  DeviceFailureAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable root, DeviceOpening.FailedException cause) {
    String description = cause.getMessage() + origin() + "\n\n" + devices();
    return new FailureAnalysis(description, action(cause), cause);
  }

  private static String action(DeviceOpening.FailedException cause) {
    String first =
        switch (cause.failure.status()) {
          case INVALID_ARGUMENT, OUT_OF_RANGE ->
              "Correct " + JhalProperties.DEVICE + ", such as mock, cpu, cuda://1, cpu://?queues=4";
          case FAILED_PRECONDITION -> "Correct the properties " + JhalProperties.PREFIX + ".*";
          case UNAVAILABLE ->
              "Install what the driver needs, or let "
                  + JhalProperties.DEVICE
                  + " name another device";
          default ->
              "Let "
                  + JhalProperties.DEVICE
                  + " name a device of this list, or add the driver that is missing as a"
                  + " dependency, such as org.jhal:driver-cpu";
        };
    return first + ". To start without a device, set jhal.enabled=false.";
  }

  /** Where the name of the device comes from. */
  private String origin() {
    ConfigurationPropertyName name = ConfigurationPropertyName.of(JhalProperties.DEVICE);
    return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
        .map(source -> source.getConfigurationProperty(name))
        .filter(Objects::nonNull)
        .findFirst()
        .map(DeviceFailureAnalyzer::origin)
        .orElse("\n" + JhalProperties.DEVICE + " is not set.");
  }

  private static String origin(ConfigurationProperty property) {
    return "\n"
        + JhalProperties.DEVICE
        + " is '"
        + property.getValue()
        + "'"
        + (property.getOrigin() == null ? "." : ", from " + property.getOrigin() + ".");
  }

  /** One line for each device, and for each driver that cannot be used. */
  private static String devices() {
    StringBuilder lines = new StringBuilder("Devices of this machine:");
    try {
      for (DriverRegistry.Answer driver : DriverRegistry.load().probeAll(PATIENCE)) {
        if (driver.devices().isEmpty()) {
          String reason = reason(driver.entry().problem(), driver.availability().detail());
          lines.append("\n  ").append(driver.entry().name()).append(": none, ").append(reason);
        }
        for (DeviceInfo device : driver.devices()) {
          lines.append("\n  ").append(device.uri()).append(": ").append(device.name());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      lines.append("\n  unknown: interrupted while the drivers were asked");
    }
    return lines.toString();
  }

  private static String reason(@Nullable String problem, String detail) {
    return problem == null ? detail : problem;
  }
}
