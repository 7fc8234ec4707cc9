// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.mock.MockControls;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health of devices, as the Actuator sees it. */
class JhalHealthAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withPropertyValues("jhal.device=mock")
          .withConfiguration(
              AutoConfigurations.of(
                  JhalAutoConfiguration.class,
                  JhalHealthAutoConfiguration.class,
                  HealthContributorRegistryAutoConfiguration.class));

  @Configuration(proxyBeanMethods = false)
  static class HasTwoDevices {
    @Bean
    Device first() {
      return Hal.openDevice("mock");
    }

    @Bean
    Device second() {
      return Hal.openDevice("mock");
    }
  }

  @Test
  void aDeviceThatWorksIsUp() {
    runner.run(
        context -> {
          Health health = health(context);
          assertEquals(Status.UP, health.getStatus());
          assertEquals("mock://0", String.valueOf(health.getDetails().get("device")));
        });
  }

  @Test
  void aLostDeviceIsDownWithTheCause() {
    runner.run(
        context -> {
          MockControls.of(context.getBean(Device.class))
              .lose(new HalException(org.jhal.Status.UNAVAILABLE, "fell off the bus"));
          Health health = health(context);
          assertEquals(Status.DOWN, health.getStatus());
          assertTrue(health.getDetails().toString().contains("fell off the bus"), health::toString);
        });
  }

  @Test
  void aClosedDeviceIsDown() {
    runner.run(
        context -> {
          context.getBean(Device.class).close();
          assertEquals(Status.DOWN, health(context).getStatus());
        });
  }

  @Test
  void severalDevicesHaveAHealthEach() {
    runner
        .withUserConfiguration(HasTwoDevices.class)
        .run(
            context -> {
              CompositeHealthContributor all =
                  assertInstanceOf(
                      CompositeHealthContributor.class,
                      context.getBean(HealthContributorRegistry.class).getContributor("jhal"));
              Set<String> names = new TreeSet<>();
              for (HealthContributors.Entry entry : all) {
                names.add(entry.name());
              }
              assertEquals(Set.of("first", "second"), names);
            });
  }

  @Test
  void theHealthCanBeSwitchedOff() {
    runner
        .withPropertyValues("management.health.jhal.enabled=false")
        .run(
            context ->
                assertNull(
                    context.getBean(HealthContributorRegistry.class).getContributor("jhal")));
  }

  @Test
  void withoutTheActuatorThereIsADeviceAndNoHealth() {
    new ApplicationContextRunner()
        .withClassLoader(new FilteredClassLoader(HealthContributor.class))
        .withPropertyValues("jhal.device=mock")
        .withConfiguration(
            AutoConfigurations.of(JhalAutoConfiguration.class, JhalHealthAutoConfiguration.class))
        .run(
            context -> {
              assertNull(context.getStartupFailure());
              assertEquals(1, context.getBeansOfType(Device.class).size());
              assertEquals(0, context.getBeanNamesForType(DeviceHealthIndicator.class).length);
            });
  }

  private static Health health(ApplicationContext context) {
    HealthIndicator indicator =
        assertInstanceOf(
            HealthIndicator.class,
            context.getBean(HealthContributorRegistry.class).getContributor("jhal"));
    return Objects.requireNonNull(indicator.health());
  }
}
