// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

/** Tokens as syllables, which look like words of a language that nobody speaks. */
final class Syllables {
  private static final String CONSONANTS = "bdfghjklmnprstvz";
  private static final String VOWELS = "aiou";

  private Syllables() {}

  /** The prompt, an ellipsis, and what follows it. */
  static String of(int[] tokens, int prompt) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < tokens.length; i++) {
      text.append(i == prompt ? " ... " : i > 0 ? " " : "");
      text.append(CONSONANTS.charAt(tokens[i] >> 6 & 15));
      text.append(VOWELS.charAt(tokens[i] >> 4 & 3));
      text.append(CONSONANTS.charAt(tokens[i] & 15));
    }
    return text.toString();
  }
}
