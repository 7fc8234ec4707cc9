// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jhal.Device;
import org.jhal.micrometer.JhalMetrics;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The metrics of devices: Spring Boot binds all beans of the type MeterBinder by itself. */
class JhalMetricsAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withPropertyValues("jhal.device=mock")
          .withConfiguration(
              AutoConfigurations.of(
                  JhalAutoConfiguration.class, JhalMetricsAutoConfiguration.class));

  @Test
  void thereIsABinderThatReportsTheDevice() {
    MeterRegistry registry = new SimpleMeterRegistry();
    runner.run(
        context -> {
          context.getBean(MeterBinder.class).bindTo(registry);
          assertEquals(1, registry.get("jhal.devices").gauge().value());
        });
    assertNull(registry.find("jhal.devices").gauge(), "closing the context removes the meters");
  }

  @Test
  void anApplicationsOwnMetricsReplaceThem() {
    JhalMetrics own = new JhalMetrics();
    runner
        .withBean("own", JhalMetrics.class, () -> own)
        .run(context -> assertEquals(own, context.getBean(MeterBinder.class)));
  }

  @Test
  void withoutHalMicrometerThereIsADeviceAndNoBinder() {
    runner
        .withClassLoader(new FilteredClassLoader(JhalMetrics.class))
        .run(
            context -> {
              assertNull(context.getStartupFailure());
              assertEquals(1, context.getBeansOfType(Device.class).size());
              assertTrue(context.getBeansOfType(MeterBinder.class).isEmpty());
            });
  }
}
