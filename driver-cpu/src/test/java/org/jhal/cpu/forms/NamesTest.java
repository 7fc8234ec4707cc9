// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.cpu.translate.KernelRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that kernels use and that need more than a header, in each form of kernels. */
@NeedsCompiler
class NamesTest {
  /** The result of item {@code i}, if {@code in[i] == i}. */
  private record Wanted(String body, IntUnaryOperator result) {}

  private static final String HELPERS =
      """
      #include <cooperative_groups.h>
      #include <cuda_runtime.h>
      #include <device_launch_parameters.h>
      #include <math_constants.h>
      #include <limits>
      namespace cg = cooperative_groups;
      typedef int (*op)(int);
      __device__ int twice(int a) { return a * 2 + (int)threadIdx.x; }
      __device__ int negated(int a) { return -a; }
      __device__ int both(int a);
      __device__ op table[3] = {twice, negated, &both};
      __device__ int both(int a) { return twice(a) + table[1](a) + (int)blockDim.x; }
      template <class F> __device__ int applied(F f, int a) { return f(a); }
      template <op F> __device__ int applied_to(int a) { return F(a); }
      __device__ int later(int a) {
        __syncthreads();
        return a + (int)threadIdx.x;
      }
      __device__ int rank_in(cg::thread_group group, int v) {
        group.sync();
        return v + group.thread_rank();
      }
      """;

  private static Map<String, Wanted> kernels() {
    Map<String, Wanted> all = new LinkedHashMap<>();
    // Functions by pointer.
    all.put("by_table", new Wanted("out[i] = table[0](in[i]);", i -> 2 * i + i % 64));
    all.put(
        "by_variable",
        new Wanted(
            "op f = (i & 1) ? twice : negated; out[i] = f(in[i]);",
            i -> i % 2 == 1 ? 2 * i + i % 64 : -i));
    all.put("by_two", new Wanted("out[i] = table[2](in[i]);", i -> i + i % 64 + 64));
    all.put("by_argument", new Wanted("out[i] = applied(twice, in[i]);", i -> 2 * i + i % 64));
    all.put("by_parameter", new Wanted("out[i] = applied_to<twice>(in[i]);", i -> 2 * i + i % 64));
    all.put(
        "by_both",
        new Wanted("op f = &twice; out[i] = twice(1) + f(in[i]);", i -> 2 + 2 * i + 2 * (i % 64)));
    all.put("by_barrier", new Wanted("op f = later; out[i] = f(in[i]);", i -> i + i % 64));
    // Warps.
    all.put(
        "matched",
        new Wanted("out[i] = __match_any_sync(~0u, in[i] & 3);", i -> 0x11111111 << i % 4));
    all.put(
        "all_matched",
        new Wanted(
            "int all = 0, none = 0; out[i] = __match_all_sync(~0u, in[i] >> 5, &all) == ~0u && all;"
                + " out[i] += 2 * (__match_all_sync(~0u, in[i], &none) == 0 && none == 0);",
            i -> 3));
    all.put("unmasked", new Wanted("out[i] = __shfl(in[i], 3);", i -> i / 32 * 32 + 3));
    all.put(
        "unmasked_xor",
        new Wanted(
            "out[i] = __shfl_xor(in[i], 1) + __popc(__ballot(in[i] & 1));", i -> (i ^ 1) + 16));
    all.put(
        "named_barrier",
        new Wanted(
            "__shared__ int t[64]; t[threadIdx.x] = in[i]; __barrier_sync(0); out[i] = t[63 - threadIdx.x];",
            i -> i / 64 * 64 + 63 - i % 64));
    all.put("lane", new Wanted("out[i] = __lane_id();", i -> i % 32));
    all.put(
        "slept",
        new Wanted(
            "__nanosleep(10); __prof_trigger(1); __threadfence_system(); out[i] = in[i];", i -> i));
    // Cooperative groups.
    all.put(
        "dynamic_tile",
        new Wanted(
            "cg::thread_group t = cg::tiled_partition(cg::this_thread_block(), 16); t.sync();"
                + " out[i] = t.size() * 100 + t.thread_rank();",
            i -> 1600 + i % 16));
    all.put(
        "group_by_value",
        new Wanted("out[i] = rank_in(cg::this_thread_block(), in[i]);", i -> i + i % 64));
    all.put(
        "tile_by_value",
        new Wanted(
            "out[i] = rank_in(cg::tiled_partition<8>(cg::this_thread_block()), in[i]);",
            i -> i + i % 8));
    all.put(
        "binary",
        new Wanted(
            "auto t = cg::tiled_partition<32>(cg::this_thread_block());"
                + " auto p = cg::binary_partition(t, in[i] % 4 == 0);"
                + " out[i] = p.size() * 100 + p.thread_rank();",
            i -> i % 4 == 0 ? 800 + i % 32 / 4 : 2400 + i % 32 - i % 32 / 4 - 1));
    all.put(
        "grid",
        new Wanted(
            "cg::grid_group g = cg::this_grid();"
                + " out[i] = g.num_blocks() * 10000 + g.block_rank() * 1000 + g.block_index().x;",
            i -> 80000 + i / 64 * 1001));
    // What compilers are told.
    all.put(
        "assumed",
        new Wanted(
            "__assume(threadIdx.x < 64); __builtin_assume(in != 0); if (in[0] < -5) __builtin_unreachable();"
                + " out[i] = __builtin_expect(in[i], 0);",
            i -> i));
    all.put(
        "hip_indexes",
        new Wanted(
            "out[i] = hipThreadIdx_x + hipBlockIdx_x * hipBlockDim_x + hipGridDim_y;", i -> i + 1));
    all.put(
        "constants",
        new Wanted(
            "out[i] = (int)CUDART_PI_F + (CUDART_INF_F > 1) + std::numeric_limits<signed char>::max();",
            i -> 131));
    // Memory of an item, and the host's own assembly.
    all.put(
        "allocated",
        new Wanted(
            "int* p = new int[4]; p[i & 3] = in[i]; int* q = (int*)malloc(16); q[0] = p[i & 3];"
                + " memcpy(p, q, 4); memset(q, 0, 16); out[i] = p[0] + q[1]; delete[] p; free(q);",
            i -> i));
    all.put("fenced", new Wanted("asm volatile(\"\" ::: \"memory\"); out[i] = in[i];", i -> i));
    return all;
  }

