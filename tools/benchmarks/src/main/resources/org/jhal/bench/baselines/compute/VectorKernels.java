// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The kernels of Workload with the Vector API. Reads lines of a kernel's name and a count, and
 * answers each with the nanoseconds of so many runs and the sum of what the first one wrote.
 */
public final class VectorKernels {
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Integer> INTS = FLOATS.withLanes(int.class);
  private static final int LANES = FLOATS.length();

  private static final float[] X = floats(16_384, 16);
  private static final float[] Y = floats(16_384, 7);
  private static final int N = 512;
  private static final float[] A = floats(N * N, 7);
  private static final float[] B = floats(N * N, 5);
  private static final float[] C = floats(N * N, 1);
  private static final float[] VALUES = floats(1 << 20, 16);
  private static final float[] SUM = new float[1];
  private static final int[] PIXELS = new int[512 * 512];

  private VectorKernels() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      int count = Integer.parseInt(words[1]);
      double sum = 0;
      long start = System.nanoTime();
      long checking = 0;
      for (int i = 0; i < count; i++) {
        run(words[0]);
        if (i == 0) {
          long before = System.nanoTime();
          sum = sum(words[0]);
          checking = System.nanoTime() - before;
        }
      }
      System.out.println(System.nanoTime() - start - checking + " " + sum);
    }
  }

  private static float[] floats(int count, int below) {
    float[] made = new float[count];
    for (int i = 0; i < count; i++) {
      made[i] = i * 7919L % 1009 % below;
    }
    return made;
  }

  private static void run(String kernel) {
    switch (kernel) {
      case "saxpy" -> saxpy(2, X, Y);
      case "matmul" -> matmul(A, B, C);
      case "reduction" -> SUM[0] = sum(VALUES);
      case "julia" -> julia(512, 512, -0.8f, 0.156f, PIXELS);
      default -> throw new IllegalArgumentException(kernel);
    }
  }

  private static double sum(String kernel) {
    double sum = 0;
    switch (kernel) {
      case "saxpy" -> {
        for (float one : Y) sum += one;
      }
      case "matmul" -> {
        for (float one : C) sum += one;
      }
      case "reduction" -> sum = SUM[0];
      default -> {
        for (int one : PIXELS) sum += one;
      }
    }
    return sum;
  }

  private static void saxpy(float a, float[] x, float[] y) {
    FloatVector factor = FloatVector.broadcast(FLOATS, a);
    for (int i = 0; i < y.length; i += LANES) {
      FloatVector.fromArray(FLOATS, x, i)
          .fma(factor, FloatVector.fromArray(FLOATS, y, i))
          .intoArray(y, i);
    }
  }

  /** Four rows by two vectors of c at a time, which stay in registers. */
  private static void matmul(float[] a, float[] b, float[] c) {
    for (int i = 0; i < N; i += 4) {
      for (int j = 0; j < N; j += 2 * LANES) {
        FloatVector c00 = FloatVector.zero(FLOATS), c01 = c00, c10 = c00, c11 = c00;
        FloatVector c20 = c00, c21 = c00, c30 = c00, c31 = c00;
        for (int k = 0; k < N; k++) {
          FloatVector b0 = FloatVector.fromArray(FLOATS, b, k * N + j);
          FloatVector b1 = FloatVector.fromArray(FLOATS, b, k * N + j + LANES);
          FloatVector a0 = FloatVector.broadcast(FLOATS, a[i * N + k]);
          c00 = b0.fma(a0, c00);
          c01 = b1.fma(a0, c01);
          FloatVector a1 = FloatVector.broadcast(FLOATS, a[(i + 1) * N + k]);
          c10 = b0.fma(a1, c10);
          c11 = b1.fma(a1, c11);
          FloatVector a2 = FloatVector.broadcast(FLOATS, a[(i + 2) * N + k]);
          c20 = b0.fma(a2, c20);
          c21 = b1.fma(a2, c21);
          FloatVector a3 = FloatVector.broadcast(FLOATS, a[(i + 3) * N + k]);
          c30 = b0.fma(a3, c30);
          c31 = b1.fma(a3, c31);
        }
        c00.intoArray(c, i * N + j);
        c01.intoArray(c, i * N + j + LANES);
        c10.intoArray(c, (i + 1) * N + j);
        c11.intoArray(c, (i + 1) * N + j + LANES);
        c20.intoArray(c, (i + 2) * N + j);
        c21.intoArray(c, (i + 2) * N + j + LANES);
        c30.intoArray(c, (i + 3) * N + j);
        c31.intoArray(c, (i + 3) * N + j + LANES);
      }
    }
  }

  private static float sum(float[] values) {
    FloatVector s0 = FloatVector.zero(FLOATS), s1 = s0, s2 = s0, s3 = s0;
    for (int i = 0; i < values.length; i += 4 * LANES) {
      s0 = s0.add(FloatVector.fromArray(FLOATS, values, i));
      s1 = s1.add(FloatVector.fromArray(FLOATS, values, i + LANES));
      s2 = s2.add(FloatVector.fromArray(FLOATS, values, i + 2 * LANES));
      s3 = s3.add(FloatVector.fromArray(FLOATS, values, i + 3 * LANES));
    }
    return s0.add(s1).add(s2.add(s3)).reduceLanes(VectorOperators.ADD);
  }

  /** The pixels of a vector go on until the last of them has left the circle. */
  private static void julia(int width, int height, float re, float im, int[] pixels) {
    FloatVector lane = FloatVector.zero(FLOATS);
    for (int i = 0; i < LANES; i++) {
      lane = lane.withLane(i, i);
    }
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x += LANES) {
        FloatVector zx = lane.add(x).mul(3.0f).div(width).sub(1.5f);
        FloatVector zy = FloatVector.broadcast(FLOATS, 2.0f * y / height - 1.0f);
        IntVector steps = IntVector.zero(INTS);
        for (int step = 0; step < 255; step++) {
          FloatVector xx = zx.mul(zx);
          FloatVector yy = zy.mul(zy);
          VectorMask<Float> isInside = xx.add(yy).compare(VectorOperators.LT, 4.0f);
          if (!isInside.anyTrue()) {
            break;
          }
          steps = steps.add(1, isInside.cast(INTS));
          FloatVector next = xx.sub(yy).add(re);
          zy = zy.blend(zx.mul(2.0f).mul(zy).add(im), isInside);
          zx = zx.blend(next, isInside);
        }
        steps.mul(0x010204).and(0xFFFFFF).intoArray(pixels, y * width + x);
      }
    }
  }
}
