package org.jhal.cts.run;

/** Text from a file, for a message of one line. */
final class Printable {
  private static final int MAX = 160;

  private Printable() {}

  /** {@code text} without what would move the cursor or break the line, and not too long. */
  static String of(String text) {
    String plain = text.replaceAll("[\\p{Cntrl}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
    return plain.length() <= MAX ? plain : plain.substring(0, MAX) + "...";
  }
}
