// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Casts to integers saturate, in each spelling and each place, and nothing else changes. */
@NeedsCompiler
class SaturatingCastsTest {
  /**
   * What the expressions below use. {@code big} is 3e9, {@code small} is 2.75, {@code zero} is 0
   * and {@code nan} is NaN, which the compiler cannot know.
   */
  private static final String BEFORE =
      """
      #include <cstdint>
      struct Pair { float first; float second; __device__ float sum() const { return first + second; } };
      struct Whole {
        int value;
        __device__ explicit operator int() const { return value; }
        __device__ bool operator>(int) const { return true; }
        __device__ int operator()(int) const { return 4; }
      };
      enum Colour { RED, GREEN };
      struct Implicit {
        int count = 4;
        __device__ operator int() { return ++count; }
      };
      struct Chosen {
        __device__ operator int() const { return 1; }
        __device__ operator int() { return 2; }
      };
      struct Moved {
        int value;
        __device__ operator int() & { return 1; }
        __device__ operator int() && { return 2; }
      };
      struct Converted {
        __device__ explicit operator int() const { return 1; }
        __device__ operator float() const { return 2; }
      };
      struct Initialized {
        int value;
        __device__ Initialized(float x) : value(int(x)) {}
        __device__ const int operator=(int x) { return x; }
      };
      __device__ int clamped(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }
      using Operation = int(int);
      template <int A, int B> __device__ float sum_of(float x) { return A + B + x; }
      struct Bits {
        int before : 3, of : 5;
        float real __attribute__((packed));
      };
      template <int N> struct Sized { static constexpr int size = N; };
      template <class T> __device__ T cast_to(float x) { return static_cast<T>(x); }
      __device__ float twice(float x) { return 2 * x; }
      __device__ int plus_one(int);
      __device__ int plus_one(int x) { return x + 1; }
      __device__ int apply(int (*function)(int), int x) { return function(x); }
      __device__ int optional(int x = (int)3.9f) { return x; }
      extern "C" __global__ void all(const int* in, int* out) {
        if (blockIdx.x > 0 || threadIdx.x > 0) return;
        const float zero = in[0], big = 3e9f + zero, small = 2.75f + zero, nan = zero / zero;
        const double wide = 1e300 + zero;
        const Pair pair = {big, small}, *at = &pair;
        const Whole whole = {5};
        float array[] = {big, small};
        Implicit implicit;
        Bits bits = {1, 9, 2.5f};
        int fixed[(int)4.5f] = {1, 2, 3, 4};
        const int n = 3;
        const Chosen chosen_one = {};
        Chosen chosen_other;
        Converted converted;
        int implicit_one = converted, many, among = big, *pointed = &many, behind = big;
        int volatile late = big;
        int templated = sum_of<1, 2>(small), after = big;
        const int four = 4;
        constexpr float half = 2.5f;
        int declared = big, other = -big, third;
        unsigned const fourth = -big;
        const unsigned char fifth(7), sixth = -big + 1;
        long long both = declared = small;
        int from_class = implicit, from_enum = GREEN, from_bits = bits.of, from_array = sizeof array;
        int chosen = zero > 0 ? big : -big, braced = {3};
        for (int k = big; k > 0; k = 0) third = k;
      """;

