// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

/**
 * The sizes of a transformer.
 *
 * @param layers how many layers it has, at least 1
 * @param width how many elements stand for a token, a multiple of 64
 * @param vocabulary how many tokens there are, a multiple of 64
 * @param context the most tokens that it takes into account, at most 256
 */
public record Shape(int layers, int width, int vocabulary, int context) {
  /** How many elements a head has; a workgroup of most kernels has as many items. */
  static final int HEAD = 64;

  private static final int MOST_CONTEXT = 256; // fits into the shared memory of a workgroup

  /** Takes a few milliseconds for a token on one core. */
  public static final Shape STANDARD = new Shape(4, 256, 1024, 256);

  /**
   * Checks the sizes.
   *
   * @throws IllegalArgumentException if one of them is out of range
   */
  public Shape {
    check(layers >= 1, "layers", layers, "at least 1");
    check(width >= HEAD && width % HEAD == 0, "width", width, "a multiple of 64");
    check(
        vocabulary >= HEAD && vocabulary % HEAD == 0, "vocabulary", vocabulary, "a multiple of 64");
    check(context >= 1 && context <= MOST_CONTEXT, "context", context, "from 1 to 256");
  }

  private static void check(boolean isRight, String what, int value, String wanted) {
    if (!isRight) {
      throw new IllegalArgumentException(what + " is " + value + "; it must be " + wanted);
    }
  }

  /** How many elements the layer in the middle of each perceptron has. */
  int hidden() {
    return 4 * width;
  }
}
