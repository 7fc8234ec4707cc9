// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import org.jhal.micrometer.JhalMetrics;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Gives an application with {@code hal-micrometer} the bean {@code jhalMetrics}, which Spring Boot
 * binds to the meter registries. The meters cover all open devices of the process. If the
 * application defines such a bean itself, for example to add tags, or sets {@code jhal.enabled} to
 * false, there is no such bean.
 */
@AutoConfiguration
@ConditionalOnClass(JhalMetrics.class)
@ConditionalOnBooleanProperty(name = "jhal.enabled", matchIfMissing = true)
public class JhalMetricsAutoConfiguration {
  /** For Spring. */
  public JhalMetricsAutoConfiguration() {}

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  JhalMetrics jhalMetrics() {
    return new JhalMetrics();
  }
}
