// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.jhal.cpu.compile.HostCompiler;
import org.junit.jupiter.api.Test;

/** Loops over the items are right with clang too, which is not the compiler of other tests. */
class ClangTest {
  private static final String CLANG = "clang++";

  /** A variable of an item has one place for all rounds of the loop, one after the other. */
  private static final String SOURCE =
      """
      #define AT (blockIdx.x * 64 + threadIdx.x)
      extern "C" __global__ void element(const int* in, int* out) {
        int a[2] = {1, in[AT]};
        out[AT] = a[gridDim.x & 1 ? 0 : 1];
      }
      extern "C" __global__ void pointer(const int* in, int* out) {
        int x = in[AT], y = 1;
        int* all[2] = {&x, &y};
        *all[gridDim.x & 1 ? 1 : 0] += 7;
        out[AT] = x;
      }
      """;

  /** Subscripts that go round within the 64 items of a workgroup. */
  private static final String ROUND =
      """
      extern "C" __global__ void shared(const int* in, int* out) {
        __shared__ int all[64];
        int t = threadIdx.x;
        all[t] = in[blockIdx.x * blockDim.x + t];
        __syncthreads();
        out[blockIdx.x * blockDim.x + t] = all[(t * 5) % 64];
      }
      extern "C" __global__ void global(const int* in, int* out) {
        out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x * 3 & 31];
      }
      """;

  /** Skips the test on machines without clang. */
  static void assumeClang() {
    assumeTrue(HostCompiler.find(CLANG).isPresent(), "there is no " + CLANG + " on the PATH");
  }

  @Test
  void eachItemHasItsOwnVariables() throws InterruptedException {
    assumeClang();
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    Map<String, String> entries = Map.of("element", "element", "pointer", "pointer");
    String form = "fission&compiler=" + CLANG;
    try (FormRun run = new FormRun(form, SOURCE, entries, FormRun.ITEMS, FormRun.MOST)) {
      assertEquals("items run one after the other", run.note("element"));
      assertArrayEquals(input, run.run("element", input));
      int[] greater = Arrays.stream(input).map(value -> value + 7).toArray();
      assertArrayEquals(greater, run.run("pointer", input));
    }
  }

  /**
   * Clang 14 to 19 read {@code all[65]} for item 13 if they may load several strides at once (see
   * findings/clang-strided-subscript-goes-round.sh).
   */
  @Test
  void aSubscriptGoesRound() throws InterruptedException {
    assumeClang();
    int[] input = new Random(2).ints(FormRun.COUNT, 0, 1000).toArray();
    Map<String, String> entries = Map.of("shared", "shared", "global", "global");
    String form = "auto&compiler=" + CLANG;
    try (FormRun run = new FormRun(form, ROUND, entries, 64, FormRun.MOST)) {
      int[] shared = new int[input.length];
      int[] global = new int[input.length];
      for (int i = 0; i < input.length; i++) {
        shared[i] = input[i / 64 * 64 + i % 64 * 5 % 64];
        global[i] = input[i % 64 * 3 % 32];
      }
      assertArrayEquals(shared, run.run("shared", input));
      assertArrayEquals(global, run.run("global", input));
    }
  }
}
