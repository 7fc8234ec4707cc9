// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.flow;

/**
 * A step of structured code. Blocks are those of the function; labels are numbers from 0 that the
 * plan has made.
 *
 * @param kind what to do
 * @param block the block that it is about, or a number
 * @param labels the labels that it needs
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Step(Kind kind, int block, int... labels) {
  /** What to do. */
  public enum Kind {
    /** Compute what the block computes. */
    CODE,
    /** Give the values of {@code labels[0]}, a block, that depend on where control comes from. */
    EDGE,
    /** Begin the label. */
    LABEL,
    /** Go to the label. */
    BRANCH,
    /** Go to the second or third label, by the block's condition; they meet in the first. */
    SELECT,
    /** Go to the label of the block's case, from the second on; they meet in the first. */
    SWITCH,
    /** Go to the second label; what follows may leave for the first from anywhere. */
    FRAME,
    /** Begin a loop that ends in the first label and is repeated from the second. */
    LOOP,
    /** Remember the number. */
    SET,
    /** Go to the second label if the number is remembered, else to the first. */
    TEST,
    /** Go to the label of the remembered number, from the second on; they meet in the first. */
    DISPATCH,
    /** Return as the block does. */
    EXIT,
    /** Control never comes here. */
    UNREACHABLE
  }
}
