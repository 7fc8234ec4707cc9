// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of which loops items make several iterations in a row. */
class UnrollAndJamTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "2 @ for (int k = 0; k < n; k++) v += a[k * n + x];",
        "2 @ for (int k = n - 1; k >= 0; --k) v += a[k * n + x];",
        "2 @ for (unsigned k = blockIdx.x; k < u + 3u * blockDim.x; ++k) v = v * 2 + a[k * n + x];",
        "2 @ for (int y = blockIdx.x; y < gridDim.y * n; y += gridDim.y) v += a[y * n + x];",
        "1 @ for (int k = 0; k < n; k++) { float d = a[k * n + x] - w, e = d * d, f = e + 2; v += d * e; if (v > w) { w = v; v = f; } if (e > w + f * 2) { v = d * e + f; w = w - e; } }",
        "2 @ if (x < n) for (int k = 0; k < n; k++) v += a[k * n + x];",
        "2 @ for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) v += a[i * k * n + x];",
        "2 @ for (int k = 0; k < n; k++) v = fmaxf(v, a[k * n + x]);",
        "2 @ for (int k = 0; k < n; k += 2 * c2) v += a[k * n + x];",
        "2 @ for (int k = x; k < n; k += 64) v += a[k];",
        "2 @ for (int k = blockIdx.x * 64 + x; k < n; k += gridDim.x * 64) v = fmaxf(v, a[k]);",
        "0 @ for (int k = x; k < n; k += 64) b[k] = a[k] + v;",
        "0 @ for (int k = 0; k < n; k += c[0]) v += a[k * n + x];",
        "0 @ for (int k = 0; k < n; k += limit) v += a[k * n + x];",
        "0 @ int m = 1; for (int k = 0; k < n; k += m) { v += a[k * n + x]; m++; }",
        "0 @ for (int k = 0; k < n; k++) b[x] += a[k * n + x];",
        "0 @ for (int k = 0; k < n; k++) { v += a[k * n + x]; b[x] = v; }",
        "0 @ for (int k = 0; k < c[0]; k++) v += a[k * n + x];",
        "0 @ for (int k = 0; k < *c; k++) v += a[k * n + x];",
        "0 @ for (int k = 0; k < limit; k++) v += a[k * n + x];",
        "0 @ for (int k = 0; k < of(n); k++) v += a[k * n + x];",
        "0 @ int m = n; for (int k = 0; k < m; k++) { v += a[k * n + x]; m--; }",
        "0 @ float& r = v; for (int k = 0; k < n; k++) { v += a[k * n + x]; r += 1; }",
        "0 @ for (int k = 0; k < n; k++) { v += a[k * n + x]; if (v > 3) break; }",
        "2 @ for (int k = 0; k < n; k++) { if (x > k) continue; v += a[k * n + x]; }",
        "0 @ for (int k = 0; k < n; k++) v += own(a[k * n + x]);",
        "0 @ for (int k = x; k < n; k++) v += a[k * n + x];",
        "0 @ for (int k = 0; k < n; k++) { v += s[k]; __syncthreads(); s[x] = v; __syncthreads(); }",
      })
  void onlyNumbersOfTheItemChange(int times, String loop) {
    String source =
        "int limit; __device__ int of(int n); __device__ float own(float a) { return a; }\n"
            + "__global__ void k(int n, int c2, unsigned u, const float* a, float* b, const int* c) {\n"
            + "__shared__ float s[64]; int x = threadIdx.x; float v = 0, w = 1;\n"
            + loop
            + "\n__syncthreads(); b[x] = v + w; }\n";
    String text = Translations.of(source, "k", 64, 1);
    assertEquals(times, Translations.count("; continue; \\} \\}", text), text);
    assertEquals(0, Translations.count("gridDim *\\. *hal_next", text), text);
  }
}
