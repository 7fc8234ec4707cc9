// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;

/** Loaded kernels say how they are run. */
@NeedsCompiler
class NotesTest {
  private static final String SOURCE =
      """
      #define AT (blockIdx.x * 64 + threadIdx.x)
      struct Box {
        int value;
        __device__ Box(int from) : value(from) {}
      };
      extern "C" __global__ void simple(const int* in, int* out) {
        out[AT] = in[AT];
        __syncthreads();
      }
      // A box cannot be one of an array, which is found out by the compiler.
      extern "C" __global__ void boxed(const int* in, int* out) {
        Box box(in[AT]);
        __syncthreads();
        out[AT] = box.value;
      }
      """;

  @Test
  void aLoadedKernelSaysItsLevel() {
    try (FormRun run = new FormRun("auto", SOURCE, List.of("simple"))) {
      assertEquals("divided at its barriers", run.note("simple"));
    }
    try (FormRun run = new FormRun("fiber", SOURCE, List.of("simple"))) {
      assertEquals(
          "items have stacks of their own: as the option barriers demands", run.note("simple"));
    }
  }

  @Test
  void whatTheCompilerRejectsRunsInTheSlowestForm() throws InterruptedException {
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    try (FormRun run = new FormRun("auto", SOURCE, List.of("boxed"))) {
      assertArrayEquals(input, run.run("boxed", input));
      String note = run.note("boxed");
      assertTrue(
          note.startsWith(
              "items have stacks of their own: the compiler rejects the faster form: code.cpp:"),
          note);
    }
  }
}