  private static final int[] INPUT = new int[FormRun.COUNT];

  static {
    Arrays.setAll(INPUT, i -> i);
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "fission", "coroutine", "fiber"})
  void kernelsRunInEachForm(String form) throws Exception {
    StringBuilder source = new StringBuilder(HELPERS);
    Map<String, Wanted> kernels = kernels();
    kernels.forEach(
        (name, kernel) ->
            source
                .append("extern \"C\" __attribute__((used)) __global__ void " + name)
                .append("(const int* in, int* out) {\n")
                .append("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  ")
                .append(kernel.body() + "\n}\n"));
    try (FormRun run = new FormRun(form, source.toString(), List.copyOf(kernels.keySet()))) {
      for (Map.Entry<String, Wanted> kernel : kernels.entrySet()) {
        int[] wanted = new int[FormRun.COUNT];
        Arrays.setAll(wanted, kernel.getValue().result());
        String what = kernel.getKey() + ": " + run.note(kernel.getKey());
        assertArrayEquals(wanted, run.run(kernel.getKey(), INPUT), what);
      }
    }
  }

  /** Names that have a meaning in generated code, where they begin with {@code hal_}. */
  private static Set<String> generatedNames() throws IOException {
    Set<String> names = new TreeSet<>();
    for (String header : List.of("abi", "groups", "item", "meet", "run")) {
      try (InputStream in = KernelRequest.class.getResourceAsStream("hal_" + header + ".h")) {
        String text = new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
        Matcher name = Pattern.compile("\\bhal_([a-z]\\w*)").matcher(text);
        while (name.find()) {
          names.add(name.group(1));
        }
      }
    }
    names.removeAll(Set.of("new", "switch", "assert")); // words of C++ and macros
    return names;
  }

  /** A parameter that changes, and a variable that lives over a barrier, may have any name. */
  @Test
  void namesOfGeneratedCodeAreFree() throws Exception {
    StringBuilder source = new StringBuilder("#define AT (blockIdx.x * 64 + threadIdx.x)\n");
    List<String> kernels = new ArrayList<>();
    for (String name : generatedNames()) {
      source.append(
          """
          extern "C" __global__ void parameter_%1$s(const int* %1$s, int* out) {
            %1$s += threadIdx.x & 1;
            out[AT] = %1$s[AT - (threadIdx.x & 1)];
          }
          extern "C" __global__ void variable_%1$s(const int* in, int* out) {
            int %1$s = in[AT];
            __shared__ int s[64];
            s[threadIdx.x] = %1$s;
            __syncthreads();
            %1$s += s[63 - threadIdx.x];
            __syncthreads();
            out[AT] = %1$s - s[63 - threadIdx.x];
          }
          """
              .formatted(name));
      kernels.add("parameter_" + name);
      kernels.add("variable_" + name);
    }
    assertTrue(kernels.contains("parameter_x"), kernels::toString);
    try (FormRun run = new FormRun("auto", source.toString(), kernels)) {
      Map<String, String> wrong = new LinkedHashMap<>();
      for (String kernel : kernels) {
        String note =
            kernel.startsWith("v") ? "divided at its barriers" : "items run one after the other";
        if (!Arrays.equals(INPUT, run.run(kernel, INPUT)) || !run.note(kernel).equals(note)) {
          wrong.put(kernel, run.note(kernel));
        }
      }
      assertEquals(Map.of(), wrong);
    }
  }

  private static String refusal(String source) {
    return refusal("auto", source);
  }

  private static String refusal(String form, String source) {
    HalException refused =
        assertThrows(HalException.class, () -> new FormRun(form, source, List.of("k")).close());
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    return String.valueOf(refused.getMessage());
  }

  @Test
  void refusesWhatItLacksByName() {
    Map<String, String> bodies =
        Map.of(
            "inline PTX (asm) runs on CUDA alone",
            "unsigned l; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(l)); out[threadIdx.x] = l;",
            "coalesced_threads",
            "auto g = cooperative_groups::coalesced_threads(); out[threadIdx.x] = g.size();",
            "curand_init",
            "curand_init(1, 2, 0, out);");
    bodies.forEach(
        (name, body) -> {
          String log =
              refusal(
                  "#include <cooperative_groups.h>\nextern \"C\" __global__ void k(const int* in, int* out) {\n"
                      + body
                      + "\n}\n");
          assertTrue(log.contains(name) && log.contains("code.cpp:3"), () -> name + " in: " + log);
        });
    for (String header : List.of("curand_kernel.h", "cuComplex.h", "cub/cub.cuh")) {
      String log =
          refusal("#include <" + header + ">\nextern \"C\" __global__ void k(int* out) {}\n");
      assertTrue(log.contains(header), log);
    }
  }

  /** Only the entry points mention the types. */
  @Test
  void instancesMayBeOfTypesThatTheSourceDoesNotMention() throws Exception {
    String source =
        """
        template <class T> __global__ void k(const int* in, int* out) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          out[i] = (int)(float)(T(0.5f) + T(2.75f)) + in[i] + (int)sizeof(T);
        }
        """;
    Map<String, String> entries =
        Map.of("a", "k<__half>", "b", "k<__nv_bfloat16>", "c", "k<float>");
    try (FormRun run = new FormRun("auto", source, entries)) {
      for (String name : entries.keySet()) {
        int[] wanted = new int[FormRun.COUNT];
        Arrays.setAll(wanted, i -> i + 3 + (name.equals("c") ? 4 : 2));
        assertArrayEquals(wanted, run.run(name, INPUT), name);
      }
    }
  }

  /** The barrier of the workgroup is none for a grid. */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "fission", "coroutine", "fiber"})
  void refusesToSynchronizeAGridThatIsNotCooperative(String form) throws Exception {
    for (String call : List.of("g.sync();", "cooperative_groups::sync(g);")) {
      String source =
          """
          #include <cooperative_groups.h>
          extern "C" __global__ void k(const int* in, int* out) {
            cooperative_groups::grid_group g = cooperative_groups::this_grid();
            out[threadIdx.x] = in[threadIdx.x];
            """
              + call
              + "\n}\n";
      try (FormRun run = new FormRun(form, source, List.of("k"))) {
        HalException failure = assertThrows(HalException.class, () -> run.run("k", INPUT));
        assertTrue(
            failure.getMessage().contains("only a kernel may that its bundle declares as"),
            failure::getMessage);
      }
    }
  }

  /** PTX that no kernel needs, in a function for one device alone, does no harm. */
  @Test
  void ignoresInlinePtxThatIsNotCalled() throws Exception {
    String source =
        """
        __device__ unsigned lane() { unsigned l; asm volatile ("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }
        extern "C" __global__ void k(const int* in, int* out) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          out[i] = in[i];
        }
        """;
    try (FormRun run = new FormRun("auto", source, List.of("k"))) {
      assertArrayEquals(INPUT, run.run("k", INPUT));
    }
  }
}
