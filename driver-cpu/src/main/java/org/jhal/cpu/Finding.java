// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import org.jspecify.annotations.Nullable;

/**
 * Something that a kernel does and must not do, found by a device with the option {@code check}.
 *
 * @param check which one has found it, such as {@code memory}
 * @param kernel its name
 * @param message what is wrong, in one sentence
 * @param place where in the source; null if it is not known
 * @param items which work item it was, or both
 * @param count how often the same was found
 */
public record Finding(
    String check, String kernel, String message, @Nullable Place place, String items, long count) {
  /**
   * A part of a line.
   *
   * @param file as the bundle names it
   * @param line from 1
   * @param text the line
   * @param column where what is meant begins in the text, from 0
   * @param length how long it is
   */
  public record Place(String file, int line, String text, int column, int length) {
    /** The line with a marker under it, in two lines. */
    @Override
    public String toString() {
      String before = "  " + file + ":" + line + ": ";
      StringBuilder marker = new StringBuilder(" ".repeat(before.length()));
      for (int i = 0; i < column; i++) {
        marker.append(text.charAt(i) == '\t' ? '\t' : ' ');
      }
      return before + text + "\n" + marker + "^" + "~".repeat(Math.max(0, length - 1));
    }
  }

  /** The text for people, in several lines. */
  @Override
  public String toString() {
    String times = count == 1 ? "" : ", and " + (count - 1) + " times more";
    return check + ": " + message + (place == null ? "" : "\n" + place) + "\n  by " + items + times;
  }
}
