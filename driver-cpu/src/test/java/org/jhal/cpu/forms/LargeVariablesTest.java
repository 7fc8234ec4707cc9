// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;

/** Variables of all work items together may take more than the stack of a thread, 16 MiB. */
@NeedsCompiler
class LargeVariablesTest {
  private static final int LENGTH = 80_000; // 64 items have 20 MB of such arrays

  private static final String SOURCE =
      """
      #define AT (blockIdx.x * 64 + threadIdx.x)
      struct Counted {
        int count = 3;
        int rest[LENGTH];
      };
      extern "C" __global__ void plain(const int* in, int* out) {
        int all[LENGTH];
        for (int i = 0; i < LENGTH; i++) all[i] = in[AT] + i;
        __syncthreads();
        int sum = 0;
        for (int i = 0; i < LENGTH; i += 1000) sum += all[i];
        out[AT] = sum;
      }
      extern "C" __global__ void constructed(const int* in, int* out) {
        for (int round = 0; round < 2; round++) {
          Counted own;
          own.rest[LENGTH - 1] = in[AT];
          own.count += round;
          __syncthreads();
          out[AT] = own.count + own.rest[LENGTH - 1];
        }
      }
      """
          .replace("LENGTH", String.valueOf(LENGTH));

  @Test
  void theyLieInMemoryOfTheLaunch() throws Exception {
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    int[] sums = new int[input.length];
    int[] counts = new int[input.length];
    for (int i = 0; i < input.length; i++) {
      for (int j = 0; j < LENGTH; j += 1000) {
        sums[i] += input[i] + j;
      }
      counts[i] = 4 + input[i];
    }
    try (FormRun run = new FormRun("auto", SOURCE, List.of("plain", "constructed"))) {
      assertEquals("divided at its barriers", run.note("plain"));
      assertEquals("divided at its barriers", run.note("constructed"));
      assertArrayEquals(sums, run.run("plain", input));
      assertArrayEquals(counts, run.run("constructed", input));
      assertArrayEquals(sums, run.run("plain", input));
    }
  }

  /** None of them is large, but all together are. */
  @Test
  void manyLieThereToo() throws Exception {
    int many = 40; // 64 items have 0.5 MB of each array
    String source =
        "extern \"C\" __global__ void many(const int* in, int* out) {\n"
            + forEach(
                many, "int a%1$d[2000]; for (int i = 0; i < 2000; i++) a%1$d[i] = in[i %% 64];")
            + "__syncthreads();\nint sum = 0;\n"
            + forEach(
                many, "for (int i = 0; i < 2000; i += 100) sum += a%1$d[i + in[i %% 64]] * %1$d;")
            + "out[blockIdx.x * 64 + threadIdx.x] = sum;\n}\n";
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 64).toArray();
    int sum = 0;
    for (int i = 0; i < 2000; i += 100) {
      sum += input[(i + input[i % 64]) % 64];
    }
    int[] sums = new int[input.length];
    Arrays.fill(sums, sum * many * (many - 1) / 2);
    try (FormRun run = new FormRun("auto", source, List.of("many"))) {
      assertEquals("divided at its barriers", run.note("many"));
      assertArrayEquals(sums, run.run("many", input));
    }
  }

  private static String forEach(int count, String line) {
    return IntStream.range(0, count)
        .mapToObj(i -> String.format(Locale.ROOT, line, i) + "\n")
        .collect(Collectors.joining());
  }
}
