// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.arithmetic.Comparison;
import org.jhal.cts.arithmetic.Comparison.Scope;
import org.jhal.cts.arithmetic.DialectFunction;
import org.jhal.cts.arithmetic.DialectFunction.Judgement;
import org.jhal.cts.arithmetic.FunctionRun;
import org.jhal.cts.arithmetic.LargestDistance;
import org.jhal.cts.arithmetic.Operands;
import org.jhal.cts.arithmetic.Results;
import org.jspecify.annotations.Nullable;

/** The part of {@code hal accuracy} about the functions that kernels in C++ can call. */
final class FunctionTable {
  private static final String NEAR = "%-16s %11s %11s %11s  %s%n";
  private static final String OTHER = "%-16s %11s  %s%n";

  /**
   * A function on a device.
   *
   * @param all of its results, {@code gpu} those of the GPU
   * @param farthest the largest distance, also of other operands, where that is measured
   */
  private record Row(
      DialectFunction function, boolean isWrong, Comparison all, Comparison gpu, long farthest) {
    boolean isEqual() {
      return all.largest() == 0 && farthest == 0;
    }

    boolean isNear() {
      return function.judgement() == Judgement.NEAR;
    }
  }

  private FunctionTable() {}

  /**
   * Prints the table. Returns the exit code.
   *
   * <p>A device that neither compiles C++ nor loads a variant of the functions is not compared,
   * which is no failure: the variants may be those of the examples alone.
   *
   * @param variants contains variants of the kernels to be tried first, or null
   */
  static int print(
      PrintWriter out,
      PrintWriter err,
      Device device,
      long operands,
      boolean all,
      @Nullable Path variants)
      throws InterruptedException {
    boolean compiles = device.executableFormats().contains("gpu-c++");
    if (variants == null && !compiles) {
      out.println("functions  not compared: the device compiles no C++");
      return 0;
    }
    try {
      Results measured = Results.measured();
      Results exact = Results.exact();
      List<Row> rows = rows(device, variants, operands, measured, exact);
      out.printf(
          Locale.ROOT,
          "functions  %d compared with %s and with %s%n",
          rows.size(),
          measured.source(),
          exact.source());
      List<Row> wrong = rows.stream().filter(Row::isWrong).toList();
      List<Row> right = rows.stream().filter(row -> !row.isWrong).toList();
      List<Row> equal = right.stream().filter(Row::isEqual).toList();
      if (!device.capabilities().contains(Capability.SUBNORMALS)) {
        out.println("           without subnormal numbers, which this device may take for zeros");
      }
      out.println("equal      " + equal.size() + " in every bit");
      if (all) {
        equal.forEach(row -> out.println("  " + row.function.name()));
      }
      near(
          out,
          right.stream().filter(row -> !row.isEqual() && row.isNear()).toList(),
          operands,
          all);
      others(out, right.stream().filter(row -> !row.isEqual() && !row.isNear()).toList(), all);
      out.println("wrong      " + (wrong.isEmpty() ? "none" : wrong.size()));
      for (Row row : wrong) {
        String what =
            row.isNear()
                ? units(row.farthest) + " units, allowed " + row.function.units()
                : row.all.different() + " of " + Operands.COUNT + " results";
        out.printf(Locale.ROOT, "  %s: %s: %s%n", row.function.name(), what, row.all.example());
      }
      return wrong.isEmpty() ? 0 : 1;
    } catch (HalException e) {
      if (!compiles && e.status() == Status.UNIMPLEMENTED) {
        out.println("functions  not compared: " + e.getMessage());
        return 0;
      }
      err.println("hal: " + e.status() + ": functions: " + e.getMessage());
      return 1;
    } catch (IOException e) {
      throw new IllegalStateException("the results of functions cannot be read", e);
    }
  }

