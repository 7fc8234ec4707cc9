// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which atomic operations need no lock. */
class OwnedAtomicsTest {
  private static String translated(String before, String body) {
    String source =
        before
            + "\n__global__ void k(int n, int* a) {\n"
            + "__shared__ int s[4][8]; __shared__ unsigned long long one; __shared__ int* p;\n"
            + "__shared__ Odd odd[4]; __shared__ volatile int often; int own[4];\n"
            + "__syncthreads();\n"
            + body
            + "\n__syncthreads(); a[n] = s[0][0]; }\n";
    return Translations.of(source, "k", 64, 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | atomicAdd(&s[1][n], 2);",
        "true  | if (n > 2) { atomicMax(&one, 1); }",
        "true  | for (int k = 0; k < n; k++) atomicSub(&s[k][k], s[0][0]);",
        "false | atomicAdd(&a[1], 2);",
        "false | atomicAdd(&p[1], 2);",
        "false | atomicAdd(p, 2);",
        "false | atomicAdd(&own[1], 2);",
        "false | atomicAdd(&odd[1], 2);",
        "false | atomicAdd(&often, 2);",
        "false | atomicAdd(&s[1][0] + n, 2);",
        "false | int was = atomicAdd(&s[1][0], 2);",
        "false | while (atomicAdd(&s[1][0], 0) == 0) { }",
        "false | atomicAdd(&s[1][0], 2), n;",
        "false | atomicExch(&s[1][0], 2);",
        "false | { int* s = a; atomicAdd(&s[1], 2); }",
        "false | atomicAdd_system(&s[1][0], 2);",
        "false | auto atomicAdd = [](int* a, int b) {}; atomicAdd(&s[1][0], 2);",
        "false | { auto f = [&](int* s) { atomicAdd(&s[1], 2); }; f(a); }",
      })
  void sharedMemoryIsNotLocked(boolean isOwned, String body) {
    String text = translated("struct Odd { int x; };", body);
    assertEquals(isOwned, text.contains("hal_owned_atomic"), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "struct Odd { int x; }; __device__ void atomicAdd(int* a, int b);",
        "struct Odd { int x; }; struct atomicAdd { atomicAdd(int* a, int b); };",
        "struct Odd { int x; }; struct F { void operator()(int* a, int b) const; }; __device__ F atomicAdd;",
        "struct Odd { friend void atomicAdd(int* a, int b) {} };",
      })
  void functionsOfTheSourceAreCalled(String before) {
    String text = translated(before, "atomicAdd(&s[1][0], 2);");
    assertEquals(false, text.contains("hal_owned_atomic"), text);
  }
}
