// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jhal.mock.MockControls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
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
          assertEquals(
              Map.of("devices", Map.of("jhalDevice", "mock://0: Mock device 0")),
              health.getDetails());
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

  /** The second device works. */
  @Test
  void oneClosedDeviceOfTwoIsDown() {
    runner
        .withUserConfiguration(HasTwoDevices.class)
        .run(
            context -> {
              assertEquals(Status.UP, health(context).getStatus());
              context.getBean("first", Device.class).close();
              Health health = health(context);
              assertEquals(Status.DOWN, health.getStatus());
              String problems = String.valueOf(health.getDetails().get("problems"));
              assertTrue(problems.contains("the bean first, is closed"), problems);
            });
  }

  @Test
  void anOperationThatIsOpenForTooLongIsDown() {
    runner
        .withPropertyValues("jhal.health.oldest-operation=1ms")
        .run(
            context -> {
              Device device = context.getBean(Device.class);
              try (TimelineSemaphore timeline = device.createSemaphore()) {
                device.queue(0).barrier(timeline.at(1), timeline.at(2));
                Health health = awaitDown(context);
                String problems = String.valueOf(health.getDetails().get("problems"));
                assertTrue(problems.contains("barrier, PARKED"), problems);
              }
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"jhal.device=mock", "jhal.health.oldest-operation=1h"})
  void anOperationMayBeOpenForAsLongAsThePropertySays(String property) {
    runner
        .withPropertyValues(property)
        .run(
            context -> {
              Device device = context.getBean(Device.class);
              try (TimelineSemaphore timeline = device.createSemaphore()) {
                device.queue(0).barrier(timeline.at(1), timeline.at(2));
                assertEquals(Status.UP, health(context).getStatus());
              }
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

  /** Polls, since ages are accurate to a second. */
  private static Health awaitDown(ApplicationContext context) {
    long start = System.nanoTime();
    while (true) {
      Health health = health(context);
      if (health.getStatus().equals(Status.DOWN)) {
        return health;
      }
      if (System.nanoTime() - start > 30_000_000_000L) {
        return fail("the health is still " + health + " after 30 s");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static Health health(ApplicationContext context) {
    HealthIndicator indicator =
        assertInstanceOf(
            HealthIndicator.class,
            context.getBean(HealthContributorRegistry.class).getContributor("jhal"));
    return Objects.requireNonNull(indicator.health());
  }
}
