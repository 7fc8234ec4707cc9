// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.assembly;

import java.util.Arrays;

/** A growing list of words, to which whole instructions are added. */
final class Words {
  private static final int MOST_WORDS_OF_INSTRUCTION = 0xffff;

  private int[] words = new int[64];
  private int count;

  void add(int word) {
    if (count == words.length) {
      words = Arrays.copyOf(words, 2 * count);
    }
    words[count++] = word;
  }

  void instruction(int op, int... operands) {
    if (operands.length >= MOST_WORDS_OF_INSTRUCTION) {
      throw new IllegalArgumentException(
          "an instruction of " + operands.length + " operands; at most 65534 are possible");
    }
    add(op | (operands.length + 1) << 16);
    for (int operand : operands) {
      add(operand);
    }
  }

  void addAll(Words others) {
    for (int i = 0; i < others.count; i++) {
      add(others.words[i]);
    }
  }

  int[] toArray() {
    return Arrays.copyOf(words, count);
  }

  /** The words of a string, with its end. */
  static int[] ofString(String text) {
    byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    int[] words = new int[bytes.length / 4 + 1];
    for (int i = 0; i < bytes.length; i++) {
      words[i / 4] |= (bytes[i] & 0xff) << i % 4 * 8;
    }
    return words;
  }

  /** Two lists as one. */
  static int[] joined(int[] first, int... second) {
    int[] all = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, all, first.length, second.length);
    return all;
  }
}
