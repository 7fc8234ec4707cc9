// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parameters without names get some, and others keep theirs. */
class ParameterNamesTest {
  private static final String BEFORE =
      "struct S { int a; };\nnamespace own { typedef int T; template <class V> struct W { V v; }; }\n";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "float*",
        "const float*",
        "const float* const __restrict__",
        "float* __restrict",
        "int",
        "const int",
        "int const",
        "unsigned",
        "unsigned long long",
        "S",
        "const S",
        "struct S",
        "const struct S",
        "own::T",
        "const own::T",
        "own::W<int>",
        "own::W<int>*",
        "const S&",
        "int[]",
        "S*[4]",
        "int = 4",
      })
  void thoseWithoutNamesGetOne(String parameter) {
    int end = parameter.indexOf(parameter.contains("[") ? '[' : '=');
    int at = end < 0 ? parameter.length() : end;
    String named = parameter.substring(0, at) + " NAME" + parameter.substring(at);
    assertEquals(
        written(
            named.replace("NAME", "hal_unnamed0") + ", " + named.replace("NAME", "hal_unnamed1")),
        Tokens.text(ParameterNames.given(tokens(parameter + ", " + parameter)))
            .replaceAll(" (?=[\\[=])", ""));
  }

  private static String written(String parameters) {
    return Tokens.text(tokens(parameters)).replaceAll(" (?=[\\[=])", "");
  }

  private static List<Token> tokens(String parameters) {
    String source = BEFORE + "__global__ void k(float* out, " + parameters + ", int n) { }\n";
    return Lexer.tokens("# 1 \"a.cpp\"\n" + source);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "float* p",
        "const int* restrict",
        "const unsigned n",
        "unsigned n",
        "long n",
        "struct S s",
        "const S s",
        "S const s",
        "own::T t",
        "own::W<int> w",
        "int a[]",
        "int a[4]",
        "int n = 4",
        "const T n",
        "int (*f)(int)",
        "int (&a)[4]",
        "T... all",
        "void",
        "",
      })
  void othersStayAsTheyAre(String parameter) {
    String source = BEFORE + "__global__ void k(" + parameter + ") { }\n";
    List<Token> tokens = Lexer.tokens("# 1 \"a.cpp\"\n" + source);
    assertEquals(Tokens.text(tokens), Tokens.text(ParameterNames.given(tokens)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"const float*", "int", "const int", "S", "own::T*"})
  void kernelsAndFunctionsWithThemAreDivided(String parameter) {
    String source =
        BEFORE
            + "__device__ int f(int* s, "
            + parameter
            + ", int v) { s[threadIdx.x] = v; __syncthreads(); return s[63 - threadIdx.x]; }\n"
            + "__global__ void k(int* out, "
            + parameter
            + " p) { __shared__ int s[64]; out[threadIdx.x] = f(s, p, 5); }\n"
            + "__global__ void unnamed(int* out, "
            + parameter
            + ") { __shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = s[0]; }\n";
    for (String kernel : List.of("k", "unnamed")) {
      List<KernelRequest> requests = List.of(new KernelRequest(kernel, 64, 1, 1));
      Translation translation = Translator.translate("# 1 \"a.cpp\"\n" + source, requests, null);
      assertEquals("divided at its barriers", translation.kernels().get(0).text(), kernel);
    }
  }
}
