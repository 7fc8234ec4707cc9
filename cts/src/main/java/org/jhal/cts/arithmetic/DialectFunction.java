// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A function, an operator or a conversion of kernels in C++.
 *
 * @param operands which operands it gets
 * @param name unique among all functions
 * @param result the type of its results
 * @param judgement how its results are judged
 * @param units for {@link Judgement#NEAR}, the units in the last place by which a result may differ
 *     from the exact value; otherwise 0
 * @param range for {@link Judgement#INSIDE}, the type that it converts to; otherwise empty
 * @param expression in C++; {@code functions.txt} describes its variables
 */
public record DialectFunction(
    Operands operands,
    String name,
    ResultType result,
    Judgement judgement,
    int units,
    String range,
    String expression) {
  /** How the results of a device are judged. */
  public enum Judgement {
    /** All bits are those that were measured. */
    SAME,
    /** All bits are those that were measured, except that any NaN is as good as another. */
    VALUE,
    /** A result is at most some units in the last place from the exact value. */
    NEAR,
    /**
     * A conversion by a cast: as {@link #SAME} where the operand is in the range of the integer.
     */
    INSIDE,
    /**
     * A conversion by a function: as {@link #SAME}, and beyond the range of the integer the nearest
     * that it has.
     */
    SATURATED,
    /** Devices differ, and none is wrong. */
    OPEN
  }

  /** All functions, in the order of their list. */
  public static List<DialectFunction> all() {
    List<DialectFunction> functions = new ArrayList<>();
    try (InputStream file =
            Objects.requireNonNull(DialectFunction.class.getResourceAsStream("functions.txt"));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
      Operands operands = Operands.INTEGERS;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("[")) {
          operands = Operands.valueOf(upper(line.substring(1, line.length() - 1)));
        } else if (!line.isEmpty() && !line.startsWith("#")) {
          functions.add(of(operands, line.split(" +", 4)));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.copyOf(functions);
  }

  /** All functions by their operands: what one kernel computes. */
  public static Map<Operands, List<DialectFunction>> byOperands() {
    Map<Operands, List<DialectFunction>> groups = new EnumMap<>(Operands.class);
    for (DialectFunction function : all()) {
      groups.computeIfAbsent(function.operands(), missing -> new ArrayList<>()).add(function);
    }
    return groups;
  }

  private static DialectFunction of(Operands operands, String[] columns) {
    String[] judged = columns[2].split(":", 2);
    Judgement judgement = Judgement.valueOf(upper(judged[0]));
    return new DialectFunction(
        operands,
        columns[0],
        ResultType.valueOf(upper(columns[1])),
        judgement,
        judgement == Judgement.NEAR ? Integer.parseInt(judged[1]) : 0,
        judgement == Judgement.INSIDE ? judged[1] : "",
        columns[3]);
  }

  private static String upper(String word) {
    return word.toUpperCase(Locale.ROOT);
  }

  private boolean uses(String variable) {
    return expression.matches(".*\\b" + variable + "\\b.*");
  }

  /** Whether it converts a double. */
  boolean isOfDouble() {
    return uses("d");
  }

  /** The operand of a conversion. */
  double operand(Operands.Tuples tuples, int i) {
    if (uses("d")) {
      return Double.longBitsToDouble(tuples.p()[i]);
    }
    if (uses("h")) {
      return half(tuples.a()[i]);
    }
    return Float.intBitsToFloat(uses("r") ? tuples.a()[i] << 16 : tuples.a()[i]);
  }

  private static double half(int bits) {
    int exponent = bits >> 10 & 31;
    int fraction = bits & 1023;
    double size =
        exponent == 31
            ? (fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN)
            : Math.scalb(
                (double) (exponent == 0 ? fraction : fraction | 1024), Math.max(exponent, 1) - 25);
    return (bits & 0x8000) == 0 ? size : -size;
  }

  /** Whether one of the floats or bfloat16s of a tuple is subnormal, as far as it uses them. */
  boolean hasSubnormal(Operands.Tuples tuples, int i) {
    String[][] variables = {{"x", "r", "R"}, {"y", "s", "S"}, {"z", "t", "T"}};
    int[] words = {tuples.a()[i], tuples.b()[i], tuples.c()[i]};
    for (int k = 0; k < words.length; k++) {
      boolean isLow = ResultType.BF16.isSubnormal(words[k] & 0xffff);
      boolean isHigh = ResultType.BF16.isSubnormal(words[k] >>> 16);
      if ((uses(variables[k][0]) && ResultType.F32.isSubnormal(words[k] & 0xffffffffL))
          || (uses(variables[k][1]) && isLow)
          || (uses(variables[k][2]) && (isLow || isHigh))) {
        return true;
      }
    }
    return false;
  }

  /** The operands of a tuple, as far as the function uses them. */
  String describe(Operands.Tuples tuples, int i) {
    List<String> all = new ArrayList<>();
    int[][] words = {tuples.a(), tuples.b(), tuples.c()};
    String[] ints = {"i", "j", "k", "u", "v", "w"};
    for (int k = 0; k < ints.length; k++) {
      if (uses(ints[k])) {
        int word = words[k % 3][i];
        all.add(
            ints[k] + " = " + (k < 3 ? Integer.toString(word) : "0x" + Integer.toHexString(word)));
      }
    }
    String[] floats = {"x", "y", "z"};
    for (int k = 0; k < floats.length; k++) {
      if (uses(floats[k])) {
        all.add(floats[k] + " = " + ResultType.F32.text(words[k][i] & 0xffffffffL));
      }
    }
    String[] shorts = {"h", "g", "f", "r", "s", "t", "H", "G", "F", "R", "S", "T"};
    for (int k = 0; k < shorts.length; k++) {
      if (uses(shorts[k])) {
        int word = k < 6 ? words[k % 3][i] & 0xffff : words[k % 3][i];
        all.add(shorts[k] + " = 0x" + Integer.toHexString(word));
      }
    }
    long[][] wide = {tuples.p(), tuples.q()};
    String[] longs = {"l", "m", "p", "q", "d", "e"};
    for (int k = 0; k < longs.length; k++) {
      if (uses(longs[k])) {
        long word = wide[k % 2][i];
        all.add(
            longs[k]
                + " = "
                + (k < 2
                    ? Long.toString(word)
                    : k < 4 ? "0x" + Long.toHexString(word) : ResultType.F64.text(word)));
      }
    }
    return String.join(", ", all);
  }
}
