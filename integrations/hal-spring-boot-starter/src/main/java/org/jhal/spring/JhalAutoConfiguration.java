// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import java.time.Duration;
import org.jhal.Device;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Gives the application the bean {@code jhalDevice}: the device that the property {@code
 * jhal.device} names, or else the first usable one. If the application defines a {@link Device}
 * bean itself, or sets {@code jhal.enabled} to false, there is no such bean.
 *
 * <p>The application fails to start if the device cannot be opened. Closing the context closes the
 * device, after all beans into which it was injected. So does the exit of the JVM, since Spring
 * Boot closes the context then.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "jhal.enabled", matchIfMissing = true)
@EnableConfigurationProperties(JhalProperties.class)
public class JhalAutoConfiguration {
  /**
   * When the JVM exits, Spring's shutdown hook lets requests and beans end before it closes the
   * device, by default for 30 s in each phase. Meanwhile the hook of JHAL must not close it.
   */
  private static final Duration EXIT_PATIENCE = Duration.ofMinutes(5);

  /** For Spring. */
  public JhalAutoConfiguration() {}

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Device jhalDevice(
      JhalProperties properties,
      @Value("${spring.main.register-shutdown-hook:true}") boolean isClosedAtExit) {
    Device device = DeviceOpening.open(properties);
    if (isClosedAtExit) {
      device.setExitPatience(EXIT_PATIENCE);
    }
    return device;
  }
}
