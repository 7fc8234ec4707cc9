// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a test that runs the kernel {@code trap}, which gives up. If {@link
 * CtsBackend#survivesKernels()} is false, the test runs in a separate process. A test whose
 * operation must fail also needs {@link Need#KERNEL_FAILURES}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface GivesUp {}
