// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import static org.jhal.examples.Deviation.ROUNDING;
import static org.jhal.examples.Deviation.roundings;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.spi.ToolProvider;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/**
 * {@code hal accuracy}: runs saxpy, reduction and matmul on a device with random data, and compares
 * with {@code double} on the host; then compares functions. {@code --help} describes it.
 */
public final class Accuracy implements ToolProvider {
  private static final String HELP =
      """
      Runs examples on a device with random data, and compares the results with those of 64-bit
      arithmetic on the host. Then compares the functions that kernels can call with those of a GPU.

      Usage: hal accuracy [--device URI] [--seed N] [--operands N] [--all] [--kernels FOLDER]
                          [--variants FOLDER]

      For each example it prints the largest error of all elements, and the bound on it. The error
      of saxpy is relative to the element; that of reduction and matmul is relative to the sum of
      the magnitudes of what is added up. The bound is what rounding each operation to the nearest
      32-bit number can make of it.

      On a device that compiles C++, it then compares the functions that kernels can call with the
      results of a GPU, or with the exact values: how many are equal in every bit; the distances of
      those that vary between devices, such as sinf, here and on the GPU, and the most that is
      allowed; those that differ where devices may, with an example; and those that are wrong.
      --operands says of how many numbers of the whole range of float the functions of one are
      measured in addition (262144; at most 4294967296). --all names the functions that are equal,
      too, and gives an example of each that is not.

      FOLDER has the bundles `saxpy`, `reduction` and `matmul`, for a device that loads none of the
      formats of those that are built in. A kernel that cannot be loaded is reported, and the others run.
      --variants takes further variants of the kernels, which are tried first.

      Exit codes: 0 all are within the bounds, 1 one is not, or failed, or cannot be loaded, or a function
      is wrong, 2 wrong usage, 3 the device cannot be opened.
      """;

  /** What the values of options must be. */
  private static final Map<String, String> VALUES =
      Map.of(
          "--device", "the URI of a device",
          "--seed", "a whole number of at most 18 digits",
          "--operands", "a whole number from 1 to 4294967296",
          "--kernels", "a folder that exists",
          "--variants", "a folder that exists");

  @Override
  public String name() {
    return "hal-accuracy";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Compares results of a device with 64-bit arithmetic.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    String uri = null;
    long seed = 1;
    Path folder = null;
    Path variants = null;
    long operands = 1 << 18;
    boolean all = false;
    for (int i = 0; i < args.length; i++) {
      String value = i + 1 < args.length ? args[i + 1] : "";
      if (args[i].equals("--help") || args[i].equals("-h")) {
        out.print(HELP);
        return 0;
      } else if (args[i].equals("--device") && !value.isEmpty()) {
        uri = value;
        i++;
      } else if (args[i].equals("--seed") && value.matches("[0-9]{1,18}")) {
        seed = Long.parseLong(value);
        i++;
      } else if (args[i].equals("--operands") && isCount(value)) {
        operands = Long.parseLong(value);
        i++;
      } else if (args[i].equals("--all")) {
        all = true;
      } else if (args[i].equals("--kernels") && isFolder(value)) {
        folder = Path.of(value);
        i++;
      } else if (args[i].equals("--variants") && isFolder(value)) {
        variants = Path.of(value);
        i++;
      } else {
        String rule = VALUES.get(args[i]);
        err.println(
            "hal: INVALID_ARGUMENT: "
                + (rule == null ? "unknown argument" : "the value of")
                + " '"
                + args[i]
                + "'"
                + (rule == null ? "" : " is '" + value + "'; it must be " + rule)
                + " (see hal accuracy --help)");
        return 2;
      }
    }
    try (Device device = uri == null ? Hal.openDevice() : Hal.openDevice(uri)) {
      int code = run(out, err, device, seed, new Bundles(folder, variants));
      return code == 0 || code == 1
          ? Math.max(code, FunctionTable.print(out, err, device, operands, all))
          : code;
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage());
      return e.status() == Status.INVALID_ARGUMENT ? 2 : 3;
    }
  }

  private static boolean isCount(String text) {
    return text.matches("[1-9][0-9]{0,9}") && Long.parseLong(text) <= 1L << 32;
  }

  private static boolean isFolder(String path) {
    try {
      return !path.isEmpty() && Files.isDirectory(Path.of(path));
    } catch (InvalidPathException e) {
      return false;
    }
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
      PrintWriter out, PrintWriter err, Device device, long seed, Bundles bundles) {
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
      } catch (InterruptedException e) {
        return 130;
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
