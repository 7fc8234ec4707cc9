// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import static org.jhal.examples.Deviation.ROUNDING;
import static org.jhal.examples.Deviation.roundings;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/**
 * {@code hal accuracy}: runs saxpy, reduction and matmul on a device with random data, and compares
 * with {@code double} on the host; then compares the functions that kernels can call with those of
 * a GPU.
 */
public final class Accuracy {
  private static final long MOST_OPERANDS = 1L << 32;
  private static final long LARGEST_SEED = 999_999_999_999_999_999L;

  private Accuracy() {}

  /**
   * What is compared.
   *
   * @param seed that of the random data, from 0 to 999999999999999999
   * @param operands of how many numbers of the whole range of float the functions of one are
   *     measured in addition, from 1 to 4294967296
   * @param all whether functions that are equal are named, too
   * @param kernels a folder with the bundles {@code saxpy}, {@code reduction} and {@code matmul},
   *     or null for those that are built in
   * @param variants a folder of further variants of the kernels, which are tried first, or null
   */
  public record Options(
      long seed, long operands, boolean all, @Nullable Path kernels, @Nullable Path variants) {
    /**
     * Checks the values.
     *
     * @throws HalException OUT_OF_RANGE for a number; NOT_FOUND for a folder that does not exist
     */
    public Options {
      Ranges.check("seed", seed, 0, LARGEST_SEED);
      Ranges.check("operands", operands, 1, MOST_OPERANDS);
      checkFolder("kernels", kernels);
      checkFolder("variants", variants);
    }

    private static void checkFolder(String name, @Nullable Path folder) {
      if (folder != null && !Files.isDirectory(folder)) {
        throw new HalException(Status.NOT_FOUND, name + " " + folder + " is no folder that exists");
      }
    }
  }

  /**
   * Prints the comparison.
   *
   * @param err gets failures, one a line, as {@code hal: STATUS: message}
   * @return 0 if all are within the bounds, 1 if one is not, or failed, or cannot be loaded, or if
   *     a function is wrong
   */
  public static int run(Device device, Options options, PrintWriter out, PrintWriter err)
      throws InterruptedException {
    Bundles bundles = new Bundles(options.kernels(), options.variants());
    int code = run(out, err, device, options.seed(), bundles);
    return Math.max(
        code,
        FunctionTable.print(
            out, err, device, options.operands(), options.all(), options.variants()));
  }

  /**
   * Writes the bundles with the functions into folders in {@code folder}, for {@code hal compile}.
   *
   * @throws HalException RESOURCE_EXHAUSTED if a file cannot be written
   */
  public static void write(Path folder) {
    FunctionTable.write(folder);
  }

  /**
   * The location of the bundles of the examples.
   *
   * @param folder contains all of them; null for those in the jar
   * @param variants contains variants to be tried first, or null
   */
  record Bundles(@Nullable Path folder, @Nullable Path variants) {
    ExecutableSource bundle(String name) {
      ExecutableSource bundle =
          folder == null
              ? ExecutableSource.ofResources(Accuracy.class, name)
              : ExecutableSource.of(folder.resolve(name));
      return variants == null ? bundle : bundle.withVariants(variants);
    }
  }

  /** One of the examples. */
  private interface Example {
    Deviation run(Device device, Random random, Bundles bundles) throws InterruptedException;
  }

  private static int run(
      PrintWriter out, PrintWriter err, Device device, long seed, Bundles bundles)
      throws InterruptedException {
    out.println("device     " + device.info().uri() + ", " + device.info().name());
    out.println("seed       " + seed);
    Map<String, Example> examples = new LinkedHashMap<>();
    examples.put("saxpy", Accuracy::saxpy);
    examples.put("reduction", Accuracy::reduction);
    examples.put("matmul", Accuracy::matmul);
    boolean isGood = true;
    for (Map.Entry<String, Example> example : examples.entrySet()) {
      try {
        Deviation deviation = example.getValue().run(device, new Random(seed), bundles);
        isGood &= print(out, example.getKey(), deviation);
      } catch (HalException e) {
        err.println(
            "hal: " + e.status() + ": " + example.getKey() + ": " + e.getMessage() + hint(e));
        isGood = false;
      }
    }
    return isGood ? 0 : 1;
  }

