// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import org.jhal.kernel.Floats;
import org.jhal.kernel.Workgroup;

/** The kernel of {@code examples/saxpy} in Java; {@code saxpy.cpp} beside it is its twin. */
public final class Saxpy {
  private Saxpy() {}

  /** {@code y = a * x + y}, rounded once. */
  public static void saxpy(Workgroup group, long n, float a, Floats x, Floats y) {
    long end = group.endX(n);
    for (long i = group.firstX(); i < end; i++) {
      y.set(i, Math.fma(a, x.get(i), y.get(i)));
    }
  }
}
