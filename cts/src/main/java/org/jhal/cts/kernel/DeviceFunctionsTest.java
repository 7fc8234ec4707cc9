// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.Parameter.in;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.kernel.Dyadic.Format;
import org.jhal.cts.kernel.FunctionReference.Expected;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/**
 * Functions of the dialect have the values that CUDA documents, for special operands and random
 * ones. Operands come from buffers, so that the device computes and no compiler.
 */
@CtsSuite
class DeviceFunctionsTest {
  private static final int ITEMS = 64; // of a workgroup
  private static final int CALLS = 512; // of each function
  private static final int REFERENCES = 32; // of each special function

  private static final String ROUNDED = "__[fd](add|sub|mul|div|rcp|sqrt|rsqrt)_r.|__fmaf?_r.";
  private static final String WORDS = "__v\\w+|__dp\\w+";

  private static void needsSource(Cts cts) {
    if (!cts.device().executableFormats().contains("gpu-c++")) {
      throw Cts.unsupported("the device does not load the format gpu-c++");
    }
  }

  private static void check(Cts cts, Predicate<DeviceFunction> which) {
    needsSource(cts);
    List<DeviceFunction> functions = DeviceFunction.all().stream().filter(which).toList();
    assertTrue(functions.size() >= 10, functions::toString);
    long[] operands = new long[4 * functions.size() * CALLS];
    for (int f = 0; f < functions.size(); f++) {
      DeviceFunction function = functions.get(f);
      Random random = new Random(function.toString().hashCode());
      for (int i = 0; i < function.parameters().size(); i++) {
        for (int c = 0; c < CALLS; c++) {
          operands[(4 * f + i) * CALLS + c] =
              DeviceFunction.operand(function.parameters().get(i), random);
        }
      }
    }
    LongBuffer results = run(cts, functions, operands);
    List<String> wrong = new ArrayList<>();
    for (int f = 0; f < functions.size(); f++) {
      String first = firstWrong(functions.get(f), f, operands, results);
      if (!first.isEmpty()) {
        wrong.add(first);
      }
    }
    assertEquals(List.of(), wrong, () -> String.join("\n", wrong));
  }

