// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

/**
 * Checks that the calling thread has enough stack left to hand its work over to another thread,
 * should it run out of stack later. Called before the work has any effect.
 *
 * <p>It uses that much stack and returns, since a thread cannot query how much it has left.
 */
public final class StackReserve {
  /**
   * 1.3 KiB of compiled frames, or 6 KiB of interpreted ones. Costs 50 ns and some mispredicted
   * returns: little beside a transfer or a failure, too much for other operations.
   */
  private static final int FRAMES = 32;

  private StackReserve() {}

  /**
   * Uses the stack.
   *
   * @param n any number; keeps a compiler from precomputing the result
   * @throws StackOverflowError if there is too little
   */
  public static void check(long n) {
    long ignored = deepen(FRAMES, n, 1, 2);
  }

  /** Uses its arguments again behind the call, so that they stay in the frame. */
  private static long deepen(int frames, long a, long b, long c) {
    if (frames == 0) {
      return a;
    }
    long below = deepen(frames - 1, b, c, a);
    return below * a + (below ^ b) * c;
  }
}
