package org.jhal.examples;

import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.Workgroup;

/** The kernel of {@code examples/saxpy} in Java; {@code saxpy.cpp} beside it is its twin. */
public final class Saxpy {
  private Saxpy() {}

  /** {@code y = a * x + y}, rounded once. Parameters: n, a, x, y. */
  public static void saxpy(Workgroup group) {
    long n = group.i64(0);
    float a = group.f32(1);
    KernelMemory x = group.memory(2);
    KernelMemory y = group.memory(3);
    long begin = (long) group.groupX() * group.sizeX();
    long end = Math.min(n, begin + group.sizeX());
    for (long i = begin; i < end; i++) {
      y.putFloat(4 * i, Math.fma(a, x.getFloat(4 * i), y.getFloat(4 * i)));
    }
  }
}
