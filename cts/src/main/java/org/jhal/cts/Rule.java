// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the rules of docs/contract.md that a test checks: the test fails for a driver that breaks
 * one of them.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Rule {
  /** The rules' numbers, such as {@code S1a}. */
  String[] value();
}
