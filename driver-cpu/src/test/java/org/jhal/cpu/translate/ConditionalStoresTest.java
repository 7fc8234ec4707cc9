// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which branches make their stores in any case. */
class ConditionalStoresTest {
  private static int stores(String body) {
    String source =
        "typedef int Number;\n__device__ int f(int);\nstruct Odd { int v; };\n"
            + "__global__ void k(int n, int* a) {\n"
            + "__shared__ int s[64], q[64]; __shared__ float f32[64]; __shared__ int few[8];\n"
            + "__shared__ int m[8][8], w[8][8]; __shared__ volatile int often[64]; __shared__ Odd odd[64];\n"
            + "__shared__ int one; extern __shared__ int more[]; __shared__ Number numbers[64];\n"
            + "int t = threadIdx.x, u = 63 - t; int own[64]; float x = 2.0f; own[t] = 1; int& r = u;\n"
            + "__syncthreads();\n"
            + body
            + "\n__syncthreads(); a[t] = s[0]; }\n";
    return Translations.count("hal_replace\\(hal_taken", Translations.of(source, "k", 64, 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "1 @ if (s[t] > s[u]) s[t] = s[u];",
        "2 @ if (f32[t] < f32[u]) { f32[t] = f32[u]; q[t] = q[u]; }",
        "2 @ if (s[t] > s[t + 32]) { int v = s[t]; s[t] = s[t + 32]; s[t + 32] = v; }",
        "2 @ if ((s[t] - s[u] * 2 >= 3)) { const int v = q[u]; q[t] = v; { q[u] = 1; } }",
        "1 @ if (m[t][u] > 2) m[t][u] = 2;",
        "1 @ if (m[t][u] > 2) w[t][u] = m[t][u];",
        "1 @ if (s[threadIdx.x] != 2) q[threadIdx.x] = t;",
        "1 @ { if (n > 3) { if (s[t] > s[u]) { s[t] = s[u]; } } }",
      })
  void thoseOfElementsThatExistAre(int count, String body) {
    assertEquals(count, stores(body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "if (s[t] > s[u]) s[t + 1] = s[u];",
        "if (s[t] > s[u]) few[t] = s[u];",
        "if (s[t] > s[u]) q[t] = few[t];",
        "if (few[t] > s[u]) few[u] = few[t];",
        "if (t < n && s[t] > s[u]) s[t] = s[u];",
        "if (n > 3 || s[t] > s[u]) s[t] = s[u];",
        "if (t < n ? s[t] > 0 : s[u] > 0) s[t] = s[u];",
        "if (s[t] > s[u]) s[t] = s[u]; else s[u] = s[t];",
        "if (s[t]) s[t] = 0;",
        "if (t > 3) s[t] = 0;",
        "if (s[t] > s[u]) a[t] = 3;",
        "if (a[t] > a[u]) a[t] = a[u];",
        "if (own[t] > own[u]) own[t] = own[u];",
        "if (often[t] > often[u]) often[t] = often[u];",
        "if (more[t] > more[u]) more[t] = more[u];",
        "if (numbers[t] > numbers[u]) numbers[t] = numbers[u];",
        "if (odd[t].v > s[u]) s[u] = 2;",
        "if (s[t] > s[u]) s[t] = s[u] + 1;",
        "if (s[t] > s[u]) s[t] += s[u];",
        "if (s[t] > s[u]) s[t] = f32[t];",
        "if (s[t] > s[u]) s[t] = x;",
        "if (s[t] > s[u]) f32[t] = s[t];",
        "if (s[t] > s[u]) s[t] = f(3);",
        "if (f(s[t]) > s[u]) s[t] = 0;",
        "if (s[t] > s[u]) { s[t] = 0; t++; }",
        "if (s[t] > s[u]) { s[t] = 0; __threadfence_block(); }",
        "if (s[t] > s[u]) { s[t] = q[u] = 0; }",
        "if (s[t++] > s[u]) s[t] = 0;",
        "if (s[q[t]] > s[u]) { q[t] = 3; s[q[t]] = 0; }",
        "if (s[q[t]] > s[u]) s[q[t]] = 0;",
        "if (s[r] > 2) s[r] = 0;",
        "if (s[t] > 3_z) s[t] = 0;",
        "if (s[t] > 3) s[t] = 0_z;",
        "if (m[t] > m[u]) one = 3;",
        "if (m[t][u] > 3) m[u][t] = 3;",
        "if (s[t] > one) one = s[t];",
        "if (s[t] > 3) { int v[2]; s[t] = 3; }",
        "if (s[t] > 3) { auto v = s[t]; s[t] = v; }",
        "if (s[t] > 3) { static int v = 4; s[t] = v; }",
        "if (s[t] > 3) { s[t] = 3; return; }",
        "if (s[t] > 3) { int v = s[t]; }",
        "if constexpr (sizeof(s) > 3) { s[t] = 3; }",
        "if (int y = s[t]) { s[t] = 3; }",
      })
  void othersAreNot(String body) {
    assertEquals(0, stores(body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "1 @ if (t % 32 == 0) { s[t] = 1; }",
        "1 @ if (t == n) { s[t] = 1; }",
        "1 @ if (t % (2 * n) == 1) { s[t] = 1; }",
        "0 @ if (t % 32 == 0 && n > 3) { s[t] = 1; }",
        "0 @ if (n > 3) { s[t] = 1; }",
      })
  void itemsThatAreVisitedTakeTheirBranch(int count, String body) {
    String source =
        "__global__ void k(int n, int* a) { __shared__ int s[64]; int t = threadIdx.x;\n__syncthreads();\n"
            + body
            + "\n__syncthreads(); a[t] = s[0]; }\n";
    String text = Translations.of(source, "k", 64, 1);
    assertEquals(count, Translations.count("if \\(hal_every\\d+\\.is_exact \\|\\|", text));
  }
}
