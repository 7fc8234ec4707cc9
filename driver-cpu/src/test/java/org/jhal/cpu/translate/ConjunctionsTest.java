// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which conditions are computed whole. */
class ConjunctionsTest {
  /** Whether an operand is the same in a row: {@code r} is its number. */
  private static boolean isSame(List<Token> operand) {
    return operand.stream().allMatch(token -> !token.isWord() || token.is("r"));
  }

  private static String whole(String condition) {
    Conjunctions conjunctions =
        new Conjunctions(Set.of("x", "y", "n", "r", "inside")::contains, "inside"::equals);
    return Tokens.text(conjunctions.whole(Lexer.tokens(condition), ConjunctionsTest::isSame))
        .replace(" ", "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "x > 0 && x < n @ ((x>0)&(x<n))",
        "x > 0 && y * 2 - 1 <= n + 4 && inside @ ((x>0)&(y*2-1<=n+4)&(inside))",
        "!(x >= n) && !inside && true @ ((!(x>=n))&(!inside)&(true))",
        "(x > 0 && y > 0) && (inside) @ ((((x>0)&(y>0)))&(inside))",
        "x > 0 && r > 2 && x < n && r < 7 @ (r>2&&r<7&&((x>0)&(x<n)))",
        "(x > 0 && r > 0) && inside @ (((r>0&&((x>0))))&(inside))",
        "r > 0 && x > 0 @ (r>0&&((x>0)))",
        "threadIdx.x < 5 && (unsigned)x != blockDim.x @ ((threadIdx.x<5)&((unsigned)x!=blockDim.x))",
      })
  void thoseOfNumbersAre(String condition, String written) {
    assertEquals(written, whole(condition));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x > 0",
        "r > 0 && r < 5",
        "x && y",
        "x > 0 && y",
        "x > 0 && !y",
        "x > 0 && y < n || inside",
        "x > 0 && (y < n || inside)",
        "x > 0 && y < n ? inside : x > 3",
        "x > 0 && (y > 0 ? inside : inside)",
        "x > 0 && y == 4 / n",
        "x > 0 && y == x % n",
        "x > 0 && y == 1 << n",
        "x > 0 && a[x] > 3",
        "x > 0 && *p > 3",
        "x > 0 && f(x) > 3",
        "x > 0 && x(y) > 3",
        "x > 0 && int(x) > 3",
        "x > 0 && y++ > 3",
        "x > 0 && (y = 3) > 2",
        "x > 0 && (y -= 3) > 2",
        "x > 0 && other > 2",
        "x > 0 && other",
        "x > 0 && y > 2_z",
        "x > 0 && !x == y",
        "x > 0 && !(x) == y",
        "x > 0 && (x > y) > 0",
        "x > 0 && (x > y) + 1",
        "x > 0 && x < y > n",
        "x > 0 && s.x > 3",
        "x > 0 && s->x > 3",
        "x > 0 && n::x > 3",
        "x > 0 && x > y, inside",
        "x > 0 && ~x > 3",
        "x > 0 && threadIdx > 3",
        "x = y > 0 && inside",
      })
  void othersStayAsTheyAre(String condition) {
    assertEquals(condition.replace(" ", ""), whole(condition));
  }

  @Test
  void theyAreInRowsOfAFewVectors() {
    String source =
        "__global__ void k(int n, int* a) { __shared__ int s[64]; int x = threadIdx.x; s[x] = x;\n"
            + "__syncthreads(); bool is = x > 1 && x < n; if (x > 2 && x < n - 1 && is) a[x] = s[x - 1]; }";
    String text = Translations.of(source, "k", 16, 4).replace(" ", "");
    assertTrue(text.contains("if(((x>2)&(x<n-1)&(is)))"), text);
    assertTrue(text.contains("=((x>1)&(x<n));"), text);
  }
}
