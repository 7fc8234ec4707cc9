// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import java.util.Map;
import org.jhal.Device;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/**
 * Adds the part {@code jhal} to the health of an application with the Actuator. It covers all
 * {@link Device} beans, whoever defines them, and the other open devices of the process. The
 * property {@code management.health.jhal.enabled} switches it off.
 */
@AutoConfiguration(after = JhalAutoConfiguration.class)
@ConditionalOnClass(HealthContributor.class)
@ConditionalOnBean(Device.class)
@ConditionalOnEnabledHealthIndicator("jhal")
@EnableConfigurationProperties(JhalProperties.class)
public class JhalHealthAutoConfiguration {
  /** For Spring. */
  public JhalHealthAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(name = {"jhalHealthIndicator", "jhalHealthContributor"})
  HealthContributor jhalHealthIndicator(Map<String, Device> devices, JhalProperties properties) {
    return new DeviceHealthIndicator(devices, properties.health().oldestOperation());
  }
}
