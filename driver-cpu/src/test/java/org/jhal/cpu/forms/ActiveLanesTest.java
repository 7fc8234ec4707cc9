// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Map;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes that a workgroup does not have are not active. */
@NeedsCompiler
class ActiveLanesTest {
  private static final int ITEMS = 40;
  private static final String SOURCE =
      """
      extern "C" __global__ void active(const int* in, int* out) {
        out[blockIdx.x * blockDim.x + threadIdx.x] = __activemask();
      }
      """;

  @ParameterizedTest
  @ValueSource(strings = {"auto", "fission", "coroutine", "fiber"})
  void theLastWarpMayBeSmaller(String form) throws Exception {
    int[] wanted = new int[FormRun.COUNT];
    Arrays.setAll(wanted, i -> i % ITEMS < 32 ? -1 : 0xff);
    Arrays.fill(wanted, FormRun.COUNT / ITEMS * ITEMS, FormRun.COUNT, -7);
    try (FormRun run = new FormRun(form, SOURCE, Map.of("active", "active"), ITEMS)) {
      assertArrayEquals(wanted, run.run("active", new int[FormRun.COUNT]));
    }
  }
}
