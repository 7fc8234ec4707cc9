// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** The kernels of {@link Workload} as one writes them in Java, over arrays. */
public final class JavaLoops {
  private JavaLoops() {}

  /** Makes arrays of the arguments of {@code workload}; the returned task runs it once on them. */
  public static Runnable task(Workload workload) {
    return new Prepared(workload).task;
  }

  /** What one run on new arguments writes. */
  public static ByteBuffer result(Workload workload) {
    Prepared arrays = new Prepared(workload);
    arrays.task.run();
    return arrays.result();
  }

  /** The arguments of a workload as arrays. */
  private static final class Prepared {
    private final Object result;
    private final Runnable task;

    Prepared(Workload workload) {
      List<Object> all = workload.arguments();
      switch (workload) {
        case SAXPY -> {
          float[] x = floats(all.get(2));
          float[] y = floats(all.get(3));
          result = y;
          task = () -> saxpy((float) all.get(1), x, y);
        }
        case MATMUL -> {
          int n = (int) all.get(0);
          float[] a = floats(all.get(3));
          float[] b = floats(all.get(4));
          float[] c = floats(all.get(5));
          result = c;
          task = () -> matmul(n, a, b, c);
        }
        case REDUCTION -> {
          float[] values = floats(all.get(2));
          float[] sums = floats(all.get(3));
          result = sums;
          task = () -> sums[0] = sum(values);
        }
        case JULIA -> {
          int[] pixels = new int[((ByteBuffer) all.get(4)).capacity() / 4];
          result = pixels;
          task =
              () ->
                  julia(
                      (int) all.get(0),
                      (int) all.get(1),
                      (float) all.get(2),
                      (float) all.get(3),
                      pixels);
        }
        case EDGES -> {
          byte[] image = new byte[((ByteBuffer) all.get(0)).capacity()];
          ((ByteBuffer) all.get(0)).duplicate().get(image);
          byte[] edges = new byte[((ByteBuffer) all.get(1)).capacity()];
          result = edges;
          task = () -> edges(image, edges, (int) all.get(2), (int) all.get(3));
        }
        default -> throw new IllegalArgumentException(workload.label());
      }
    }

    private static float[] floats(Object buffer) {
      ByteBuffer bytes = ((ByteBuffer) buffer).duplicate().order(ByteOrder.nativeOrder());
      float[] floats = new float[bytes.capacity() / 4];
      bytes.asFloatBuffer().get(floats);
      return floats;
    }

    ByteBuffer result() {
      if (result instanceof byte[] bytes) {
        return ByteBuffer.wrap(bytes);
      }
      int count = result instanceof float[] floats ? floats.length : ((int[]) result).length;
      ByteBuffer bytes = ByteBuffer.allocate(4 * count).order(ByteOrder.nativeOrder());
      if (result instanceof float[] floats) {
        bytes.asFloatBuffer().put(floats);
      } else {
        bytes.asIntBuffer().put((int[]) result);
      }
      return bytes;
    }
  }

  private static void saxpy(float a, float[] x, float[] y) {
    for (int i = 0; i < y.length; i++) {
      y[i] = Math.fma(a, x[i], y[i]);
    }
  }

  private static void matmul(int n, float[] a, float[] b, float[] c) {
    for (int i = 0; i < n; i++) {
      Arrays.fill(c, i * n, (i + 1) * n, 0);
      for (int k = 0; k < n; k++) {
        float factor = a[i * n + k];
        for (int j = 0; j < n; j++) {
          c[i * n + j] = Math.fma(factor, b[k * n + j], c[i * n + j]);
        }
      }
    }
  }

  private static final int LANES = 8;

  private static float sum(float[] values) {
    float[] lanes = new float[LANES];
    for (int i = 0; i < values.length; i += LANES) {
      for (int lane = 0; lane < LANES; lane++) {
        lanes[lane] += values[i + lane];
      }
    }
    float sum = 0;
    for (float lane : lanes) {
      sum += lane;
    }
    return sum;
  }

  private static void julia(int width, int height, float re, float im, int[] pixels) {
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        float zx = 3.0f * x / width - 1.5f;
        float zy = 2.0f * y / height - 1.0f;
        int step = 0;
        while (step < 255 && zx * zx + zy * zy < 4.0f) {
          float next = zx * zx - zy * zy + re;
          zy = 2.0f * zx * zy + im;
          zx = next;
          step++;
        }
        pixels[y * width + x] = step * 0x010204 & 0xFFFFFF;
      }
    }
  }

  /** Each row becomes grey once, and three of them are kept. */
  private static void edges(byte[] image, byte[] edges, int width, int height) {
    int[][] rows = new int[3][width + 2];
    for (int y = -1; y <= height; y++) {
      grey(image, Math.max(0, Math.min(height - 1, y)) * width * 3, rows[(y + 1) % 3], width);
      if (y < 1) {
        continue;
      }
      int[] above = rows[(y - 1) % 3];
      int[] middle = rows[y % 3];
      int[] below = rows[(y + 1) % 3];
      for (int x = 0; x < width; x++) {
        int right = above[x + 2] + 2 * middle[x + 2] + below[x + 2];
        int left = above[x] + 2 * middle[x] + below[x];
        int bottom = below[x] + 2 * below[x + 1] + below[x + 2];
        int top = above[x] + 2 * above[x + 1] + above[x + 2];
        int slope = Math.abs(right - left) + Math.abs(bottom - top);
        edges[(y - 1) * width + x] = (byte) Math.max(0, 255 - slope);
      }
    }
  }

  private static void grey(byte[] image, int at, int[] row, int width) {
    for (int x = 0; x < width; x++) {
      int pixel = at + 3 * x;
      row[x + 1] =
          (77 * (image[pixel] & 255)
                  + 150 * (image[pixel + 1] & 255)
                  + 29 * (image[pixel + 2] & 255)
                  + 128)
              >> 8;
    }
    row[0] = row[1];
    row[width + 1] = row[width];
  }
}
