// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which loops with {@code while} all items go through beside each other. */
class CountedLoopsTest {
  private static int interchanged(String before, String body) {
    String source =
        before
            + "\n__global__ void k(int n, const int* a, int* b, float* f) {\n"
            + "__shared__ int s[64]; __shared__ float of[64]; int x = threadIdx.x, v = 0;\n"
            + body
            + "\n}\n";
    String text = Translations.of(source, "k", 64, 1);
    return Translations.count("bool hal_(all|any)_active\\d+ = true", text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "1 @ int k = 0; while (k < n) { v += a[k * n + x]; k++; }",
        "1 @ int k = 0; for (; k < n; ) { v += a[k * n + x]; ++k; }",
        "1 @ int k = x; while (k < n) { v += a[k]; k += blockDim.x; }",
        "1 @ long long k = threadIdx.x; int step = blockDim.x; while (k < n) { v += a[k]; k += step; }",
        "2 @ int k = 0; while (k < n) { int j = 0; while (j < n) { v += a[(k * n + j) * n + x]; j++; } k++; }",
        "2 @ int k = 0; while (k < n) { v += a[k * n + x]; k++; } for (int j = x; j < n; j += 64) v += a[j];",
        "1 @ int k = x; while (k < n) { atomicAdd(&s[a[k] & 63], 1); k += 64; }",
        "1 @ for (int k = x; k < n; k += 64) atomicSub(&s[a[k] & 63], a[k]);",
        "1 @ for (int k = x; k < n; k += 64) atomicAdd(&s[a[k] & 63], 1); __syncthreads(); if (x < n) atomicAdd(&b[x], s[x]);",
      })
  void thoseThatCountAre(int count, String body) {
    assertEquals(count, interchanged("", body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "@ int k = 0; while (k < n) { if (a[k] > 3) { k++; continue; } v += a[k * n + x]; k++; }",
        "@ int k = 0; while (k < n) { v += a[k * n + x]; k++; } v += k;",
        "@ int k = 0; int* p = &k; while (k < n) { v += a[k * n + x]; k++; }",
        "@ int k = x, j = 0; while (k < n) { v += a[k]; k += 64; }",
        "@ int m = 5; int k = m; m = 7; while (k < n) { v += a[k * n + x]; k++; }",
        "@ int uint = 5; int k = uint; uint = 9; while (k < n) { v += a[k * n + x]; k++; }",
        "@ int int64_t = x; int k = int64_t + 1; int64_t = 3; while (k < n) { v += a[k * n + x]; k++; }",
        "__device__ int operator\"\"_after(unsigned long long); @ int k = 3_after; v = 2; while (k < n) { v += a[k * n + x]; k++; }",
        "@ int k = 0; while (k < n) { int m = 3; v += a[k * n + x]; k += m; }",
        "@ int k = 0; while (k < n) { v += a[k * n + x]; k++; k++; }",
        "@ int k = 0; while (k < n) { v += a[k * n + x]; k = k + 1; }",
        "@ int k = 0; while (k < n) { v += a[k * n + x]; k++, v++; }",
        "@ Counter k = 0; while (k < n) { v += a[x]; k++; }",
        "struct Last { int& k; __device__ ~Last() { k *= 2; } }; @ int k = 0; while (k < n) { Last last{k}; v += a[k * n + x]; k++; }",
        "@ for (int k = x; k < n; k += 64) v += atomicAdd(&s[a[k] & 63], 1);",
        "@ for (int k = x; k < n; k += 64) atomicAdd(&of[a[k] & 63], 1.0f);",
        "@ for (int k = x; k < n; k += 64) atomicMax(&s[a[k] & 63], k);",
        "@ for (int k = x; k < n; k += 64) atomicAdd(&b[a[k] & 63], 1);",
        "@ for (int k = x; k < n; k += 64) atomicAdd(&s[a[a[k]] & 63], 1);",
        "@ for (int k = x; k < n; k += 64) { atomicAdd(&s[a[k] & 63], 1); __threadfence(); }",
        "@ for (int k = x; k < n; k += 64) { atomicAdd(&s[a[k] & 63], 1); } volatile int* p = s; v += p[0];",
        "__device__ int f(int* p) { return atomicAdd(p, 1); } @ for (int k = x; k < n; k += 64) { atomicAdd(&s[a[k] & 63], 1); } v = f(b);",
        "__device__ void atomicAdd(int* p, long v); @ for (int k = x; k < n; k += 64) { atomicAdd(&s[a[k] & 63], 1L); }",
      })
  void othersAreNot(String before, String body) {
    assertEquals(0, interchanged("typedef int Counter;" + (before == null ? "" : before), body));
  }
}
