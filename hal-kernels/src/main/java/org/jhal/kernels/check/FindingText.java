// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.check;

/** What is said of findings, the same by each driver. */
public final class FindingText {
  private FindingText() {}

  /**
   * Of a race.
   *
   * @param verb what the one does, such as {@code writes}
   * @param what what it is about, such as {@code element 5 of 'y'}
   * @param other who the other one is
   * @param otherVerb what it does
   * @param areSame whether both write the same value
   */
  public static String race(
      String verb, String what, String other, String otherVerb, boolean areSame) {
    boolean areWrites = verb.equals(otherVerb) && verb.equals("writes");
    return "%s %s, which %s %s without an order between them%s"
        .formatted(
            verb,
            what,
            other,
            otherVerb,
            areSame ? "; both write the same value" : areWrites ? "; the values differ" : "");
  }

  /** Of a write to a buffer that the bundle says is only read. */
  public static String readOnly(String element, String buffer) {
    return "writes %s of '%s', which it may only read: its direction is 'in'"
        .formatted(element, buffer);
  }

  /**
   * Of an access outside memory.
   *
   * @param whole how long the memory is, such as {@code 1000 (f32)}
   * @param offset from the start of the memory, in bytes
   * @param length of the memory, in bytes
   */
  public static String outside(
      String verb, String buffer, String element, String whole, long offset, long length) {
    long past = offset - length;
    return "%s outside '%s': %s of %s, %s"
        .formatted(
            verb,
            buffer,
            element,
            whole,
            offset < 0
                ? -offset + " bytes before its start"
                : past >= 0 ? past + " bytes past its end" : "across its end");
  }

  /** Where an item or a group is among others, by its number, counted along x first. */
  public static String indexes(long number, int x, int y) {
    return "(%s, %s, %s)".formatted(number % x, number / x % y, number / x / y);
  }
}
