// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a class of conformance tests. Its name ends in {@code Test}; its tests have a parameter of
 * type {@link Cts}, and are {@code @Test}, {@code @ParameterizedTest} or {@code @RepeatedTest}
 * methods.
 *
 * <p>Before each test, opt-outs and needs are checked. The test runs on a separate thread with a
 * deadline, and then its resources are closed. After that, there may be no error on another thread,
 * no warning in the log, no live resource and no open operation.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(CtsExtension.class)
public @interface CtsSuite {
  /** The deadline of one test, in seconds. */
  int deadlineSeconds() default 120;
}
