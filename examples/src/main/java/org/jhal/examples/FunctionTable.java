// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.HalException;
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
  private static final String LINE = "%-24s %-22s %-22s %s%n";

  private FunctionTable() {}

  /** Prints the table. Returns the exit code. */
  static int print(PrintWriter out, PrintWriter err, Device device, long operands, boolean all) {
    if (!device.executableFormats().contains("gpu-c++")) {
      out.println("functions  not compared: the device compiles no C++");
      return 0;
    }
    try {
      Results measured = Results.measured();
      Results exact = Results.exact();
      Map<String, long[]> results = results(device);
      Map<String, LargestDistance> largest = LargestDistance.of(device, operands);
      out.println("functions  compared with " + measured.source() + " and with " + exact.source());
      out.println(
          "           distances in units in the last place, of 1024 operands and of "
              + operands
              + ", and the most that is allowed");
      out.println();
      out.printf(Locale.ROOT, LINE, "function", "this device", "the GPU", "for example");
      boolean saturates = device.capabilities().contains(Capability.SATURATING_CASTS);
      boolean isGood = true;
      int equal = 0;
      for (DialectFunction function : DialectFunction.all()) {
        long[] bits = Objects.requireNonNull(results.get(function.name()));
        Comparison required =
            Comparison.of(
                function, bits, measured, exact, saturates ? Scope.SATURATING : Scope.REQUIRED);
        Comparison comparison = Comparison.of(function, bits, measured, exact, Scope.ALL);
        boolean isWrong = required.different() > 0 && function.judgement() != Judgement.OPEN;
        isGood &= !isWrong;
        LargestDistance distance = largest.get(function.name());
        if (comparison.largest() == 0 && distance == null && !all) {
          equal++;
          continue;
        }
        out.printf(
            Locale.ROOT,
            LINE,
            function.name(),
            (isWrong ? "WRONG: " : "") + text(function, comparison, distance),
            function.judgement() == Judgement.NEAR
                ? text(
                    function,
                    Comparison.of(
                        function,
                        Objects.requireNonNull(measured.bits().get(function.name())),
                        measured,
                        exact,
                        Scope.ALL),
                    null)
                : "",
            comparison.example());
      }
      out.println();
      if (equal > 0) {
        out.println(equal + " further functions are equal in every bit");
      }
      out.println("functions  " + (isGood ? "ok: all that differ may do so" : "WRONG, see above"));
      return isGood ? 0 : 1;
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": functions: " + e.getMessage());
      return 1;
    } catch (InterruptedException e) {
      return 130;
    } catch (IOException e) {
      throw new IllegalStateException("the results of functions cannot be read", e);
    }
  }

  private static Map<String, long[]> results(Device device) throws InterruptedException {
    Map<String, long[]> results = new HashMap<>();
    for (List<DialectFunction> group : DialectFunction.byOperands().values()) {
      results.putAll(FunctionRun.run(device, group));
    }
    return results;
  }

  private static String text(
      DialectFunction function, Comparison comparison, @Nullable LargestDistance distance) {
    if (function.judgement() != Judgement.NEAR) {
      return comparison.different() == 0
          ? "equal"
          : comparison.different() + " of " + Operands.COUNT + " differ";
    }
    String text = units(comparison.largest());
    if (distance != null) {
      text += ", " + units(distance.units());
    }
    return text + " of " + function.units();
  }

  private static String units(long units) {
    return units == Long.MAX_VALUE ? "NaN" : Long.toString(units);
  }
}
