// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;

/** The kernel of {@code examples/julia} in Java; {@code julia.cpp} beside it is its twin. */
public final class Julia {
  private Julia() {}

  /** How many steps {@code z = z * z + c} takes to leave the circle around 0, as a colour. */
  public static void julia(
      Workgroup group, int width, int height, float re, float im, Ints pixels) {
    for (long y = group.firstY(); y < group.endY(height); y++) {
      for (long x = group.firstX(); x < group.endX(width); x++) {
        float zx = 3.0f * x / width - 1.5f;
        float zy = 2.0f * y / height - 1.0f;
        int step = 0;
        while (step < 255 && zx * zx + zy * zy < 4.0f) {
          float next = zx * zx - zy * zy + re;
          zy = 2.0f * zx * zy + im;
          zx = next;
          step++;
        }
        pixels.set(y * width + x, step * 0x010204 & 0xFFFFFF);
      }
    }
  }
}
