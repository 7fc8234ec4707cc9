// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the starter. Immutable.
 *
 * @param device URI of the device, such as cpu, cuda://1 or mock://?queues=4. By default, the first
 *     usable device is opened: GPUs come first, then cpu, then mock.
 * @param closeTimeout How long closing the device waits for work that runs, 10s by default. Needs
 *     jhal.device to name a driver.
 * @param health How the health of devices is determined.
 */
@ConfigurationProperties(JhalProperties.PREFIX)
record JhalProperties(
    @Nullable String device, @Nullable Duration closeTimeout, @DefaultValue Health health) {
  static final String PREFIX = "jhal";
  static final String DEVICE = PREFIX + ".device";
  static final String CLOSE_TIMEOUT = PREFIX + ".close-timeout";

  /**
   * How the health of devices is determined.
   *
   * @param oldestOperation How long an operation may be open, from its enqueuing on, before the
   *     health is down; longer than the longest time for which an operation legitimately waits. By
   *     default, there is no limit.
   */
  record Health(@Nullable Duration oldestOperation) {}
}
