// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.kernel.Floats;
import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;

/** The kernels of the tests in Java. */
public final class Kernels {
  private Kernels() {}

  /** {@code y = a * x + y}. */
  public static void saxpy(Workgroup group, int n, float a, Floats x, Floats y) {
    for (long i = group.firstX(); i < group.endX(n); i++) {
      y.set(i, Math.fma(a, x.get(i), y.get(i)));
    }
  }

  private static final AtomicInteger CALLS = new AtomicInteger();

  /** {@code y = x}, and every second time a little more: a device that differs from itself. */
  public static void noisy(Workgroup group, int n, Floats x, Floats y) {
    boolean isOdd = CALLS.getAndIncrement() % 2 == 1;
    for (long i = group.firstX(); i < group.endX(n); i++) {
      y.set(i, isOdd ? x.get(i) * 1.0001f : x.get(i));
    }
  }

  /** {@code y = x} plus what no other call adds. */
  public static void restless(Workgroup group, int n, Floats x, Floats y) {
    float more = CALLS.incrementAndGet();
    for (long i = group.firstX(); i < group.endX(n); i++) {
      y.set(i, x.get(i) + more);
    }
  }

  /** {@code to = 3 * from + 1}. */
  public static void affine(Workgroup group, int n, Ints from, Ints to) {
    for (long i = group.firstX(); i < group.endX(n); i++) {
      to.set(i, 3 * from.get(i) + 1);
    }
  }
}
