// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;

/** Loaded kernels say how they are run. */
@NeedsCompiler
class NotesTest {
  private static final String SOURCE =
      """
      #define AT (blockIdx.x * 64 + threadIdx.x)
      using Ref = const int&;
      extern "C" __global__ void simple(const int* in, int* out) {
        out[AT] = in[AT];
        __syncthreads();
      }
      extern "C" __global__ void never_meets(const int* in, int* out) { out[AT] = in[AT]; }
      extern "C" __global__ void never_meets_but_shares(const int* in, int* out) {
        __shared__ int s[64];
        s[threadIdx.x] = in[AT];
        out[AT] = s[threadIdx.x];
      }
      // A reference cannot live over a barrier, which is found out by the compiler.
      extern "C" __global__ void referring(const int* in, int* out) {
        int x = in[AT];
        Ref r = x;
        __syncthreads();
        out[AT] = r;
      }
      __device__ int other(int* s, int x) {
        s[threadIdx.x] = x;
        __syncthreads();
        return s[63 - threadIdx.x];
      }
      extern "C" __global__ void calling(const int* in, int* out) {
        __shared__ int s[64];
        int x = in[63 - AT % 64 + AT / 64 * 64];
        Ref r = x;
        out[AT] = other(s, r) - x + r;
      }
      extern "C" __global__ void compares_pointers(const int* in, int* out) {
        const int* end = in + 500;
        if (in + AT < end) out[AT] = in[AT];
        if (AT < 500 && out + AT <= out + 499) out[AT] += in[AT];
      }
      // Its conditions may be declarations, as far as single words show.
      extern "C" __global__ void looks_through_pointers(const int* in, int* out) {
        __shared__ int s[64];
        int t = threadIdx.x, a = in[AT];
        const int* p = in + AT - t;
        s[t] = a;
        if (p && p[1] >= 0) {
          __syncthreads();
          a = s[63 - t];
        }
        for (int k = 0; p && p[k] >= 0; k++) {
          __syncthreads();
          if (k == 3) break;
          a++;
        }
        if (a * (t + 1)) {
          __syncwarp();
          out[AT] = a;
        }
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
  void pointersThatGrowAreCompared() throws InterruptedException {
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    int[] wanted = new int[FormRun.COUNT];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = i < 500 ? 2 * input[i] : -7;
    }
    try (FormRun run = new FormRun("auto", SOURCE, List.of("compares_pointers"))) {
      assertEquals("items run one after the other", run.note("compares_pointers"));
      assertArrayEquals(wanted, run.run("compares_pointers", input));
    }
  }

  @Test
  void conditionsThatLookLikeDeclarationsAreNone() throws InterruptedException {
    int[] input = new Random(1).ints(FormRun.COUNT, 1, 1000).toArray();
    int[] wanted = new int[FormRun.COUNT];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = input[i / 64 * 64 + 63 - i % 64] + 3;
    }
    try (FormRun run = new FormRun("auto", SOURCE, List.of("looks_through_pointers"))) {
      assertEquals("divided at its barriers", run.note("looks_through_pointers"));
      assertArrayEquals(wanted, run.run("looks_through_pointers", input));
    }
  }

  /** What the option demands, and what a kernel gets that it does not fit. */
  @Test
  void theNoteSaysWhyAFormThatWasAskedForIsNotUsed() {
    List<String> names = List.of("never_meets", "never_meets_but_shares", "simple");
    String stacks = "items have stacks of their own: ";
    String demanded = "as the option barriers demands";
    String none = "items that never meet are no coroutines, and the option barriers allows no loop";
    Map<String, List<String>> expected =
        Map.of(
            "fission",
            List.of(
                "items run one after the other",
                "items run one after the other",
                "divided at its barriers"),
            "coroutine",
            List.of(stacks + none, stacks + none, "items are coroutines: " + demanded),
            "fiber",
            List.of(stacks + demanded, stacks + demanded, stacks + demanded));
    expected.forEach(
        (form, notes) -> {
          try (FormRun run = new FormRun(form, SOURCE, names)) {
            assertEquals(notes, names.stream().map(run::note).toList(), form);
          }
        });
  }

  @Test
  void whatTheCompilerRejectsRunsInTheNextForm() throws InterruptedException {
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    try (FormRun run = new FormRun("auto", SOURCE, List.of("referring", "calling", "simple"))) {
      assertArrayEquals(input, run.run("referring", input));
      assertArrayEquals(input, run.run("calling", input));
      String rejected = ": the compiler rejects the faster form: code.cpp:";
      String referring = run.note("referring");
      assertTrue(referring.startsWith("items are coroutines" + rejected), referring);
      String calling = run.note("calling");
      assertTrue(calling.startsWith("items have stacks of their own" + rejected), calling);
      assertTrue(calling.endsWith("items meet in the function other in line 29"), calling);
      assertEquals("divided at its barriers", run.note("simple"));
    }
  }
}
