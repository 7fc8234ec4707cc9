// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Opens a separate device for a test, or for each test of a class, because the test closes or
 * breaks the device, or relies on counters that start at zero. Other tests share a device.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface FreshDevice {
  /**
   * Options to open the device with, each {@code NAME=VALUE}, in addition to those of the run's
   * device.
   */
  String[] value() default {};
}
