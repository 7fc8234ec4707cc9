// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which kernels run workgroups beside each other as one, and what is written for a subscript. */
class BlockCoarseningTest {
  private static String translated(String body) {
    String source =
        "__device__ int place() { return threadIdx.y; }\n"
            + "__global__ void k(int n, const float* a, float* b) {\n"
            + body
            + "\n}\n";
    return Translations.of(source, "k", 64, 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "(true)        | int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = 0;",
        "(true)        | int i = threadIdx.x + blockDim.x * blockIdx.x; b[i] = 0;",
        "(true)        | size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; b[i] = 0;",
        "(true)        | int i = (blockIdx.x * blockDim.x) + (int)threadIdx.x + 1; b[i] = 0;",
        "(true)        | b[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.y + threadIdx.y;",
        "(true)        | int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = place();",
        "(HAL_X == 64) | int i = blockIdx.x * 64 + threadIdx.x; b[i] = 0;",
        "1;            | int i = blockIdx.x * blockDim.x - threadIdx.x; b[i] = 0;",
        "1;            | int i = n - blockIdx.x * blockDim.x + threadIdx.x; b[i] = 0;",
        "1;            | int i = blockIdx.x * blockDim.x + threadIdx.x * 2; b[i] = 0;",
        "1;            | float f = n + blockIdx.x * blockDim.x + threadIdx.x; b[0] = f;",
        "1;            | int i = blockIdx.x * n + threadIdx.x; b[i] = 0;",
        "1;            | int i = blockIdx.x * 64 + threadIdx.x; b[i] = blockIdx.x * 32 + threadIdx.x;",
        "1;            | int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = threadIdx.x;",
        "1;            | int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = blockIdx.x;",
        "1;            | int i = blockIdx.x * blockDim.y + threadIdx.x; b[i] = 0;",
        "1;            | uint3 at = threadIdx; b[at.x] = 0;",
        "1;            | __shared__ float s; s = n; b[blockIdx.x * blockDim.x + threadIdx.x] = s;",
        "1;            | b[blockIdx.x * blockDim.x + threadIdx.x] = n; __syncthreads();",
      })
  void workgroupsRunAsOneIfNothingTellsThemApart(String condition, String body) {
    String text = translated(body);
    int at = text.indexOf("hal_most = ");
    assertEquals(condition, text.substring(at + 11).split("(?<=;)|(?<=\\)) ", 2)[0], text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HAL_MOST_ROWS   | int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = 0;",
        "HAL_MOST_GROUPS | int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < n; k++) b[i] += a[k];",
        "HAL_MOST_GROUPS | int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { for (int k = 0; k < n; k++) { if (a[i] > k) return; b[k] = i; } }",
      })
  void rowsAreLongWhereItemsHaveNoArrays(String most, String body) {
    String text = translated(body);
    int at = text.indexOf("hal_most = ");
    assertTrue(text.substring(at).startsWith("hal_most = (true) ? " + most + " : 1;"), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a[hal_subscript(hal_64_x + hal_literally(1))] | float f = a[x + 1]",
        "a[hal_subscript(hal_wide_leaf((n)) * hal_64_x)]      | float f = a[n * x]",
        "a[hal_subscript(hal_wide_leaf((x / 2)))]             | float f = a[x / 2]",
        "a[hal_subscript(hal_wide_leaf((-x)))]                | float f = a[-x]",
        "= a + hal_subscript(hal_wide_leaf((n)) * hal_64_x) + hal_subscript(hal_64_x) | const float* p = a + n * x + x",
        "= a + (n * x) + x | const float* p = a + (n * x) + x",
        "= a + hal_subscript(hal_64_x * hal_literally(3)) - n * x   | const float* p = a + x * 3 - n * x",
        "= a - n * x                                        | const float* p = a - n * x",
        "= n + x * 2                                        | int m = n + x * 2",
        "= x * 2 + a                                        | const float* p = x * 2 + a",
        "= a + -x * n                                       | const float* p = a + -x * n",
        "= a + hal_to<unsigned>() ->*-x                                 | const float* p = a + (unsigned)-x",
        "a[n]                                               | float f = a[n]",
        "a[3]                                               | float f = a[3]",
        "return a[x + 1]                                    | auto f = [&](int x) { return a[x + 1]; }",
      })
  void subscriptsAreWritten(String written, String statement) {
    String text =
        translated("int x = blockIdx.x * blockDim.x + threadIdx.x; " + statement + "; b[x] = 1;");
    assertEquals(1, Translations.count(Pattern.quote(written), text), text);
  }
}