  /** How many calls of a function were wrong, and the first one; empty if none was. */
  private static String firstWrong(
      DeviceFunction function, int f, long[] operands, LongBuffer results) {
    String first = "";
    int count = 0;
    long mask = DeviceFunction.mask(DeviceFunction.bits(function.result()));
    for (int c = 0; c < CALLS; c++) {
      long[] a = new long[function.parameters().size()];
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < a.length; i++) {
        a[i] = operands[(4 * f + i) * CALLS + c];
        text.append(i > 0 ? ", 0x" : "0x").append(Long.toHexString(a[i]));
      }
      Expected expected = FunctionReference.of(function, a);
      long result = results.get(f * CALLS + c) & mask;
      if (expected != null && !isRight(result, expected, function.result())) {
        if (count++ == 0) {
          first = "%s of (%s) is 0x%x, not 0x%x".formatted(function, text, result, expected.bits());
        }
      }
    }
    return count == 0 ? "" : first + " (wrong in " + count + " of " + CALLS + " calls)";
  }

  private static boolean isRight(long result, Expected expected, String type) {
    Format format = expected.format();
    if (format == null) {
      return result == expected.bits();
    }
    boolean isRight = isNear(result, expected.bits(), format, expected.distance());
    if (DeviceFunction.isPair(type)) {
      int bits = format.bits();
      isRight &= isNear(result >>> bits, expected.bits() >>> bits, format, expected.distance());
    }
    return isRight;
  }

  private static boolean isNear(long result, long expected, Format format, int distance) {
    long a = result & DeviceFunction.mask(format.bits());
    long b = expected & DeviceFunction.mask(format.bits());
    if (format.isNan(a) || format.isNan(b)) {
      return format.isNan(a) && format.isNan(b);
    }
    return distance == 0 ? a == b : Math.abs(place(a, format) - place(b, format)) <= distance;
  }

  /** Where a number is in the order of all of its format. */
  private static long place(long bits, Format format) {
    long size = bits & (format.sign() - 1);
    return format.isNegative(bits) ? -size : size;
  }

  private static LongBuffer run(Cts cts, List<DeviceFunction> functions, long[] operands) {
    ExecutableSource source =
        ExecutableSource.builder("functions")
            .kernel("values", ITEMS, in("in", ElementType.U64), out("out", ElementType.U64))
            .cpp(DeviceFunction.source(functions, CALLS))
            .build();
    Kernel kernel = cts.closing(cts.device().loadExecutable(source)).kernel("values");
    ByteBuffer bytes = ByteBuffer.allocate(8 * operands.length).order(ByteOrder.nativeOrder());
    bytes.asLongBuffer().put(operands);
    DeviceBuffer from = cts.buffer(bytes.array());
    DeviceBuffer to = cts.buffer(new byte[8 * functions.size() * CALLS]);
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(CALLS / ITEMS), Args.of(from, to));
    awaitReached(done, 1);
    return ByteBuffer.wrap(cts.read(to)).order(ByteOrder.nativeOrder()).asLongBuffer();
  }

  private static boolean isPlain(DeviceFunction function) {
    return !function.header().contains("16") && !isSpecial(function);
  }

  /** Those whose results are rounded as the device likes. */
  private static boolean isSpecial(DeviceFunction function) {
    return function.name().matches("[a-z].*") && !function.header().contains("16");
  }

  @Test
  @Rule("M8")
  void arithmeticIsRoundedInItsDirection(Cts cts) {
    check(cts, function -> function.name().matches(ROUNDED));
  }

  @Test
  @Rule("M8")
  void conversionsAreRoundedInTheirDirection(Cts cts) {
    check(
        cts,
        function ->
            isPlain(function)
                && function.name().matches("__\\w+2\\w+|__\\w+_as_\\w+")
                && !function.name().matches(WORDS));
  }

  @Test
  @Rule("M8")
  void integerFunctionsAreExact(Cts cts) {
    check(
        cts,
        function ->
            isPlain(function)
                && !function
                    .name()
                    .matches(WORDS + "|" + ROUNDED + "|__\\w+2\\w+|__\\w+_as_\\w+|__fns"));
  }

  @Test
  @Rule("M8")
  void wordsOfSeveralNumbersAreExact(Cts cts) {
    check(cts, function -> function.name().matches(WORDS));
  }

  @Test
  @Rule("M8")
  void halfHasTheValuesThatAreDocumented(Cts cts) {
    check(cts, function -> function.header().contains("fp16"));
  }

  @Test
  @Rule("M8")
  void bfloat16HasTheValuesThatAreDocumented(Cts cts) {
    check(cts, function -> function.header().contains("bf16"));
  }

  /** CUDA documents at most ten units in the last place, and near zeros an absolute error. */
  @Test
  @Rule("M8")
  void specialFunctionsAreNear(Cts cts) {
    needsSource(cts);
    List<DeviceFunction> functions =
        DeviceFunction.all().stream().filter(DeviceFunctionsTest::isSpecial).toList();
    double[] operands = new double[4 * functions.size() * CALLS];
    long[] bits = new long[operands.length];
    for (int f = 0; f < functions.size(); f++) {
      DeviceFunction function = functions.get(f);
      Random random = new Random(f);
      for (int i = 0; i < function.parameters().size(); i++) {
        Format format = DeviceFunction.format(function.parameters().get(i));
        for (int c = 0; c < CALLS; c++) {
          int at = (4 * f + i) * CALLS + c;
          double operand = SpecialReference.operand(function, i, random);
          bits[at] = format == null ? (long) operand : DeviceFunction.ofDouble(operand, format);
          operands[at] = format == null ? operand : FunctionReference.toDouble(bits[at], format);
        }
      }
    }
    LongBuffer results = run(cts, functions, bits);
    List<String> wrong = new ArrayList<>();
    for (int f = 0; f < functions.size(); f++) {
      DeviceFunction function = functions.get(f);
      Format format = Objects.requireNonNull(DeviceFunction.format(function.result()));
      double unit = Math.scalb(1.0, 1 - format.precision());
      double nearZeros = function.name().matches("[jy][01n]f?") ? 20 * unit : 0;
      for (int c = 0; c < CALLS; c += CALLS / REFERENCES) {
        double[] a = new double[function.parameters().size()];
        for (int i = 0; i < a.length; i++) {
          a[i] = operands[(4 * f + i) * CALLS + c];
        }
        double wanted = SpecialReference.of(function, a);
        double found =
            FunctionReference.toDouble(
                results.get(f * CALLS + c) & DeviceFunction.mask(format.bits()), format);
        boolean isRepresented =
            Math.abs(wanted) < FunctionReference.toDouble(format.infinity() - 1, format);
        if (isRepresented
            && !(Math.abs(found - wanted) <= 10 * unit * Math.abs(wanted) + nearZeros)) {
          wrong.add(
              "%s of %s is %s, not %s".formatted(function, Arrays.toString(a), found, wanted));
          break;
        }
      }
    }
    assertEquals(List.of(), wrong, () -> String.join("\n", wrong));
  }

  /** The ends of the range of each function, and what is beyond. */
  @Test
  @Rule("M8")
  void specialFunctionsEndAsDocumented(Cts cts) {
    needsSource(cts);
    Map<String, Double> all = new LinkedHashMap<>();
    for (String f : List.of("", "f")) {
      all.put("erfinv" + f + "(one)", Double.POSITIVE_INFINITY);
      all.put("erfinv" + f + "(-one)", Double.NEGATIVE_INFINITY);
      all.put("erfinv" + f + "(one + one)", Double.NaN);
      all.put("erfinv" + f + "(zero)", 0.0);
      all.put("erfcinv" + f + "(zero)", Double.POSITIVE_INFINITY);
      all.put("erfcinv" + f + "(one + one)", Double.NEGATIVE_INFINITY);
      all.put("erfcinv" + f + "(-one)", Double.NaN);
      all.put("normcdfinv" + f + "(zero)", Double.NEGATIVE_INFINITY);
      all.put("normcdfinv" + f + "(one)", Double.POSITIVE_INFINITY);
      all.put("normcdfinv" + f + "(one / 2)", 0.0);
      all.put("erfcx" + f + "(zero)", 1.0);
      all.put("erfcx" + f + "(-100 * one)", Double.POSITIVE_INFINITY);
      all.put("j0" + f + "(zero)", 1.0);
      all.put("j1" + f + "(zero)", 0.0);
      all.put("j0" + f + "(one / zero)", 0.0);
      all.put("jn" + f + "(-1, one)", Double.NaN);
      all.put("y0" + f + "(zero)", Double.NEGATIVE_INFINITY);
      all.put("y1" + f + "(-one)", Double.NaN);
      all.put("yn" + f + "(-1, one)", Double.NaN);
      all.put("cyl_bessel_i0" + f + "(zero)", 1.0);
      all.put("cyl_bessel_i0" + f + "(-one / zero)", Double.POSITIVE_INFINITY);
      all.put("cyl_bessel_i1" + f + "(-one / zero)", Double.NEGATIVE_INFINITY);
      all.put("rnorm3d" + f + "(zero, zero, zero)", Double.POSITIVE_INFINITY);
      all.put("norm4d" + f + "(zero, -one / zero, zero, zero / zero)", Double.POSITIVE_INFINITY);
    }
    StringBuilder source =
        new StringBuilder(DeviceFunction.prelude())
            .append("extern \"C\" __global__ void values(const double* in, double* out) {\n")
            .append("const float zero = (float)in[0], one = (float)in[1];\n");
    int index = 0;
    for (String expression : all.keySet()) {
      source.append("out[" + index++ + "] = " + expression + ";\n");
    }
    ExecutableSource bundle =
        ExecutableSource.builder("ends")
            .kernel("values", 1, in("in", ElementType.F64), out("out", ElementType.F64))
            .cpp(source + "}\n")
            .build();
    Kernel kernel = cts.closing(cts.device().loadExecutable(bundle)).kernel("values");
    ByteBuffer operands = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder()).putDouble(8, 1);
    DeviceBuffer from = cts.buffer(operands.array());
    DeviceBuffer to = cts.buffer(new byte[8 * all.size()]);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(1), Args.of(from, to));
    awaitReached(done, 1);
    ByteBuffer results = ByteBuffer.wrap(cts.read(to)).order(ByteOrder.nativeOrder());
    index = 0;
    for (Map.Entry<String, Double> one : all.entrySet()) {
      assertEquals(
          one.getValue(),
          Math.abs(results.getDouble(8 * index)) == 0 ? 0.0 : results.getDouble(8 * index),
          one.getKey());
      index++;
    }
  }
}
