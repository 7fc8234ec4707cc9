// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.module;

import org.jhal.HalException;
import org.jhal.Status;

/**
 * An instruction of a module.
 *
 * @param op its number, one of {@link Op}
 * @param offset the position of its first word in the module, in words
 * @param words its words after the first one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Instruction(int op, int offset, int[] words) {
  /** A word after the first one; fails if there are fewer. */
  public int word(int index) {
    if (index >= words.length) {
      throw invalid("has " + words.length + " operands, not the " + (index + 1) + " it needs");
    }
    return words[index];
  }

  /** The number of words after the first one. */
  public int count() {
    return words.length;
  }

  /** The type of the result. */
  public int type() {
    return word(0);
  }

  /** The result, which the instruction must have. */
  public int result() {
    return word(Op.hasType(op) ? 1 : 0);
  }

  /** Two words from {@code index} on as one number. */
  public long longAt(int index) {
    return (word(index) & 0xffffffffL) | (long) word(index + 1) << 32;
  }

  /** The string that begins at a word. */
  public String string(int index) {
    StringBuilder text = new StringBuilder();
    for (int at = index; ; at++) {
      int word = word(at);
      for (int shift = 0; shift < 32; shift += 8) {
        int c = word >>> shift & 0xff;
        if (c == 0) {
          return text.toString();
        }
        text.append((char) c);
      }
    }
  }

  /** The failure of a module that says something impossible here. */
  public HalException invalid(String what) {
    return new HalException(
        Status.INVALID_ARGUMENT, "SPIR-V, word " + offset + ": " + Op.name(op) + " " + what);
  }
}
