// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.examples.Accuracy;

/**
 * Multiplies two matrices with a library, with the kernel of {@code examples/matmul}, and on the
 * host. The library's work lies between uploads and a readback, on one timeline; the host waits
 * once, for the end.
 */
final class ProductRun {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int TILE = 16; // of examples/matmul
  private static final int CHECKED_ROWS = 32;

  private final Device device;
  private final int n;
  private final int repeats;
  private final float[] a;
  private final float[] b;
  private boolean isGood = true;

  /**
   * For one run.
   *
   * @param n rows and columns of the matrices
   * @param repeats how often the library and the kernel multiply
   */
  ProductRun(Device device, int n, int repeats) {
    this.device = device;
    this.n = n;
    this.repeats = repeats;
    Random random = new Random(1);
    this.a = numbers(random);
    this.b = numbers(random);
  }

  private float[] numbers(Random random) {
    float[] numbers = new float[n * n];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = 2 * random.nextFloat() - 1;
    }
    return numbers;
  }

  /** Prints a table; returns whether all products are right. */
  boolean run(PrintWriter out) throws InterruptedException {
    out.printf("%s, %s%n", device.info().uri(), device.info().name());
    out.printf("%s x %s, 32-bit floating point, %s times%n", n, n, repeats);
    out.printf(
        "%-20s %14s %12s %14s %12s%n", "", "ms a product", "GFLOP/s", "largest error", "bound");
    byLibrary(out);
    byKernel(out);
    onHost(out);
    return isGood;
  }

  private interface Step {
    void enqueue(Fence waits, Fence signals);
  }

  /** Uploads, multiplies again and again, and reads back; each step waits for the one before. */
  private void byLibrary(PrintWriter out) throws InterruptedException {
    DeviceQueue queue = device.queue(0);
    Blas blas = Blas.of(device);
    try (TimelineSemaphore timeline = device.createSemaphore(0);
        DeviceBuffer left = buffer();
        DeviceBuffer right = buffer();
        DeviceBuffer result = buffer()) {
      queue.external(Fence.NONE, timeline.at(1), List.of(), context -> blas.open());
      timeline.await(1, PATIENCE);
      try {
        List<DeviceBuffer> all = List.of(left, right, result);
        measure(
            out,
            blas.name(),
            left,
            right,
            result,
            (waits, signals) ->
                queue.external(
                    waits,
                    signals,
                    all,
                    context -> blas.multiply(context, n, left, right, result)));
      } finally {
        queue.external(Fence.NONE, timeline.at(2), List.of(), context -> blas.close());
        timeline.await(2, PATIENCE);
      }
    }
  }

  private void byKernel(PrintWriter out) throws InterruptedException {
    try (Executable kernels =
            device.loadExecutable(ExecutableSource.ofResources(Accuracy.class, "matmul"));
        DeviceBuffer left = buffer();
        DeviceBuffer right = buffer();
        DeviceBuffer result = buffer()) {
      int tiles = (n + TILE - 1) / TILE;
      Workgroups groups = Workgroups.of(tiles, tiles);
      Args args = Args.of(n, n, n, left, right, result);
      measure(
          out,
          "examples/matmul",
          left,
          right,
          result,
          (waits, signals) ->
              device.queue(0).dispatch(waits, signals, kernels.kernel("matmul"), groups, args));
    }
  }

  /** Two chains: one to warm up, with the transfers, and one that is timed. */
  private void measure(
      PrintWriter out,
      String name,
      DeviceBuffer left,
      DeviceBuffer right,
      DeviceBuffer result,
      Step step)
      throws InterruptedException {
    DeviceQueue queue = device.queue(0);
    float[] product = new float[n * n];
    try (TimelineSemaphore timeline = device.createSemaphore(0)) {
      queue.upload(Fence.NONE, timeline.at(1), HostMemory.of(a), left, 0);
      queue.upload(timeline.at(1), timeline.at(2), HostMemory.of(b), right, 0);
      step.enqueue(timeline.at(2), timeline.at(3));
      queue.readback(timeline.at(3), timeline.at(4), result, 0, HostMemory.of(product));
      timeline.await(4, PATIENCE);
      long start = System.nanoTime();
      for (int i = 0; i < repeats; i++) {
        step.enqueue(timeline.at(4 + i), timeline.at(5 + i));
      }
      timeline.await(4 + repeats, PATIENCE);
      print(out, name, (System.nanoTime() - start) / 1e9 / repeats, product);
    }
  }

  private void onHost(PrintWriter out) {
    long start = System.nanoTime();
    float[] product = HostBlas.multiply(n, a, b);
    print(
        out,
        "host, " + Runtime.getRuntime().availableProcessors() + " processors",
        (System.nanoTime() - start) / 1e9,
        product);
  }

  private DeviceBuffer buffer() {
    return device.allocate(4L * n * n, BufferParams.DEVICE);
  }

  /** With three digits at least. */
  static String rate(double value) {
    return value >= 100
        ? String.format(Locale.ROOT, "%.0f", value)
        : new BigDecimal(value).round(new MathContext(3)).toPlainString();
  }

  /**
   * The error of each element is relative to the sum of the magnitudes of its summands; the bound
   * is the error that rounding each of n products and n additions can cause.
   */
  private void print(PrintWriter out, String name, double seconds, float[] product) {
    double u = 0x1p-24;
    double bound = 2 * n * u / (1 - 2 * n * u);
    double largest = 0;
    for (int i = 0; i < Math.min(n, CHECKED_ROWS); i++) {
      int row = (int) ((long) i * n / Math.min(n, CHECKED_ROWS));
      double[] reference = new double[n];
      double[] scale = new double[n];
      for (int k = 0; k < n; k++) {
        for (int column = 0; column < n; column++) {
          double term = (double) a[row * n + k] * b[k * n + column];
          reference[column] += term;
          scale[column] += Math.abs(term);
        }
      }
      for (int column = 0; column < n; column++) {
        double error = Math.abs(product[row * n + column] - reference[column]) / scale[column];
        largest = error <= largest ? largest : error; // also if it is NaN
      }
    }
    boolean isWithin = largest <= bound;
    isGood &= isWithin;
    out.printf(
        Locale.ROOT,
        "%-20s %14.3f %12s %14.2e %12.2e%s%n",
        name,
        1e3 * seconds,
        rate(2e-9 * n * n * n / seconds),
        largest,
        bound,
        isWithin ? "" : " TOO LARGE");
    out.flush();
  }
}
