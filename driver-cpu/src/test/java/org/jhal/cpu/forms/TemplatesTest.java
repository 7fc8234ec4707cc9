// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Random;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Instances of templates in each form in which their work items may be run. */
@NeedsCompiler
class TemplatesTest {
  /** Shared arrays, loops with barriers and branches depend on the template's parameters. */
  private static final String SOURCE =
      """
      template <class T, int N, bool ADDS>
      __global__ void turned(const int* in, int* out) {
        __shared__ T tile[N];
        int own = blockIdx.x * N + threadIdx.x;
        tile[threadIdx.x] = (T)in[own];
        __syncthreads();
        for (int step = 1; step < N; step *= 2) {
          T other = tile[threadIdx.x ^ step];
          __syncthreads();
          if (ADDS) tile[threadIdx.x] += other;
          else tile[threadIdx.x] = other;
          __syncthreads();
        }
        out[own] = (int)tile[threadIdx.x];
      }
      template <int FACTOR = 5>
      __global__ void with_default(const int* in, int* out) {
        int own = blockIdx.x * blockDim.x + threadIdx.x;
        __syncthreads();
        out[own] = FACTOR * in[own];
      }
      namespace inner {
      template <int FACTOR>
      __global__ void scaled(const int* in, int* out) {
        int own = blockIdx.x * blockDim.x + threadIdx.x;
        out[own] = FACTOR * in[own];
      }
      }
      """;

  @ParameterizedTest
  @ValueSource(strings = {"auto", "coroutine"})
  void instancesGiveTheSameInEachForm(String form) throws Exception {
    Map<String, String> entries =
        Map.of(
            "sums", "turned<int, 64, true>",
            "exact", "turned<double, 64, true>",
            "reversed", "turned<short, 64, false>",
            "scaled", "inner::scaled<-3>",
            "with_default", "with_default< >");
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    int[] sums = new int[input.length];
    int[] reversed = new int[input.length];
    int[] scaled = new int[input.length];
    int[] fives = new int[input.length];
    for (int i = 0; i < input.length; i++) {
      int group = i / FormRun.ITEMS * FormRun.ITEMS;
      for (int j = 0; j < FormRun.ITEMS; j++) {
        sums[i] += input[group + j];
      }
      reversed[i] = input[group + FormRun.ITEMS - 1 - i % FormRun.ITEMS];
      scaled[i] = -3 * input[i];
      fives[i] = 5 * input[i];
    }
    try (FormRun run = new FormRun(form, SOURCE, entries)) {
      assertArrayEquals(sums, run.run("sums", input), "sums as " + form);
      assertArrayEquals(sums, run.run("exact", input), "exact as " + form);
      assertArrayEquals(reversed, run.run("reversed", input), "reversed as " + form);
      assertArrayEquals(scaled, run.run("scaled", input), "scaled as " + form);
      assertArrayEquals(fives, run.run("with_default", input), "with_default as " + form);
      if (form.equals("fission")) {
        assertEquals("divided at its barriers", run.note("with_default"));
      }
    }
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"fission", "fiber"})
  void instancesGiveTheSameInOtherForms(String form) throws Exception {
    instancesGiveTheSameInEachForm(form);
  }
}
