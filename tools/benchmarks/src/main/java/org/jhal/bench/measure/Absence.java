// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import org.jhal.HalException;

/**
 * Why one side of a row has no numbers.
 *
 * @param why for people
 * @param isFailure whether it failed; otherwise this machine lacks something that it needs
 */
public record Absence(String why, boolean isFailure) {
  /** The failure, for people: status and message, or the exception if it has none. */
  public static String why(Exception thrown) {
    return thrown instanceof HalException failure
        ? failure.status() + ": " + failure.getMessage()
        : thrown.toString();
  }
}
