package org.jhal.cts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.jhal.Capability;

/** What a test, or each test of a class, needs; if it is absent, the test is unsupported. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Needs {
  /** Needed of the backend. */
  Need[] value() default {};

  /** Needed of the device. */
  Capability[] capabilities() default {};
}
