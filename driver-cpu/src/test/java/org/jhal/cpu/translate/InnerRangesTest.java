// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which clamps and guards are left out for a range of items, and by how many comparisons. */
class InnerRangesTest {
  private static String translated(String before, String body) {
    String source =
        before
            + "\n__global__ void k(int n, unsigned u, float f, const float* a, float* b) {\n"
            + "int x = blockIdx.x * blockDim.x + threadIdx.x; int y = threadIdx.y; float s = 0;\n"
            + body
            + "\nb[x] = s; }\n";
    return Translations.of(source, "k", 16, 4);
  }

  private static int bounds(String text) {
    int at = text.indexOf("HAL_ROWS_BEGIN");
    int end = text.indexOf("HAL_RANGE_END");
    return at < 0 ? 0 : Translations.count("hal_bound<", text.substring(at, end));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "2 @ s = a[min(max(x + 1, 0), n - 1)];",
        "2 @ s = a[max(0, min(n - 1, x - y))];",
        "2 @ int c = x + n; s = a[min(max(c, 0), n - 1)];",
        "1 @ s = a[min((int)(threadIdx.x + blockIdx.x * 64) + 1, n)];",
        "4 @ for (int d = -1; d <= 1; d++) { int c = min(max(x + d, 0), n - 1); s += a[y * n + c]; }",
        "2 @ for (int d = 0; d < 3; ++d) for (int e = 0; e < 9; e++) s += a[max(x - e, 0)];",
        "4 @ for (int d = 0; d < 3; ++d) for (int e = 0; e < 9; e++) s += a[max(x + d - e, 0)];",
        "4 @ if (x >= 3 && x < n - 3) s = a[x - 3]; else s = 1; s += a[max(min(x, n), 1)];",
        "2 @ if (x < 3 || x >= n - 3) s = 1; else s = a[x - 3]; s += a[x];",
        "0 @ if (x < 3 && y > 2 || x >= n - 3) s = 1; else s = a[x - 3]; s += a[x];",
        "2 @ if (x >= 3 && x < n - 3) s = a[x - 3]; s += a[x];",
        "2 @ if (!(x < 3 || n <= x)) s = a[x - 3]; s += a[x];",
        "3 @ bool is = x > 2 && x < n && y > 2; if (is && x < 40) s = 1; s += a[x];",
        "0 @ bool is = x > 2 && x < n; if (!is) s = 1; s += a[x];",
        "0 @ s = a[min(max(y + 1, 0), n - 1)];",
        "0 @ s = a[min(2 * x, n)] + a[min(n - x, 3)] + a[min(x + x, n)];",
        "0 @ s = a[min(x / 2, n)] + a[min(x, n / y)] + a[min(x, (int)f)] + a[min(x, (int)a[0])];",
        "0 @ int c = x; c++; s = a[min(c, n)];",
        "0 @ int c = x; int& r = c; r = 3; s = a[min(c, n)];",
        "0 @ short c = x; s = a[min((int)c, n)];",
        "0 @ s = fminf(x, 3.0f) + min(a[x], f);",
        "0 @ int m = n; m -= 2; s = a[min(x, m++)];",
        "0 @ for (int d = 0; d < 3; d++) { d += n; s += a[min(x + d, n)]; }",
        "0 @ for (int d = 0; d < n; d++) { s += a[min(x + d, n)]; s /= 3; }",
        "0 @ for (int d = 0; d < 100000; d++) { s += a[min(x + d, n)]; s /= 3; }",
        "0 @ if (x >= 3 || n > 4) s = 1; s += a[x];",
        "0 @ if (x >= 3) s = 1; else s = 2;",
        "0 @ auto c = [&](int x) { return min(x, n); }; s = c(2);",
        "0 @ { auto min = [](int p, int q) { return p * q; }; s = min(x, n); }",
        "0 @ struct L { int x, n; int c() { return min(x, n); } }; s = L{1, 2}.c();",
      })
  void comparisonsThatHoldForARangeAreLeftOut(int bounds, String body) {
    String text = translated("", body);
    assertEquals(bounds, bounds(text), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "__device__ int min(int a, int b) { return a * b; }                 @ s = a[min(x, n)];",
        "struct min { min(int, int); operator int(); };                     @ s = a[min(x, n)];",
        "struct L { int v; }; bool operator<(int a, L b); __device__ L m;   @ if (x < m) s = 1; s += a[x];",
        "int m;                                                             @ s = a[min(x, m)];",
        "struct uint { operator int(); uint(int); };                        @ uint c = x; s = a[min(c, n)];",
        "int f(int, int); static int (*min)(int, int) = f;                  @ s = a[min(x, n)];",
        "int f(int, int); static int (&min)(int, int) = f;                  @ s = a[min(x, n)];",
        "auto min(int a, int b) -> int;                                     @ s = a[min(x, n)];",
        "constexpr auto min = [](int a, int b) { return a * b; };           @ s = a[min(x, n)];",
        "int f(int, int);               @ int (*min)(int, int) = f; s = a[min(x, n)];",
        "int f(int, int);               @ int min(int, int); s = a[min(x, n)];",
        "__device__ int g(int);                                             @ s = a[min(x, g(n))];",
      })
  void namesOfTheSourceAreNotKnown(String before, String body) {
    String text = translated(before, body);
    assertEquals(0, bounds(text), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "1 @ bool is = a[x] > n; __syncthreads(); if (is) a[x] = 1;",
        "1 @ bool is = false; if (x > n) is = true; __syncthreads(); if (is) { a[x] = 1; is = x < 3; } __syncthreads(); a[x] += is;",
        "0 @ int is = a[x]; __syncthreads(); if (is) a[x] = 1;",
        "0 @ bool is = a[x]; __syncthreads(); if (!is) a[x] = 1;",
        "0 @ bool is = a[x]; __syncthreads(); if (is) a[x] = 1; else a[x] = 2;",
        "0 @ bool is = a[x]; __syncthreads(); if (is) a[x] = 1; a[x + 1] = 2;",
        "0 @ bool is = a[x]; __syncthreads(); if (is) return; __syncthreads(); a[x] = 1;",
        "0 @ bool is[1] = {a[x] > 3}; __syncthreads(); if (is) a[x] = 1;",
      })
  void itemsWhoseFlagIsSetAreARange(int ranges, String body) {
    String source = "__global__ void k(int n, int* a) { int x = threadIdx.x; " + body + "}";
    String text = Translations.of(source, "k", 64, 1);
    assertEquals(ranges, Translations.count("hal_span<[^>]*> hal_set", text), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "4 @ if (x >= n || y >= n) return; b[x] = a[max(x - 1, 0)];", // some pass the guard, or all
        "2 @ if (x >= n || y >= n) return; b[x] = a[x];",
        "0 @ if (y >= n) return; b[x] = a[x];",
      })
  void itemsBehindAGuardAreARange(int halves, String body) {
    String source =
        "__global__ void k(int n, const float* a, float* b) {\n"
            + "int x = blockIdx.x * blockDim.x + threadIdx.x; int y = threadIdx.y; "
            + body
            + "}";
    String text = Translations.of(source, "k", 16, 4);
    assertEquals(halves, Translations.count("HAL_(OUTER|INNER)_BEGIN", text), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "x + (1)      @ s = a[min(max(x + 1, 0), n - 1)];",
        "true&& y > 2 @ if (x > 2 && y > 2) s = a[x - 3]; s += a[x];",
        "!( false||   @ if (!(x < 3 || y < 3)) s = a[x - 3]; s += a[x];",
      })
  void theRangeHasOther(String written, String body) {
    String text = translated("", "float* c = b; " + body);
    String inner = text.substring(text.indexOf("HAL_INNER_BEGIN"), text.indexOf("HAL_INNER_END"));
    String plain = inner.replaceAll("hal_(subscript|literally)|hal_64_|\\s", "");
    String wanted = written.replaceAll("\\s", "");
    assertTrue(plain.replace("((", "(").contains(wanted) || plain.contains(wanted), inner);
  }
}
