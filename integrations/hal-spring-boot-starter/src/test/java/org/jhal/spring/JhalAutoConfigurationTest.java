// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The device as a bean: which one it is, when there is none, and when it is closed. */
class JhalAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  JhalAutoConfiguration.class, JhalHealthAutoConfiguration.class));

  @Configuration(proxyBeanMethods = false)
  static class UsesTheDevice {
    @Bean
    Doubling doubling(Device device) {
      return new Doubling(device);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class HasADevice {
    @Bean
    Device ownDevice() {
      return Hal.openDevice("mock://?queues=3");
    }
  }

  @Test
  void theDeviceOfThePropertyComputes() {
    runner
        .withPropertyValues("jhal.device=mock://1?devices=2&queues=4")
        .withUserConfiguration(UsesTheDevice.class)
        .run(
            context -> {
              Device device = context.getBean(Device.class);
              assertEquals("mock://1", device.info().uri().toString());
              assertEquals(4, device.queueCount());
              assertArrayEquals(
                  new float[] {2, 4, 6}, context.getBean(Doubling.class).twice(1, 2, 3));
            });
  }

  @Test
  void withoutAPropertyTheFirstUsableDeviceIsOpened() {
    runner.run(context -> assertEquals("mock", context.getBean(Device.class).info().driver()));
  }

  @Test
  void closingTheContextClosesTheDeviceAfterTheBeansThatUseIt() {
    List<Device> devices = new ArrayList<>();
    Doubling.computedAtTheEnd = new float[0];
    runner
        .withPropertyValues("jhal.device=mock")
        .withUserConfiguration(UsesTheDevice.class)
        .run(
            context -> {
              devices.add(context.getBean(Device.class));
              assertFalse(devices.get(0).isClosed());
            });
    assertArrayEquals(new float[] {42}, Doubling.computedAtTheEnd);
    assertTrue(devices.get(0).isClosed());
  }

  @Test
  void anApplicationsOwnDeviceReplacesThatOfTheStarter() {
    runner
        .withPropertyValues("jhal.device=mock://?queues=1")
        .withUserConfiguration(HasADevice.class)
        .run(
            context -> {
              assertEquals(
                  List.of("ownDevice"), List.of(context.getBeanNamesForType(Device.class)));
              assertEquals(3, context.getBean(Device.class).queueCount());
            });
  }

  @Test
  void disabledThereIsNoDevice() {
    runner
        .withPropertyValues("jhal.enabled=false", "jhal.device=nonsense")
        .run(context -> assertEquals(Map.of(), context.getBeansOfType(Device.class)));
  }

  @Test
  void theCloseTimeoutBecomesASettingOfTheDevice() {
    runner
        .withPropertyValues("jhal.device=mock://?queues=2", "jhal.close-timeout=1500ms")
        .run(
            context -> {
              Device device = context.getBean(Device.class);
              assertEquals(2, device.queueCount());
              assertEquals("1500ms", setting(device, "close-timeout"));
            });
  }

  @Test
  void aCloseTimeoutWithoutADriverIsRejected() {
    for (String device : List.of("", "!cpu")) {
      runner
          .withPropertyValues("jhal.device=" + device, "jhal.close-timeout=1s")
          .run(
              context ->
                  assertRejected(
                      context.getStartupFailure(),
                      Status.FAILED_PRECONDITION,
                      "jhal.device must name the driver"));
    }
    runner
        .withPropertyValues("jhal.device=mock://?close-timeout=2s", "jhal.close-timeout=1s")
        .run(
            context ->
                assertRejected(
                    context.getStartupFailure(), Status.INVALID_ARGUMENT, "both jhal.close-time"));
  }

  @Test
  void anApplicationWithAWrongDeviceDoesNotStart() {
    runner
        .withPropertyValues("jhal.device=mock://7")
        .run(
            context -> assertRejected(context.getStartupFailure(), Status.NOT_FOUND, "'mock://7'"));
  }

  private static String setting(Device device, String name) {
    return device.settings().stream()
        .filter(setting -> setting.name().equals(name))
        .findFirst()
        .orElseThrow()
        .value();
  }

  private static void assertRejected(@Nullable Throwable failure, Status status, String text) {
    BeanCreationException created = assertInstanceOf(BeanCreationException.class, failure);
    HalException cause = assertInstanceOf(HalException.class, created.getMostSpecificCause());
    assertSame(status, cause.status());
    assertTrue(created.toString().contains(text), created::toString);
  }
}
