// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
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

  private static boolean isThere() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, CLANG)));
  }

  @Test
  void eachItemHasItsOwnVariables() throws InterruptedException {
    assumeTrue(isThere(), "there is no " + CLANG);
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
}
