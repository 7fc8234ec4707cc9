// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;

/** Functions of the dialect whose results C++ leaves open, or defines otherwise than GPUs. */
@NeedsCompiler
class MathTest {
  /**
   * Expressions of type int, and their values. {@code zero} is 0, which the compiler cannot know.
   */
  private static Map<String, Integer> expressions() {
    Map<String, Integer> all = new LinkedHashMap<>();
    // Of a number and NaN, the number.
    all.put("min(1.0f, zero / zero) == 1.0f", 1);
    all.put("min(zero / zero, 1.0f) == 1.0f", 1);
    all.put("max(1.0, (double)zero / zero) == 1.0", 1);
    all.put("fmaxf(zero / zero, -2.0f) == -2.0f", 1);
    all.put("min(1.0f, 2.0) == 1.0", 1);
    all.put("min(3, 2)", 2);
    all.put("isnan(fminf(zero / zero, zero / zero))", 1);
    // Conversions saturate.
    all.put("__float2int_rz(1e10f + zero)", Integer.MAX_VALUE);
    all.put("__float2int_rz(-1e10f + zero)", Integer.MIN_VALUE);
    all.put("__float2int_rz(zero / zero)", 0);
    all.put("__float2int_rn(2.5f + zero)", 2);
    all.put("__float2int_ru(2.1f + zero)", 3);
    all.put("__float2int_rd(-2.1f + zero)", -3);
    all.put("(int)__float2uint_rz(-3 + zero)", 0);
    all.put("(int)__float2uint_rz(1e10f + zero)", -1);
    all.put("(int)__double2uint_rn(4294967294.6 + zero)", -1);
    all.put("__double2int_rz(1e300 + zero)", Integer.MAX_VALUE);
    // Numbers of other types.
    all.put("(int)sqrt(49 + (int)zero)", 7);
    all.put("(int)log2(1024u)", 10);
    all.put("(int)pow(3, 4)", 81);
    all.put("(int)(10 * hypot(3.0f, 4.0))", 50);
    all.put("(int)lroundf(2.5f + zero)", 3);
    all.put("(int)ldexpf(3, 4)", 48);
    all.put("signbit(-zero)", 1);
    all.put("(int)tgammaf(5.0f + zero)", 24);
    all.put("(int)(2 * sinpif(0.5f + zero))", 2);
    all.put("(int)norm3df(2, 3 + zero, 6)", 7);
    // Mixed types: all are computed as double, unless all are float.
    all.put("(int)pow(3 + zero, 2)", 9);
    all.put("(int)pow(3.0 + zero, 2)", 9);
    all.put("(int)pow(2, 0.5 + zero)", 1);
    all.put("(int)fmax(zero - 1, 0)", 0);
    all.put("(int)fmin(zero - 1.0, 0)", -1);
    all.put("(int)fmax(2u, zero)", 2);
    all.put("(int)fmod(7.0 + zero, 4ll)", 3);
    all.put("(int)(100 * atan2(1.0 + zero, 1))", 78);
    all.put("(int)fma(2 + zero, 3.0, 4)", 10);
    all.put("(int)sizeof(pow(zero, 2))", 8);
    all.put("(int)sizeof(pow(zero, zero))", 4);
    all.put("(int)sizeof(pow(zero, 1.0))", 8);
    all.put("(int)sizeof(fmax(zero, 0))", 8);
    all.put("(int)sizeof(fmaxf(zero, 0))", 4);
    all.put("(int)sizeof(sqrt((short)1))", 8);
    all.put("(int)sizeof(rsqrt(zero))", 4);
    all.put("(int)sizeof(sqrt(__half(1)))", 4);
    all.put("(int)fmax(__half(1), 2 + zero)", 2);
    all.put("pow(16777217 + (int)zero, 1 + zero) == 16777217.0", 1);
    all.put("isnan(1 + (int)zero)", 0);
    all.put("isinf(1u)", 0);
    all.put("isfinite(1ll)", 1);
    all.put("signbit(-3 + (int)zero)", 1);
    // Functions with other types, and rarer ones.
    all.put("(int)frexp(12 + zero, &exponent) + exponent", 4);
    all.put("(int)(100 * frexpf(12 + zero, &exponent))", 75);
    all.put("(int)(100 * frexp(12 + (int)zero, &exponent))", 75);
    all.put("(int)(100 * modff(2.25f + zero, &whole))", 25);
    all.put("(int)(100 * modf(2.25f + zero, &whole)) + (int)whole", 27);
    all.put("(int)(100 * modf(2.25 + zero, &wide)) + (int)wide", 27);
    all.put("(int)remquo(7 + zero, 4, &exponent)", -1);
    all.put("(int)round(sinh(asinh(3.0 + zero)))", 3);
    all.put("(int)roundf(coshf(acoshf(3 + zero)))", 3);
    all.put("(int)round(10 * tanh(atanh(0.5f + zero)))", 5);
    all.put("nextafterf(1 + zero, 2) > 1 && nextafter(1 + zero, 2) < nextafterf(1 + zero, 2)", 1);
    all.put("(int)(llabs(-5ll + (int)zero) + labs(-4l + (int)zero))", 9);
    all.put("(int)scalbn(3 + zero, 4) + (int)scalblnf(1 + zero, 2)", 52);
    all.put("(int)ldexp(3 + (int)zero, 4)", 48);
    all.put("(int)llrintf(3.6f + zero)", 4);
    all.put("(int)roundf(4 * rcbrtf(8 + zero))", 2);
    all.put("(int)(10 * normcdf(zero))", 5);
    all.put("(int)round(exp10(2 + zero)) + (int)exp10(1)", 110);
    all.put("(int)__umul64hi(1ull << 63, 6)", 3);
    all.put("(int)__mul64hi(-1ll << 62, 8)", -2);
    all.put("(int)__byte_perm(0x33221100u, 0x77665544u, 0x7520u)", 0x77552200);
    all.put("(int)__byte_perm(0x80u, 0, 0x1118u)", 0x80); // the fourth bit is ignored
    return all;
  }

  @Test
  void functionsHaveTheResultsOfGpus() throws InterruptedException {
    Map<String, Integer> expressions = expressions();
    StringBuilder source =
        new StringBuilder("extern \"C\" __global__ void all(const int* in, int* out) {\n")
            .append("if (blockIdx.x > 0 || threadIdx.x > 0) return;\nfloat zero = in[0];\n")
            .append("int exponent = 0;\nfloat whole = 0;\ndouble wide = 0;\n");
    int index = 0;
    for (String expression : expressions.keySet()) {
      source.append("out[").append(index++).append("] = ").append(expression).append(";\n");
    }
    try (FormRun run = new FormRun("auto", source + "}\n", List.of("all"))) {
      int[] output = run.run("all", new int[FormRun.COUNT]);
      index = 0;
      for (Map.Entry<String, Integer> expected : expressions.entrySet()) {
        assertEquals(expected.getValue(), output[index++], expected.getKey());
      }
    }
  }
}