  private static void near(PrintWriter out, List<Row> rows, long operands, boolean all) {
    out.printf(
        Locale.ROOT,
        "near       %d, which vary between devices; largest distance from the exact value, in units in the"
            + " last place,%n           of %d operands, and for functions of one float of %d more%n",
        rows.size(),
        Operands.COUNT,
        operands);
    out.printf(Locale.ROOT, NEAR, "  function", "this device", "the GPU", "allowed", "");
    for (Row row : rows) {
      out.printf(
          Locale.ROOT,
          NEAR,
          "  " + row.function.name(),
          units(row.farthest),
          units(row.gpu.largest()),
          row.function.units(),
          all ? row.all.example() : "");
    }
  }

  private static void others(PrintWriter out, List<Row> rows, boolean all) {
    out.printf(
        Locale.ROOT,
        "different  %d, where devices may; results that are not those of the GPU, of %d%n",
        rows.size(),
        Operands.COUNT);
    out.printf(Locale.ROOT, OTHER, "  function", "results", "for example");
    for (Row row : rows) {
      out.printf(
          Locale.ROOT, OTHER, "  " + row.function.name(), row.all.different(), row.all.example());
    }
  }

  private static List<Row> rows(
      Device device, @Nullable Path variants, long operands, Results measured, Results exact)
      throws IOException, InterruptedException {
    Map<String, long[]> results = results(device, variants);
    Map<String, LargestDistance> distances =
        LargestDistance.of(device, with(LargestDistance.bundle(), variants), operands);
    Scope every = Scope.all(device);
    Scope required = Scope.required(device);
    List<Row> rows = new ArrayList<>();
    for (DialectFunction function : DialectFunction.all()) {
      String name = function.name();
      long[] bits = Objects.requireNonNull(results.get(name));
      long[] gpu = Objects.requireNonNull(measured.bits().get(name));
      Comparison all = Comparison.of(function, bits, measured, exact, every);
      LargestDistance other = distances.get(name);
      long farthest = Math.max(all.largest(), other == null ? 0 : other.units());
      boolean isWrong =
          switch (function.judgement()) {
            case OPEN -> false;
            case NEAR -> farthest > function.units();
            default -> Comparison.of(function, bits, measured, exact, required).different() > 0;
          };
      rows.add(
          new Row(
              function,
              isWrong,
              all,
              Comparison.of(function, gpu, measured, exact, every),
              farthest));
    }
    return rows;
  }

  private static Map<String, long[]> results(Device device, @Nullable Path variants)
      throws InterruptedException {
    Map<String, long[]> results = new HashMap<>();
    for (List<DialectFunction> group : DialectFunction.byOperands().values()) {
      results.putAll(FunctionRun.run(device, with(bundle(group), variants), group));
    }
    return results;
  }

  private static ExecutableSource bundle(List<DialectFunction> group) {
    return FunctionRun.bundle(group).cpp(FunctionRun.source(group)).build();
  }

  private static ExecutableSource with(ExecutableSource bundle, @Nullable Path variants) {
    return variants == null ? bundle : bundle.withVariants(variants);
  }

  /**
   * Writes the bundles of all kernels, each into a folder of its own, for a compiler elsewhere.
   *
   * @throws HalException RESOURCE_EXHAUSTED if a file cannot be written
   */
  static void write(Path folder) {
    List<ExecutableSource> bundles = new ArrayList<>(List.of(LargestDistance.bundle()));
    DialectFunction.byOperands().values().forEach(group -> bundles.add(bundle(group)));
    try {
      for (ExecutableSource bundle : bundles) {
        Path inside = Files.createDirectories(folder.resolve(bundle.name()));
        for (String file : List.of("manifest.json", "code.cpp")) {
          Files.write(inside.resolve(file), Objects.requireNonNull(bundle.read(file), file));
        }
      }
    } catch (IOException e) {
      throw new HalException(Status.RESOURCE_EXHAUSTED, "cannot write to " + folder + ": " + e, e);
    }
  }

  private static String units(long units) {
    return units == Long.MAX_VALUE ? "NaN" : Long.toString(units);
  }
}
