// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import org.jhal.HalException;
import org.jhal.Status;

/** Checks the numbers that an example is given. */
public final class Ranges {
  private Ranges() {}

  /**
   * Checks a number.
   *
   * @throws HalException OUT_OF_RANGE unless {@code value} is from {@code min} to {@code max}
   */
  public static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new HalException(
          Status.OUT_OF_RANGE, name + " " + value + " is not from " + min + " to " + max);
    }
  }
}
