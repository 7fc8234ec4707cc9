// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which guard keeps clamps from acting, in rows that are a few vectors long. */
class UnclampedRowsTest {
  /** What an item must pass to see a clamp, without spaces and parentheses, by regions. */
  private static String guards(String body) {
    String source =
        "__device__ int f(int x);\n__global__ void k(int n, const float* a, float* b) {\n"
            + "__shared__ float s[16]; int x = threadIdx.x, y = threadIdx.y; float v = 0;\n"
            + body
            + "\n__syncthreads(); b[x] = v; }\n";
    String text = Translations.of(source, "k", 16, 4);
    return Pattern.compile("hal_clamps \\|= (.*?); HAL_CLAMPS_END")
        .matcher(text)
        .results()
        .map(found -> found.group(1).replaceAll("\\(int\\)|[() ]", ""))
        .collect(Collectors.joining("; "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      quoteCharacter = '"',
      value = {
        "threadIdx.x>0                  @ if (x > 0) v = s[max(x - 1, 0)];",
        "threadIdx.x>0&&threadIdx.x<n   @ int w = max(x - 1, 0); if (x > 0 && x < n) v = s[w];",
        "0<threadIdx.x                  @ if (0 < x && y > 2 && a[x] > 3) v = s[max(x - 1, 0)];",
        "threadIdx.x>0                  @ bool is = x > 0; if (is) v = s[max(x - 1, 0)];",
        "threadIdx.x>threadIdx.y        @ if (x > y) v = s[max(x - 1, 0)];",
        "true                           @ v = s[max(x - 1, 0)];",
        "true                           @ if (y > 0) v = s[max(x - 1, 0)];",
        "true                           @ if (x > 0 || y > 0) v = s[max(x - 1, 0)];",
        "true                           @ if (!(x > 0)) v = s[max(x - 1, 0)];",
        "true                           @ bool is = x > 0; is = y > 0; if (is) v = s[max(x - 1, 0)];",
        "true                           @ if (x > 0) v = s[max(x - 1, 0)]; else v = 1;",
        "true                           @ int w = max(x - 1, 0); if (x > 0) v = s[w]; v += w;",
        "true                           @ int w = max(x - 1, 0), u = w; if (x > 0) v = s[w]; v += u;",
        "true                           @ if (x > 0) v = s[max(x - 1, 0)]; if (x < 9) v += s[max(x - 1, 0)];",
        "true                           @ int w = max(x - 1, 0); if (x > 0 && w < 3) v = s[w];",
        "true                           @ int w = y / max(x - 1, 1); if (x > 1) v = s[w];",
        "true                           @ int w = max(x - 1, 0), u = y % w; if (x > 0) v = s[u];",
        "true                           @ float w = s[max(x - 1, 0)]; if (x > 0) v = w;",
        "true                           @ int u = 3, w = (u += max(x - 1, 0)); if (x > 0) v = s[w]; v += u;",
        "true                           @ int w = f(max(x - 1, 0)); if (x > 0) v = s[w];",
        "\"\"                           @ if (x > 0) v = s[x - 1];",
        "\"\"                           @ if (x > 0) v = s[max(y - 1, 0)];",
      })
  void allClampsAreBehindTheGuard(String guards, String body) {
    assertEquals(guards, guards(body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "true  @ int w = max(x - 1, 0); if (x > 0) v = s[w];",
        "true  @ if (x > n) v = s[max(x - 1, n)];",
        "false @ if (x > y) v = s[max(x - 1, 0)];",
        "false @ if (x > 0) v = s[max(x - 1, y)];",
      })
  void rowsAreTheSame(boolean isSame, String body) {
    String source =
        "__global__ void k(int n, float* b) { __shared__ float s[16];"
            + " int x = threadIdx.x, y = threadIdx.y; float v = 0; "
            + body
            + " __syncthreads(); b[x] = v; }";
    String text = Translations.of(source, "k", 16, 4);
    assertEquals(1, Translations.count("HAL_CLAMPS_BEGIN\\(" + isSame + "\\)", text), text);
  }
}
