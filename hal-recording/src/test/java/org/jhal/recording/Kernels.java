// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

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

  /** {@code to = 3 * from + 1}. */
  public static void affine(Workgroup group, int n, Ints from, Ints to) {
    for (long i = group.firstX(); i < group.endX(n); i++) {
      to.set(i, 3 * from.get(i) + 1);
    }
  }
}