  /** Advice for a device that loads none of the formats. */
  public static String hint(HalException failure) {
    return failure.status() == Status.UNIMPLEMENTED
        ? "; --kernels takes the same kernels in a format of the device, --variants adds one"
        : "";
  }

  /** Prints a line, and returns whether the check passed. */
  static boolean print(PrintWriter out, String name, Deviation deviation) {
    out.printf(
        Locale.ROOT,
        "%-10s largest error %.3e, bound %.3e: %s%n",
        name,
        deviation.largest(),
        deviation.bound(),
        deviation.isWithin() ? "ok" : "TOO LARGE");
    return deviation.isWithin();
  }

  /** Each element is rounded once. */
  private static Deviation saxpy(Device device, Random random, Bundles bundles)
      throws InterruptedException {
    int n = 1_000_003;
    float a = random.nextFloat() + 1;
    float[] x = numbers(random, n);
    float[] y = numbers(random, n);
    double[] reference = new double[n];
    double[] scale = new double[n];
    for (int i = 0; i < n; i++) {
      reference[i] = (double) a * x[i] + y[i];
      scale[i] = Math.abs(reference[i]);
    }
    try (Kernels kernels = new Kernels(device, "saxpy", bundles)) {
      DeviceBuffer result = kernels.upload(y);
      kernels.dispatch(Workgroups.covering(n, 256), n, a, kernels.upload(x), result);
      return Deviation.of(kernels.readback(result), reference, scale, ROUNDING);
    }
  }

  /** No value takes part in more additions than a work item makes in both steps. */
  private static Deviation reduction(Device device, Random random, Bundles bundles)
      throws InterruptedException {
    int n = 3_000_017;
    int groups = 1024;
    float[] values = numbers(random, n);
    double sum = 0;
    double magnitude = 0;
    for (float value : values) {
      sum += value;
      magnitude += Math.abs(value);
    }
    long inPairs = Integer.numberOfTrailingZeros(Reduction.ITEMS);
    long first = ceil(n, groups * Reduction.ITEMS) + inPairs;
    long second = ceil(groups, Reduction.ITEMS) + inPairs;
    try (Kernels kernels = new Kernels(device, "reduction", bundles)) {
      DeviceBuffer sums = kernels.allocate(groups);
      DeviceBuffer result = kernels.allocate(1);
      kernels.dispatch(Workgroups.of(groups), n, groups, kernels.upload(values), sums);
      kernels.dispatch(Workgroups.of(1), groups, 1, sums, result);
      return Deviation.of(
          kernels.readback(result),
          new double[] {sum},
          new double[] {magnitude},
          roundings(first + second));
    }
  }

  /** Each element is rounded once for each product that it adds. */
  private static Deviation matmul(Device device, Random random, Bundles bundles)
      throws InterruptedException {
    int rows = 250;
    int inner = 333;
    int columns = 190;
    float[] a = numbers(random, rows * inner);
    float[] b = numbers(random, inner * columns);
    double[] reference = new double[rows * columns];
    double[] scale = new double[rows * columns];
    for (int row = 0; row < rows; row++) {
      for (int k = 0; k < inner; k++) {
        for (int column = 0; column < columns; column++) {
          double product = (double) a[row * inner + k] * b[k * columns + column];
          reference[row * columns + column] += product;
          scale[row * columns + column] += Math.abs(product);
        }
      }
    }
    try (Kernels kernels = new Kernels(device, "matmul", bundles)) {
      DeviceBuffer result = kernels.allocate(rows * columns);
      kernels.dispatch(
          new Workgroups(ceil(columns, Matmul.TILE), ceil(rows, Matmul.TILE), 1),
          rows,
          inner,
          columns,
          kernels.upload(a),
          kernels.upload(b),
          result);
      return Deviation.of(kernels.readback(result), reference, scale, roundings(inner));
    }
  }

  private static int ceil(int dividend, int divisor) {
    return (dividend + divisor - 1) / divisor;
  }

  /** Numbers of both signs and many magnitudes. */
  private static float[] numbers(Random random, int count) {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = Math.scalb(2 * random.nextFloat() - 1, random.nextInt(12));
    }
    return numbers;
  }
}
