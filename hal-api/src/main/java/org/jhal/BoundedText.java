// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import org.jspecify.annotations.Nullable;

/**
 * Human-readable text of a limited length. Names that come from elsewhere are written in one line,
 * without control characters, and are truncated if they are long.
 *
 * <p>Not thread-safe.
 */
final class BoundedText {
  private static final int LONGEST_NAME = 300;
  private static final String CUT = "... the rest is cut off\n";

  private final int limit;
  private final StringBuilder text = new StringBuilder();
  private boolean isFull;

  /** Creates an empty text of at most {@code limit} characters. */
  BoundedText(int limit) {
    this.limit = limit;
  }

  BoundedText add(CharSequence part) {
    if (!isFull && text.length() + part.length() <= limit - CUT.length()) {
      text.append(part);
    } else if (!isFull) {
      isFull = true;
      text.setLength(text.lastIndexOf("\n") + 1);
      text.append(CUT);
    }
    return this;
  }

  BoundedText add(char character) {
    return add(String.valueOf(character));
  }

  BoundedText add(long number) {
    return add(String.valueOf(number));
  }

  /** Ends the line. */
  void line() {
    BoundedText unused = add('\n');
  }

  /** Adds the text of an object that comes from elsewhere. */
  BoundedText name(@Nullable Object named) {
    return add(shown(named));
  }

  /**
   * Returns the result of {@code toString}, or the class name if that throws, for example for a
   * cyclic object.
   */
  static String describe(@Nullable Object named) {
    try {
      return String.valueOf(named);
    } catch (Throwable t) {
      return named == null ? "null" : named.getClass().getName();
    }
  }

  /** Returns the text of an object that comes from elsewhere, in one line of a limited length. */
  static String shown(@Nullable Object named) {
    return printable(describe(named));
  }

  private static String printable(String name) {
    StringBuilder shown = new StringBuilder(Math.min(name.length(), LONGEST_NAME) + 3);
    name.codePoints()
        .limit(LONGEST_NAME)
        .forEach(
            c -> {
              if (isPrintable(c)) {
                shown.appendCodePoint(c);
              } else {
                shown.append(String.format("\\u%04x", c));
              }
            });
    return name.length() > LONGEST_NAME ? shown.append("...").toString() : shown.toString();
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
