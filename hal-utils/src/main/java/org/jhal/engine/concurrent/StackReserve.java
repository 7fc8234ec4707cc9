package org.jhal.engine.concurrent;

/**
 * Makes sure that the calling thread has some stack left, before anything has happened: enough for
 * handing what it has begun over to another thread, should it run out of stack later.
 *
 * <p>It takes up that stack and gives it back. There is no other way to know: a thread cannot ask
 * how much it has.
 */
public final class StackReserve {
  /**
   * 1.3 KiB of compiled frames, or 6 KiB of interpreted ones. That takes 50 nanoseconds, and the
   * returns behind it, which processors then predict wrongly, some more: little beside a transfer
   * or a failure, and too much for any other operation.
   */
  private static final int FRAMES = 32;

  private StackReserve() {}

  /**
   * Takes up stack.
   *
   * @param n any number; it keeps a compiler from knowing the result
   * @throws StackOverflowError if there is too little
   */
  public static void check(long n) {
    long ignored = deepen(FRAMES, n, 1, 2);
  }

  /** Uses what it was given once more behind the call, so that this stays in the frame. */
  private static long deepen(int frames, long a, long b, long c) {
    if (frames == 0) {
      return a;
    }
    long below = deepen(frames - 1, b, c, a);
    return below * a + (below ^ b) * c;
  }
}
