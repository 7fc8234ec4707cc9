package org.jhal.cts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a test, or each test of a class, a device of its own, because it closes it, breaks it or
 * relies on counters that start at zero. Other tests share a device.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface FreshDevice {
  /** Options to open it with, each {@code NAME=VALUE}, besides those of the run's device. */
  String[] value() default {};
}
