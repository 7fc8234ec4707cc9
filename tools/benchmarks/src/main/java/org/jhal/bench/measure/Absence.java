package org.jhal.bench.measure;

import org.jhal.HalException;

/**
 * Why one side of a row has no numbers.
 *
 * @param why for people
 * @param isFailure whether it went wrong; otherwise this machine does not have what it takes
 */
public record Absence(String why, boolean isFailure) {
  /** What went wrong, for people: status and message, or what was thrown if it has none. */
  public static String why(Exception thrown) {
    return thrown instanceof HalException failure
        ? failure.status() + ": " + failure.getMessage()
        : thrown.toString();
  }
}
