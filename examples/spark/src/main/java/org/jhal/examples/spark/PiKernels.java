// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.spark;

import org.jhal.kernel.Ints;
import org.jhal.kernel.Longs;
import org.jhal.kernel.Workgroup;

/** The kernel of the bundle {@code kernels} in Java; {@code hits.cpp} in it is its twin. */
public final class PiKernels {
  private PiKernels() {}

  /** How many points of each stream are in the quarter of a circle. */
  public static void hits(Workgroup group, int count, int draws, Longs streams, Ints hits) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      hits.set(i, hits(streams.get(i), draws));
    }
  }

  /**
   * How many points of one stream are in it: those of SplitMix64 from {@code stream * draws} on.
   */
  static int hits(long stream, int draws) {
    long state = stream * draws * 0x9E3779B97F4A7C15L;
    int inside = 0;
    for (int draw = 0; draw < draws; draw++) {
      state += 0x9E3779B97F4A7C15L;
      long z = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      z ^= z >>> 31;
      long x = z >>> 33;
      long y = z & 0x7FFFFFFFL;
      inside += x * x + y * y < 1L << 62 ? 1 : 0;
    }
    return inside;
  }
}
