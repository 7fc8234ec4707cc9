// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults.order;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;
import static org.jhal.Parameter.out;

import java.time.Duration;
import org.jhal.ExecutableSource;
import org.jhal.kernel.Floats;
import org.jhal.kernel.Workgroup;

/** The kernels of all these programs, in C++ and in Java, and their data. */
public final class Shared {
  static final int N = 20_000;
  static final long BYTES = 4L * N;
  static final Duration LIMIT = Duration.ofSeconds(30);

  private static final String CPP =
      """
      extern "C" __global__ void scale(int n, float factor, const float* x, float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = factor * x[i];
      }

      extern "C" __global__ void add(int n, const float* x, float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] += x[i];
      }

      extern "C" __global__ void shift(int n, const float* x, float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = i + 1 < n ? x[i + 1] : 0.0f;
      }

      extern "C" __global__ void smooth(int n, const float* u, float* v) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) v[i + 1] = u[i] + u[i + 1] + u[i + 2];
      }
      """;

  static final ExecutableSource KERNELS =
      ExecutableSource.builder("planted faults of order")
          .kernel(
              "scale",
              256,
              constant("n", I32),
              constant("factor", F32),
              in("x", F32),
              out("y", F32))
          .kernel("add", 256, constant("n", I32), in("x", F32), inout("y", F32))
          .kernel("shift", 256, constant("n", I32), in("x", F32), out("y", F32))
          .kernel("smooth", 256, constant("n", I32), in("u", F32), inout("v", F32))
          .cpp(CPP)
          .java(Shared.class)
          .build();

  private Shared() {}

  /** y = factor * x. */
  public static void scale(Workgroup group, int n, float factor, Floats x, Floats y) {
    for (long i = group.firstX(); i < group.endX(n); i++) {
      y.set(i, factor * x.get(i));
    }
  }

  /** y += x. */
  public static void add(Workgroup group, int n, Floats x, Floats y) {
    for (long i = group.firstX(); i < group.endX(n); i++) {
      y.set(i, y.get(i) + x.get(i));
    }
  }

  /** y is x without its first element, and a zero. */
  public static void shift(Workgroup group, int n, Floats x, Floats y) {
    for (long i = group.firstX(); i < group.endX(n); i++) {
      y.set(i, i + 1 < n ? x.get(i + 1) : 0);
    }
  }

  /** The inner elements of v are sums of three neighbours in u. */
  public static void smooth(Workgroup group, int n, Floats u, Floats v) {
    for (long i = group.firstX(); i < group.endX(n); i++) {
      v.set(i + 1, u.get(i) + u.get(i + 1) + u.get(i + 2));
    }
  }

  /** Elements that all differ: {@code first}, {@code first + 1} and so on. */
  static float[] ramp(int count, float first) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = first + i;
    }
    return values;
  }

  /** {@code factor * (first + i)}. */
  static float[] ramp(int count, float first, float factor) {
    float[] values = ramp(count, first);
    for (int i = 0; i < count; i++) {
      values[i] *= factor;
    }
    return values;
  }
}
