// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.cpu.translate.KernelRequest;
import org.jhal.cpu.translate.Level;
import org.jhal.cpu.translate.Translation;
import org.jhal.cpu.translate.Translator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each kernel gets the fastest level that fits it, and says why not a faster one. */
@NeedsCompiler
class LevelsTest {
  private static final Map<String, String> BODIES =
      Map.of(
          "without", "out[threadIdx.x] = 1;",
          "active", "out[threadIdx.x] = __activemask();",
          "matching", "out[threadIdx.x] = __match_any_sync(~0u, out[threadIdx.x]);",
          "divided", "out[threadIdx.x] = 1;\n __syncthreads();\n out[threadIdx.x ^ 1] += 1;",
          "ending", "if (out[threadIdx.x] > 3) return;\n__syncthreads();\nout[threadIdx.x] = 1;",
          "jumping", "int i = 0;\nagain: __syncthreads();\nif (++i < 3) goto again;",
          "helped", "wait_twice(out[0]);",
          "looping", "wait_often(out[0]);",
          "beside",
              "unsigned t = threadIdx.x, by = blockDim.x / 2;\n"
                  + "for (; by > 0; by /= 2) {\n__syncthreads();\nif (t < by) out[t] += out[t + by];\n}",
          "agreeing",
              "if (__syncthreads_or(out[0] > 3)) out[1] = __syncthreads_count(out[2]);\n"
                  + "int all = __syncthreads_and(out[3]);\nif (all) __syncthreads();");

  private static final String HELPER =
      "__device__ void wait_twice(int n) {\nif (n > 3) return;\n__syncthreads();\n}\n"
          + "__device__ void wait_often(int n) {\n"
          + "for (;;) {\nif (n > 3) return;\n__syncthreads();\n}\n}\n";

  private static Translation translation(String name) {
    return translationOf(Objects.requireNonNull(BODIES.get(name)));
  }

  private static Translation translationOf(String body) {
    String source = "# 1 \"a.cpp\"\n" + HELPER + "__global__ void k(int* out) {\n" + body + "\n}\n";
    KernelRequest request = new KernelRequest("k", 64, 1, 1);
    return Translator.translate(source, List.of(request), null);
  }

  private static Translation.Form form(String name) {
    return translation(name).kernels().get(0);
  }

  @Test
  void kernelsWithoutBarriersRunItemByItem() {
    assertEquals("items run one after the other", form("without").text());
  }

  @Test
  void kernelsThatAreNoLoopSayWhy() {
    String source =
        "__global__ void k(int* out) {\nagain:\nif (out[threadIdx.x]++ < 3) goto again;\n}\n";
    KernelRequest request = new KernelRequest("k", 64, 1, 1);
    Translation.Form form =
        Translator.translate("# 1 \"a.cpp\"\n" + source, List.of(request), null).kernels().get(0);
    assertEquals(Level.PLAIN, form.level());
    assertEquals("items run one after the other: a label in line 2", form.text());
  }

  @Test
  void barriersDivideKernels() {
    assertEquals(Level.FISSION, form("divided").level());
    assertEquals("divided at its barriers", form("divided").text());
  }

  @Test
  void askingForActiveItemsDividesKernels() {
    assertEquals("divided at its barriers", form("active").text());
  }

  @Test
  void matchesOfLanesDivideKernels() {
    assertEquals("divided at its barriers", form("matching").text());
  }

  @Test
  void variablesOfItemsMayStandBesideThoseOfTheWorkgroup() {
    assertEquals("divided at its barriers", form("beside").text());
  }

  @Test
  void agreementsDivideKernels() {
    assertEquals("divided at its barriers", form("agreeing").text());
  }

  @Test
  void gotoMakesItemsCoroutines() {
    assertEquals("items are coroutines: a label in line 13", form("jumping").text());
  }

  /** Its result is that of the lambda, and not the end of the work item. */
  @Test
  void lambdasBehindACaseStayAsTheyAre() {
    Translation translation =
        translationOf(
            """
            int i = 0;
            again: __syncthreads();
            switch (i) {
              case [] { return 1; }(): i++;
            }
            if (++i < 3) goto again;""");
    assertEquals(Level.COROUTINE, translation.kernels().get(0).level());
    assertTrue(translation.text().contains("case [] { return 1; }()"), translation.text());
  }

  @Test
  void earlyReturnsOfHelpersAreBranches() {
    assertEquals("divided at its barriers", form("helped").text());
  }

  @Test
  void returnsFromLoopsOfHelpersNeedStacks() {
    assertEquals(
        "items have stacks of their own: items meet in wait_often, which returns early in line 12;"
            + " items meet in the function wait_often in line 12",
        form("looping").text());
  }

  /** Compilers would not use vectors: Clang then takes twice as long. */
  @Test
  void noItemIsAskedWhetherItIsAliveBeforeOneCanHaveEnded() {
    String[] loops = translation("ending").text().split("HAL_ITEMS_BEGIN", -1);
    assertEquals(4, loops.length, "loops over the items, and what is before them");
    assertFalse(loops[1].startsWith(" if (!("), loops[1]);
    assertTrue(loops[1].contains(" if (hal_all_alive) {"), loops[1]);
    assertFalse(loops[2].startsWith(" if (!("), loops[2]);
    assertTrue(loops[3].startsWith(" if (!(hal_alive[hal_i])) continue;"), loops[3]);
  }

  /** Would take hours if any stage looked at all functions once for each of them. */
  @Test
  @Tag("long")
  void sourcesOfManyFunctionsAreTranslated() {
    StringBuilder source = new StringBuilder("# 1 \"a.cpp\"\n");
    source.append("__device__ int f0(int i) { return i + threadIdx.x; }\n");
    int functions = 50_000;
    for (int i = 1; i <= functions; i++) {
      source.append("__device__ int f%s(int i) { return f%s(i) + 1; }\n".formatted(i, i - 1));
    }
    source.append("__global__ void k(int* out) { out[0] = f%s(1); }\n".formatted(functions));
    KernelRequest request = new KernelRequest("k", 64, 1, 1);
    assertEquals(
        "items run one after the other",
        Translator.translate(source.toString(), List.of(request), null).kernels().get(0).text());
  }
}
