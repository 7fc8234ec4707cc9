// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import java.nio.FloatBuffer;
import java.util.stream.IntStream;
import org.jhal.DeviceBuffer;
import org.jhal.ExternalWork;

/** Loops over the bytes that are lent by a driver which runs external work on the host. */
final class HostBlas implements Blas {
  @Override
  public String name() {
    return "loops on the host";
  }

  @Override
  public void open() {}

  @Override
  public void multiply(
      ExternalWork.Context context, int n, DeviceBuffer a, DeviceBuffer b, DeviceBuffer c) {
    float[] left = floats(context.bytes(a).asFloatBuffer());
    float[] right = floats(context.bytes(b).asFloatBuffer());
    FloatBuffer result = context.bytes(c).asFloatBuffer();
    result.put(multiply(n, left, right));
  }

  private static float[] floats(FloatBuffer from) {
    float[] all = new float[from.remaining()];
    from.get(all);
    return all;
  }

  /** The product, computed by all processors. */
  static float[] multiply(int n, float[] a, float[] b) {
    float[] c = new float[n * n];
    IntStream.range(0, n)
        .parallel()
        .forEach(
            row -> {
              for (int k = 0; k < n; k++) {
                float factor = a[row * n + k];
                for (int column = 0; column < n; column++) {
                  c[row * n + column] += factor * b[k * n + column];
                }
              }
            });
    return c;
  }

  @Override
  public void close() {}
}
