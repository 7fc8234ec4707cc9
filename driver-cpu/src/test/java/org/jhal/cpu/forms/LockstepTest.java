// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
      __device__ int first(const int* in, int from, int most) {
        for (int i = 0; i < most; i++) {
          for (int j = i; j < 5; j++) {
            if ((from + i * j) % 7 == 3) return i * 10 + j;
            if (from < j) break;
          }
          if (from == 3 * i) return -i;
        }
        return in[0] & 7;
      }
      __device__ int lowest(const int* in, int x) {
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
      template <class T> __device__ T halved(T x) { while (x > 9) x = x / 2; return x; }
      extern "C" __global__ void nested_returns(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x;
        out[at] = first(in, in[at], 9) + at;
      }
      extern "C" __global__ void search(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x;
        out[at] = lowest(in, in[at]);
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
      extern "C" __global__ void of_template(const int* in, int* out) {
        int at = blockIdx.x * blockDim.x + threadIdx.x;
        out[at] = halved<int>(in[at]) + (int)halved<float>(in[at] * 0.5f);
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
      List.of("nested_returns", "search", "walk", "of_template", "through_barriers");

  @Test
  void functionsAndSwitchesAreTheSame() throws InterruptedException {
    int[] input = new Random(5).ints(FormRun.COUNT, -40, 1000).toArray();
    Arrays.sort(input, 0, 64);
    try (FormRun run = new FormRun("auto", WRITTEN_ANEW, NAMES);
        FormRun other = new FormRun("fiber", WRITTEN_ANEW, NAMES)) {
      for (String name : NAMES) {
        assertTrue(run.note(name).contains("in lockstep"), name + ": " + run.note(name));
        assertArrayEquals(other.run(name, input), run.run(name, input), name);
      }
    }
  }
}
