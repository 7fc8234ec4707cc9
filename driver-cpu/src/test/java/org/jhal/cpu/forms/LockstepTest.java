// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Loops that items go through together write what they write one after the other. {@code
 * -Djhal.test.random-kernels=2000} tries more random kernels, and {@code -Djhal.test.random-first}
 * others.
 */
@NeedsCompiler
class LockstepTest {
  private static final int KERNELS =
      Integer.getInteger(
          "jhal.test.random-kernels", Boolean.getBoolean("jhal.test.long") ? 80 : 20);
  private static final long FIRST = Long.getLong("jhal.test.random-first", 0);

  private static String hint(String form, RandomLoops kernel) {
    return "%s in the form %s; again with -Djhal.test.random-first=%s -Djhal.test.random-kernels=1\n%s"
        .formatted(kernel.name(), form, kernel.name().substring(5), kernel.text());
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "fission"})
  void randomLoopsWriteWhatTheirTreeSays(String form) throws InterruptedException {
    List<RandomLoops> kernels = new ArrayList<>();
    StringBuilder source = new StringBuilder();
    for (int i = 0; i < KERNELS; i++) {
      RandomLoops kernel = new RandomLoops(FIRST + i);
      kernels.add(kernel);
      source.append(kernel.text());
    }
    int together = 0;
    List<String> names = kernels.stream().map(RandomLoops::name).toList();
    try (FormRun run = new FormRun(form, source.toString(), names)) {
      for (RandomLoops kernel : kernels) {
        together += run.note(kernel.name()).contains("in lockstep") ? 1 : 0;
        for (int seed = 0; seed < 4; seed++) {
          int[] input = new Random(seed).ints(FormRun.COUNT, -300, 1000).toArray();
          assertArrayEquals(
              kernel.evaluate(input), run.run(kernel.name(), input), () -> hint(form, kernel));
        }
      }
    }
    int found = together;
    assertTrue(
        form.equals("auto") ? 2 * together >= KERNELS : together == 0,
        () -> found + " of " + KERNELS + " in lockstep");
  }

  /** Functions that become a part of the kernel, and what else is written in another way. */
  private static final String WRITTEN_ANEW =
      """
      struct Vector { float x, y; };
      __device__ Vector operator*(const Vector& a, float b) { return {a.x * b, a.y * b}; }
      __device__ int nested(const int* in, int from, int most) {
        for (int i = 0; i < most; i++) {
          for (int j = i; j < 5; j++) {
            if ((from + i * j) % 7 == 3) return i * 10 + j;
            if (from < j) break;
          }
          if (from == 3 * i) return -i;
        }
        return in[0] & 7;
      }
      __device__ int low_bound(const int* in, int x) {
        int low = 0, high = 63;
        while (low < high) {
          int middle = (low + high) / 2;
          if (in[middle] < x) low = middle + 1; else high = middle;
        }
        return low;
      }
      __device__ unsigned next(unsigned& state) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state;
      }
      extern "C" __global__ void nested_returns(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x;
        out[at] = nested(in, in[at], 9) + at;
      }
      extern "C" __global__ void search(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x;
        out[at] = low_bound(in, in[at]);
      }
      extern "C" __global__ void walk(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x;
        unsigned state = in[at] + 17u;
        int x = 0, y = 0, step = 0;
        for (; step < 90; step++) {
          switch (next(state) >> 30) {
            case 0: x++; break;
            case 1: x--; break;
            case 2: { y++; break; }
            default: y--; break;
          }
          if (x > 4 || x < -4 || y > 4 || y < -4) break;
        }
        out[at] = step * 100 + x + y;
      }
      extern "C" __global__ void through_barriers(const int* in, int* out) {
        __shared__ int sums[64];
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at];
        bool is_odd = false;
        while (x > 5) { is_odd = !is_odd; x = is_odd ? x - 3 : x / 2; }
        sums[threadIdx.x] = x + is_odd;
        __syncthreads();
        int other = sums[63 - threadIdx.x], y = 0;
        if (other < 4) {
          do { y += other; other++; } while (other < 20 && y != 9);
        } else {
          y = x + other;
        }
        out[at] = y * 3 + other;
      }
      """;

  private static final List<String> NAMES =
      List.of("nested_returns", "search", "walk", "through_barriers");

  /** What a vector must not do, or take for something else. */
  private static final String AT_THE_EDGE =
      """
      struct Pair { int a, b; };
      template <class T> __device__ T operator-(const T& a, const T& b) { return a; }
      template <class T> __device__ bool operator!=(const T& a, const T& b) { return true; }
      extern "C" __global__ void operators(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at] & 63, s = 0;
        while (x != 7 && s != 20) { x = x - s; s++; }
        out[at] = x * 100 + s;
      }
      extern "C" __global__ void loop_that_nobody_comes_to(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at] & 63, s = 0;
        int step = blockDim.x - 64;
        while (x < 100) {
          x++;
          if (x > step) break;
          for (int j = 0; j < 64; j += step) s += j ^ x;
        }
        out[at] = s + x;
      }
      extern "C" __global__ void casts(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at], s = 0;
        float big = blockDim.x * 1e9f;
        while ((x & 7) != 0) {
          s += (int)big;
          s ^= (unsigned)(-big);
          int t = big;
          s += t + (int)(x * big);
          x++;
        }
        out[at] = s;
      }
      extern "C" __global__ void numbers(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at] & 63, s = 0;
        bool is = false;
        unsigned u = x;
        while (x < 90) {
          x += is + 0x3u + (x > 50 ? 010 : 1);
          is = x & 1;
          u = u * 3000000001u + is;
          s += u > 0x7fffffffu ? -is : 2;
          s /= 3;
          if (is == (s > 4)) s--;
        }
        out[at] = x * 100 + s;
      }
      __device__ int max(int a, int b) { return a > b ? a : b; }
      __device__ short halved(short x) { while (x > 9) x = x / 2; return x; }
      struct Adds { int* to; __device__ ~Adds() { *to += 2; } };
      __device__ int seven(const Adds&) { return 7; }
      extern "C" __global__ void function_of_the_dialect(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at], s = max(x, 5u) > 7u;
        while (x > 5) { x = max(x - 3, 2); s += max(1.5f, 0.5f) * 2; }
        out[at] = s + x;
      }
      extern "C" __global__ void object(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at];
        while (x > 5) { x -= seven(Adds{out + at}); }
        out[at] += x;
      }
      extern "C" __global__ void other_functions(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at], y = 0;
        while (x > 5) x = x - 3;
        if (x > 3) y = seven(Adds{out + at});
        out[at] += x + y + halved(70000 + x);
      }
      extern "C" __global__ void constant_in_a_branch(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x;
        if (at % 7 == 3) return;
        constexpr int LIMIT = 30;
        int x = in[at], s = 0;
        while (x > 5 && s < LIMIT) { x -= s; s += 3; }
        out[at] = x + s;
      }
      extern "C" __global__ void switch_with_a_variable(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at], a = 0, y = 5;
        switch (x & 1) { case 0: int y; y = 1; a = y; break; case 1: y = 2; a = y; break; }
        switch (x & 2) { case 0: { int y = 1; a += y; break; } default: { a += y; } }
        while (x > 5) x = x - 3;
        out[at] = x + a + y;
      }
      extern "C" __global__ void long_number(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at] & 63;
        while (x < 90) x += (x > 50 ? 4294967296u : 0u) != 0u ? 1 : 3;
        out[at] = x;
      }
      extern "C" __global__ void shared_number(const int* in, int* out) {
        __shared__ int limit;
        int at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at] & 63;
        if (threadIdx.x == 0) limit = 40 + blockIdx.x;
        __syncthreads();
        while (x < limit) x = x * 2 + 1;
        out[at] = x;
      }
      """;

  private static final List<String> IN_LOCKSTEP =
      List.of("operators", "loop_that_nobody_comes_to", "casts", "numbers", "constant_in_a_branch");
  private static final List<String> OTHERS =
      List.of(
          "long_number",
          "shared_number",
          "function_of_the_dialect",
          "other_functions",
          "object",
          "switch_with_a_variable");

  @Test
  void functionsAndSwitchesAreTheSame() throws InterruptedException {
    compare(WRITTEN_ANEW, NAMES, List.of());
  }

  @Test
  void whatVectorsMightDoOtherwiseIsTheSame() throws InterruptedException {
    compare(AT_THE_EDGE, IN_LOCKSTEP, OTHERS);
  }

  private static void compare(String source, List<String> inLockstep, List<String> others)
      throws InterruptedException {
    int[] input = new Random(5).ints(FormRun.COUNT, -40, 1000).toArray();
    Arrays.sort(input, 0, 64);
    List<String> all = new ArrayList<>(inLockstep);
    all.addAll(others);
    try (FormRun run = new FormRun("auto", source, all);
        FormRun other = new FormRun("fiber", source, all)) {
      for (String name : all) {
        String note = run.note(name);
        assertEquals(inLockstep.contains(name), note.contains("in lockstep"), name + ": " + note);
        assertEquals(-1, note.indexOf("rejects"), name + ": " + note);
        assertArrayEquals(other.run(name, input), run.run(name, input), name);
      }
    }
  }
}
