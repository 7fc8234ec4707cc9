package org.jhal.cts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test that runs a kernel which gives up: {@code trap}, whose operation must fail. If {@link
 * CtsBackend#survivesKernels()} is false, the test runs in a process of its own. A driver whose
 * kernels cannot give up lists these tests in {@link CtsBackend#unsupported()}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface GivesUp {}
