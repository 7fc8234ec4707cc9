// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import org.jhal.kernel.BFloat16s;
import org.jhal.kernel.Bytes;
import org.jhal.kernel.Doubles;
import org.jhal.kernel.Float16s;
import org.jhal.kernel.Floats;
import org.jhal.kernel.Ints;
import org.jhal.kernel.Longs;
import org.jhal.kernel.Shorts;
import org.jhal.kernel.Workgroup;

/** The kernels of the bundle that the tests map partitions with. */
public final class TestKernels {
  /** Called at the start of the kernel {@code gated}; a test may block here. */
  static volatile Runnable gate = () -> {};

  private TestKernels() {}

  public static void next_i8(Workgroup group, int count, Bytes x, Bytes y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, (byte) (x.get(i) + 1));
    }
  }

  public static void next_u8(Workgroup group, int count, Bytes x, Bytes y) {
    next_i8(group, count, x, y);
  }

  public static void next_i16(Workgroup group, int count, Shorts x, Shorts y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, (short) (x.get(i) + 1));
    }
  }

  public static void next_u16(Workgroup group, int count, Shorts x, Shorts y) {
    next_i16(group, count, x, y);
  }

  public static void next_i32(Workgroup group, int count, Ints x, Ints y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, x.get(i) + 1);
    }
  }

  public static void next_u32(Workgroup group, int count, Ints x, Ints y) {
    next_i32(group, count, x, y);
  }

  public static void next_i64(Workgroup group, int count, Longs x, Longs y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, x.get(i) + 1);
    }
  }

  /** Computes one of 4096 elements, so that large data takes little time. */
  public static void next_of_some(Workgroup group, int count, Longs x, Longs y) {
    if (group.firstX() % 4096 == 0) {
      y.set(group.firstX(), x.get(group.firstX()) + 1);
    }
  }

  public static void next_u64(Workgroup group, int count, Longs x, Longs y) {
    next_i64(group, count, x, y);
  }

  public static void next_f16(Workgroup group, int count, Float16s x, Float16s y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, x.get(i) + 1);
    }
  }

  public static void next_bf16(Workgroup group, int count, BFloat16s x, BFloat16s y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, x.get(i) + 1);
    }
  }

  public static void next_f32(Workgroup group, int count, Floats x, Floats y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, x.get(i) + 1);
    }
  }

  public static void next_f64(Workgroup group, int count, Doubles x, Doubles y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, x.get(i) + 1);
    }
  }

  /** Another type, constants behind the buffers. */
  public static void scale(Workgroup group, Floats x, Doubles y, long count, double factor) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, factor * x.get(i));
    }
  }

  /** Halves. */
  public static void scale_i32(Workgroup group, Ints x, Doubles y, int count) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, 0.5 * x.get(i));
    }
  }

  public static void gated(Workgroup group, long count, Ints x, Ints y) {
    gate.run();
    for (long i = group.firstX(); i < group.endX(count); i++) {
      y.set(i, x.get(i) + 1);
    }
  }

  /** Throws at the element that has the value {@code at}. */
  public static void failing(Workgroup group, int count, int at, Ints x, Ints y) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      if (x.get(i) == at) {
        throw new IllegalStateException("the value " + at + " is not for this kernel");
      }
      y.set(i, x.get(i));
    }
  }

  public static void changing(Workgroup group, int count, Ints x, Ints y) {
    next_i32(group, count, x, y);
  }

  public static void uncounted(Workgroup group, Ints x, Ints y) {
    next_i32(group, (int) x.length(), x, y);
  }

  public static void strangely_counted(Workgroup group, float count, Ints x, Ints y) {
    next_i32(group, (int) count, x, y);
  }

  public static void two_to_two(
      Workgroup group, long count, float factor, Ints a, Doubles b, Doubles sum, Floats half) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      sum.set(i, a.get(i) + b.get(i));
      half.set(i, factor * a.get(i));
    }
  }

  /** Adds one to each of six columns. */
  public static void all_columns(
      Workgroup group,
      int count,
      Bytes b,
      Shorts s,
      Ints i,
      Longs l,
      Floats f,
      Doubles d,
      Bytes ob,
      Shorts os,
      Ints oi,
      Longs ol,
      Floats of,
      Doubles od) {
    next_i8(group, count, b, ob);
    next_i16(group, count, s, os);
    next_i32(group, count, i, oi);
    next_i64(group, count, l, ol);
    next_f32(group, count, f, of);
    next_f64(group, count, d, od);
  }

  public static void times(Workgroup group, Floats out, int count, float factor, Floats in) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      out.set(i, factor * in.get(i));
    }
  }

  /** Copies, after as many steps of a generator of random numbers. */
  public static void spin(Workgroup group, int count, long rounds, Floats in, Floats out) {
    for (long i = group.firstX(); i < group.endX(count); i++) {
      long state = i;
      for (long r = 0; r < rounds; r++) {
        state = state * 6364136223846793005L + (r | 1);
      }
      out.set(i, state == 42 ? 0 : in.get(i));
    }
  }

  public static void reading_only(Workgroup group, int count, Ints x) {}
}
