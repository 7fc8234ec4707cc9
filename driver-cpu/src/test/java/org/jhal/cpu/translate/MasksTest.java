// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which kernels compute for rows of items under masks. */
class MasksTest {
  private static boolean hasMasks(String statements, int width) {
    String source =
        "# 1 \"a.cpp\"\n__global__ void k(int n, const float* a, float* b) {\n"
            + "__shared__ float s[1024]; int x = threadIdx.x; float v = 0.0f;\n"
            + statements
            + "\nb[x] = v + s[x]; }";
    List<KernelRequest> requests = List.of(new KernelRequest("k", width, 16, 1));
    return Translator.translate(source, requests, null).hasMasks();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | 16 | s[x] = a[x]; __syncthreads(); if (x > n) v = s[x - 1] + s[x + 1];",
        "true  | 16 | __syncthreads(); if (x > n) { for (int k = 0; k < n; k++) { v *= a[k]; } }",
        "false | 32 | s[x] = a[x]; __syncthreads(); if (x > n) v = s[x - 1] + s[x + 1];",
        "false | 16 | s[x] = a[x]; __syncthreads(); if (x > n) s[x] = a[x + 1];",
        "false | 16 | s[x] = a[x]; __syncthreads(); if (x > n) v = v + 1.0f;",
        "false | 16 | s[x] = a[x]; __syncthreads(); v = s[x - 1] + s[x + 1];",
      })
  void thoseThatComputeFromElementsInBranches(boolean hasMasks, int width, String statements) {
    assertEquals(hasMasks, hasMasks(statements, width));
  }
}
