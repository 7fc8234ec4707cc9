// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.jhal.Capability;

/**
 * Lists what a test, or each test of a class, needs. If any of it is absent, the test is
 * unsupported.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Needs {
  /** What the backend must provide. */
  Need[] value() default {};

  /** What the device must be capable of. */
  Capability[] capabilities() default {};
}