  private static Map<String, Integer> expressions() {
    Map<String, Integer> all = new LinkedHashMap<>();
    // Spellings.
    all.put("(int)big", Integer.MAX_VALUE);
    all.put("(int)-big", Integer.MIN_VALUE);
    all.put("(int)nan", 0);
    all.put("( int ) big", Integer.MAX_VALUE);
    all.put("(signed)big", Integer.MAX_VALUE);
    all.put("(int)(big)", Integer.MAX_VALUE);
    all.put("int(big)", Integer.MAX_VALUE);
    all.put("static_cast<int>(big)", Integer.MAX_VALUE);
    all.put("static_cast<unsigned char>(-big)", 0);
    all.put("(int)(unsigned)-big", 0);
    all.put("(int32_t)big", Integer.MAX_VALUE);
    all.put("(unsigned int)big == 3000000000u", 1);
    all.put("(int)(unsigned)(2 * big)", -1);
    all.put("(unsigned long long)-big == 0", 1);
    all.put("(long long)wide == 0x7fffffffffffffffll", 1);
    all.put("(size_t)wide == ~(size_t)0", 1);
    all.put("(short)big", -1);
    all.put("(unsigned char)(300 + zero)", 44);
    all.put("(uchar)-small", 0);
    all.put("(const int)big", Integer.MAX_VALUE);
    all.put("static_cast<const int>(big)", Integer.MAX_VALUE);
    all.put("(std::int32_t)big", Integer.MAX_VALUE);
    // Operands.
    all.put("(int)pair.first", Integer.MAX_VALUE);
    all.put("(int)at->second", 2);
    all.put("(int)pair.sum()", Integer.MAX_VALUE);
    all.put("(int)array[0]", Integer.MAX_VALUE);
    all.put("(int)twice(small)", 5);
    all.put("(int)::twice(small)", 5);
    all.put("(int)*array", Integer.MAX_VALUE);
    all.put("(int)+big", Integer.MAX_VALUE);
    all.put("(int)!small", 0);
    all.put("(int)small * 2", 4);
    all.put("1000 - (int)small", 998);
    all.put("3 > (int)small", 1);
    all.put("n<(int)big", 1);
    all.put("(int)small % 2 + (int)big / 2", Integer.MAX_VALUE / 2);
    all.put("(int)small ? 7 : (int)big", 7);
    all.put("zero ? 7 : (int)big", Integer.MAX_VALUE);
    all.put("fixed[(int)small]", 3);
    all.put("1 << (int)small", 4);
    // Signs and casts before a cast.
    all.put("-(int)small", -2);
    all.put("+(int)small", 2);
    all.put("!(int)small", 0);
    all.put("~(int)small", -3);
    all.put("- -(int)small", 2);
    all.put("-~(int)small", 3);
    all.put("(int)(float)(int)big == 2147483647", 1);
    all.put("(float)(int)small == 2.0f", 1);
    all.put("(double)(long long)(int)-big == -2147483648.0", 1);
    all.put("-(float)(int)small == -2.0f", 1);
    all.put("(short)(int)big", -1);
    all.put("(int)(unsigned char)(int)(259 + zero)", 3);
    // What is no number.
    all.put("(int)true", 1);
    all.put("(int)GREEN", 1);
    all.put("(int)whole", 5);
    all.put("(size_t)array != 0", 1);
    all.put("(unsigned long long)&array[1] - (unsigned long long)array == sizeof(float)", 1);
    all.put("(int)'a'", 97);
    all.put("(int)sizeof(double)", 8);
    all.put("(int)0x80000000u", Integer.MIN_VALUE);
    // What is no cast.
    all.put("(int)(whole > 3)", 1);
    all.put("whole(2) + (n) - 1", 6);
    all.put("apply(plus_one, 2)", 3);
    all.put("optional()", 3);
    all.put("Sized<(int)2.5f>::size", 2);
    all.put("(int)sizeof(int) - 1", 3);
    all.put("[](int) { return 4; }(2)", 4);
    all.put("[](float x) -> int { return (int)x; }(big)", Integer.MAX_VALUE);
    all.put("(int)chosen_one + 10 * (int)chosen_other", 21);
    all.put("int(chosen_one) + static_cast<int>(chosen_one)", 2);
    all.put("(int)Moved{1}", 2);
    all.put("implicit_one", 2);
    all.put("[](int x) { int m = four; return m * x; }(3)", 12);
    all.put("[](int x) { return x * (int)half; }(3)", 6);
    // Other places.
    all.put("max(int(big), -5)", Integer.MAX_VALUE);
    all.put("clamped(int(big))", 255);
    all.put("(int(big))", Integer.MAX_VALUE);
    all.put("5 < int(big)", 1);
    all.put("Initialized(big).value", Integer.MAX_VALUE);
    all.put("n < 4 ? 7 > (int)small : 9", 1);
    all.put("0 xor (int)small", 2);
    all.put("(int)[&] { return small; }()", 2);
    all.put("(float)-(int)small == -2.0f", 1);
    all.put("(int)sizeof -(int)small", 4);
    // Declarations.
    all.put("among + (many = 0)", Integer.MAX_VALUE);
    all.put("behind", Integer.MAX_VALUE);
    all.put("(int)late", Integer.MAX_VALUE);
    all.put("templated + (after == 2147483647)", 6);
    all.put("declared", 2);
    all.put("other", Integer.MIN_VALUE);
    all.put("third", Integer.MAX_VALUE);
    all.put("(int)fourth", 0);
    all.put("sixth + fifth", 7);
    all.put("(int)both", 2);
    all.put("chosen", Integer.MIN_VALUE);
    all.put("from_class + implicit.count", 10);
    all.put("from_enum + from_bits + braced", 13);
    all.put("from_array", 8);
    all.put("(int)bits.of + (int)bits.real", 11);
    // A type that a template gives is the compiler's business, inside the range.
    all.put("cast_to<int>(small)", 2);
    return all;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fission",
        "coroutine",
        "fiber",
        "auto&check=memory",
        "auto&check=races",
        "auto&check=barriers"
      })
  void castsSaturate(String form) throws InterruptedException {
    Map<String, Integer> expressions = expressions();
    StringBuilder source = new StringBuilder(BEFORE);
    int index = 0;
    for (String expression : expressions.keySet()) {
      source.append("out[").append(index++).append("] = ").append(expression).append(";\n");
    }
    source.append("switch (n) { case (int)3.5f: out[").append(index).append("] = 1; }\n}\n");
    try (FormRun run = new FormRun(form, source.toString(), List.of("all"))) {
      int[] output = run.run("all", new int[FormRun.COUNT]);
      index = 0;
      for (Map.Entry<String, Integer> expected : expressions.entrySet()) {
        assertEquals(expected.getValue(), output[index++], expected.getKey());
      }
      assertEquals(1, output[index], "a label");
    }
  }

  /** A cast does not keep a loop over the items, or one with a barrier, from its form. */
  @Test
  void castsKeepTheForm() throws InterruptedException {
    String source =
        """
        extern "C" __global__ void shifted(const int* in, int* out) {
          __shared__ int tile[64];
          const int i = (int)(blockIdx.x * blockDim.x) + (int)threadIdx.x;
          tile[threadIdx.x] = (int)(in[i] * 1.5f);
          __syncthreads();
          for (int k = (int)1.5f; k < (int)blockDim.x; k *= 2) {
            out[i] = tile[(threadIdx.x + (unsigned)k) % 64];
          }
        }
        """;
    try (FormRun run = new FormRun("auto", source, List.of("shifted"))) {
      assertTrue(run.note("shifted").contains("divided"), run.note("shifted"));
      int[] input = new int[FormRun.COUNT];
      for (int i = 0; i < input.length; i++) {
        input[i] = i;
      }
      int[] output = run.run("shifted", input);
      for (int i = 0; i < output.length; i++) {
        assertEquals((int) ((i / 64 * 64 + (i + 32) % 64) * 1.5f), output[i], "item " + i);
      }
    }
  }
}
