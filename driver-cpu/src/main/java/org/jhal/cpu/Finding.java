// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something that a kernel does and must not do, found by a device with the option {@code check}.
 *
 * @param check which one has found it, such as {@code memory}
 * @param kernel its name
 * @param message what is wrong, in one sentence
 * @param place where in the source; null if it is not known
 * @param item which work item it was
 * @param otherPlace where the other work item is that takes part; null if there is none, or it is
 *     not known
 * @param otherItem which work item the other one is; empty if there is none
 * @param isBenign whether the result does not depend on it: both work items write the same value.
 *     It fails no operation
 * @param count how often the same was found
 */
public record Finding(
    String check,
    String kernel,
    String message,
    @Nullable Place place,
    String item,
    @Nullable Place otherPlace,
    String otherItem,
    boolean isBenign,
    long count) {
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

  /** Whether another finding has the same kind and places. */
  boolean isSame(Finding other) {
    return check.equals(other.check)
        && kernel.equals(other.kernel)
        && isBenign == other.isBenign
        && (hasSamePlaces(other) || hasSwappedPlaces(other));
  }

  private boolean hasSamePlaces(Finding other) {
    return Objects.equals(place, other.place)
        && Objects.equals(otherPlace, other.otherPlace)
        && kind(message).equals(kind(other.message));
  }

  /** A race may be found by either work item. */
  private boolean hasSwappedPlaces(Finding other) {
    return place != null && place.equals(other.otherPlace) && place(otherPlace, other.place);
  }

  private static boolean place(@Nullable Place a, @Nullable Place b) {
    return a != null && a.equals(b);
  }

  /** A message without the numbers of elements. */
  private static String kind(String message) {
    return message.replaceAll("-?[0-9]+", "0");
  }

  Finding withCount(long newCount) {
    return new Finding(
        check, kernel, message, place, item, otherPlace, otherItem, isBenign, newCount);
  }

  /** The text for people, in several lines. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(check + ": " + message);
    text.append(place == null ? "" : "\n" + place).append("\n  by ").append(item);
    if (!otherItem.isEmpty()) {
      text.append(otherPlace == null ? "" : "\n" + otherPlace).append("\n  by ").append(otherItem);
    }
    return text.append(count == 1 ? "" : ", and " + (count - 1) + " times more").toString();
  }
}
