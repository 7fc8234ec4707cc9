// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which additions to buffers take effect when a thread has run its workgroups. */
class DelayedAddsTest {
  private static String translated(String before, String body) {
    String source =
        before
            + "\n__global__ void k(int n, const int* a, int* b, unsigned* c, unsigned long long* l, int* v) {\n"
            + "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            + body
            + "\n}\n";
    return Translations.of(source, "k", 64, 1);
  }

  private static int additions(String text) {
    return Translations.count("hal_delayed_\\w+\\.add\\(", text);
  }

  private static int memories(String text) {
    return Translations.count("hal_delayed<", text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "1 @ if (i < n) atomicAdd(&b[a[i]], 1);",
        "1 @ if (i >= n) return; atomicAdd(b + a[i], a[i + 1]);",
        "1 @ { int k = a[i]; atomicAdd(b, k); }",
        "3 @ int k = a[i], m = a[i + 1]; atomicAdd(&b[k], m); atomicAdd(&c[k + threadIdx.x], 2); atomicAdd(l + m, 1);",
        "2 @ int k = a[i]; if (k > 3) atomicAdd(&b[k], 1); else atomicAdd(&c[k], 1);",
        "1 @ __shared__ int s[64]; atomicAdd(&s[a[i] % 64], 1); __syncthreads(); atomicAdd(&b[threadIdx.x], s[threadIdx.x]);",
      })
  void theLastOnesAreDelayed(int count, String body) {
    String text = translated("", body);
    assertEquals(count, memories(text), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "@ int k = atomicAdd(&b[a[i]], 1); v[i] = k;",
        "@ atomicAdd(&b[a[i]], 1); v[i] = b[i];",
        "@ atomicAdd(&b[a[i]], 1); v[i] = 1;",
        "@ atomicAdd(&b[a[i]], 1); atomicAdd(&c[a[i + 1]], 1);",
        "@ const int& r = a[i]; atomicAdd(&b[0], 1); atomicAdd(&c[r], 1);",
        "@ atomicAdd(&b[0], 1); atomicAdd(c, *a);",
        "@ for (int k = 0; k < n; k++) atomicAdd(&b[a[k]], 1);",
        "@ while (a[0] == 0) { } atomicAdd(&b[i], 1); __threadfence(); atomicAdd(&c[0], 1);",
        "@ while (atomicAdd(&b[0], 0) == 0) { } atomicAdd(&c[i], 1);",
        "@ atomicMax(&c[0], 3u); atomicAdd(&b[i], 1);",
        "@ volatile int* p = v; v[0] = 1; atomicAdd(&b[i], 1);",
        "@ int* p = b; p = p + i; atomicAdd(p, 1);",
        "@ b = b + 1; atomicAdd(&b[i], 1);",
        "@ int m = 0; atomicAdd(&b[m++], 1);",
        "@ atomicAdd(&b[i], n > 3 ? a[0] : a[1]);",
        "@ atomicSub(&b[i], 1);",
        "@ auto atomicAdd = [](int* p, int m) { *p = m; }; atomicAdd(&b[i], 1);",
        "@ if (i < n) { atomicAdd(&b[a[i]], 1); } v[i] = 3;",
        "@ if (i < n) { atomicAdd(&b[a[i]], 1); return; } v[i] = a[i];",
        "@ switch (n) { case 1: atomicAdd(&b[i], 1); }",
        "__device__ int atomicAdd(int* p, long m) { *p = m; return 0; } @ atomicAdd(&b[i], 1);",
        "__device__ void wait(int* p) { while (atomicAdd(p, 0) == 0) { } } @ atomicAdd(&b[i], 1);",
        "__device__ volatile int flag; @ while (flag == 0) { } atomicAdd(&b[i], 1);",
        "__device__ void g() { __threadfence(); } @ g(); atomicAdd(&b[i], 1);",
      })
  void othersAreNot(String before, String body) {
    String text = translated(before == null ? "" : before, body);
    assertEquals(0, additions(text), text);
    assertEquals(0, memories(text), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "1 @ int k = 2; atomicAdd(&b[k], 1);",
        "0 @ int* p[2] = {b, v}; int** q = &p[1]; *q = b; atomicAdd(p[1], 1);",
        "0 @ int *o = b, *p[2] = {b, v}; int** q = &p[1]; *q = o; atomicAdd(p[1], 1);",
      })
  void theAddressOfAnElementIsNotThatOfThePointer(int fixed, String body) {
    String text = translated("", body);
    assertEquals(fixed, text.contains("hal_own_") ? 0 : 1, text);
  }
}
