// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.fractal;

import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;

/** Some rows of a part of the Mandelbrot set; {@code fractal.cpp} is their twin. */
public final class FractalKernels {
  private static final int LIMIT = 2000;

  private FractalKernels() {}

  /** Rows {@code first} to {@code first + rows} of a picture. */
  public static void band(
      Workgroup group, int width, int height, int first, int rows, int tint, Ints pixels) {
    for (long y = group.firstY(); y < group.endY(rows); y++) {
      for (long x = group.firstX(); x < group.endX(width); x++) {
        float re = 0.016f * x / width - 0.7525f;
        float im = 0.012f * (first + y) / height + 0.1258f;
        float zx = 0;
        float zy = 0;
        int step = 0;
        while (step < LIMIT && zx * zx + zy * zy < 4.0f) {
          float next = zx * zx - zy * zy + re;
          zy = 2.0f * zx * zy + im;
          zx = next;
          step++;
        }
        pixels.set(y * width + x, shade(step, tint));
      }
    }
  }

  /** The colour {@code tint} for points that leave the circle slowly, black for those that stay. */
  private static int shade(int step, int tint) {
    int light = step == LIMIT ? 0 : 70 + step * 3 % 186;
    int red = (tint >> 16 & 255) * light / 255;
    int green = (tint >> 8 & 255) * light / 255;
    int blue = (tint & 255) * light / 255;
    return red << 16 | green << 8 | blue;
  }
}
