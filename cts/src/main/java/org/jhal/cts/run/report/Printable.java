// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

/** Formats text from a file for a one-line message. */
final class Printable {
  private static final int MAX = 160;

  private Printable() {}

  /**
   * {@code text} without characters that move the cursor or break the line, shortened if necessary.
   */
  static String of(String text) {
    String plain = text.replaceAll("[\\p{Cntrl}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
    return plain.length() <= MAX ? plain : plain.substring(0, MAX) + "...";
  }
}
