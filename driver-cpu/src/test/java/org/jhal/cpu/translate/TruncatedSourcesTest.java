// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

/** Whatever a source is like, the translator either translates it or says what is wrong. */
class TruncatedSourcesTest {
  private static final String MARKER = "# 1 \"k.cu\"\n";

  private static final List<String> SOURCES =
      List.of(
          """
          namespace n { struct Box { int value; ~Box() {} }; using Other = Box; }
          template <class T, int N> __device__ inline T sum(const T* from, T (&to)[N]) {
            T all = 0;
            for (int i = 0; i < N; i++) { all += from[i]; to[i] = all; }
            return all;
          }
          extern "C" __global__ void k(const int* in, int* out) {
            extern __shared__ float4 dynamic[];
            __shared__ int s[64], t;
            int own[3] = {1, 2, in[threadIdx.x]}, other{4};
            s[threadIdx.x] = own[1];
            __syncthreads();
            do { other += s[63 - threadIdx.x]; __syncthreads(); } while (other < 50);
            auto box = [=](int x) { return x + other; };
            out[threadIdx.x] = sum<int, 3>(in, own) + box(3) + (char)'a' + "b\\"c"[0];
          }
          """,
          """
          template __device__ int f<int>(int);
          int (*pointer)(int) = 0;
          __device__ void meet(int& x, int n = 3) { __syncthreads(); if (x > n) x = __ballot_sync(~0u, x); }
          __global__ void __launch_bounds__(64) k(int* out) {
            typedef int number;
            int i = blockIdx.x * blockDim.x + threadIdx.x, x = out[i];
            if (i < 100) { meet(x); } else if (i > 3) return;
            switch (x) { case 0: x = 1; break; default: x = 2; }
            while (x > 3) { x--; if (x == 5) continue; __syncwarp(); if (x == 4) break; }
            for (int y : {1, 2}) x += y;
            struct alignas(8) S { int a, b; } s = {x, i};
            out[i] = x > 0 ? __shfl_xor_sync(~0u, x, 1) : s.a + __activemask();
          }
          """);

  /** Returns what the translator says; empty if it translates the text. */
  private static String failure(String text) {
    String all = "";
    KernelRequest kernel = new KernelRequest("k", 64, 1, 1);
    for (Level forced : new Level[] {null, Level.COROUTINE, Level.FIBER}) {
      try {
        Translator.translate(
            MARKER + text, "k.cu of bundle b", List.of(kernel), forced, Map.of(), true, true);
      } catch (HalException e) {
        Throwable cause = e.getCause();
        if (cause != null && !(cause instanceof SyntaxException)) {
          throw new AssertionError("of this text: " + text, cause);
        }
        all = e.status() + ": " + e.getMessage();
      }
    }
    return all;
  }

  @Test
  void aSourceThatEndsAnywhereIsRefused() {
    for (String source : SOURCES) {
      assertEquals("", failure(source));
      int start = source.indexOf("__global__ void");
      int brace = source.indexOf("{", start);
      int last = source.lastIndexOf('}');
      for (int end = 0; end < last; end++) {
        String text = source.substring(0, end);
        String said = failure(text + "\n");
        assertTrue(end <= brace || said.startsWith("INVALID_ARGUMENT: cannot compile k.cu"), text);
      }
    }
  }

  @Test
  void aSourceWithoutAnyOfItsTokensIsReadOrRefused() {
    for (String source : SOURCES) {
      List<Token> tokens = Lexer.tokens(source);
      for (int i = 0; i < tokens.size(); i++) {
        for (int count = 1; count <= 3 && i + count <= tokens.size(); count++) {
          String before = Tokens.text(tokens.subList(0, i));
          String said =
              failure(before + " " + Tokens.text(tokens.subList(i + count, tokens.size())));
          assertTrue(said.isEmpty() || said.contains("k.cu"), said);
        }
      }
    }
  }

  @Test
  void namesWhatIsNotClosed() {
    Map<String, String> expected =
        Map.of(
            "{", "k.cu:1: error: this { is never closed",
            "int a(", "k.cu:1: error: this ( is never closed",
            "int a[3\n}", "k.cu:1: error: this [ is not closed before the } in line 2",
            "\n)", "k.cu:2: error: this ) closes nothing",
            "\"abc\n;", "k.cu:1: error: this \" is never closed",
            "\n'a;\n", "k.cu:2: error: this ' is never closed",
            "R\"x(abc\n", "k.cu:1: error: this \" is never closed");
    expected.forEach(
        (text, said) ->
            assertEquals(
                "INVALID_ARGUMENT: cannot compile k.cu of bundle b:\n" + said, failure(text)));
  }

  @Test
  void namesTheKernelsThatAreThere() {
    KernelRequest kernel = new KernelRequest("k", 64, 1, 1);
    HalException missing =
        assertThrows(
            HalException.class,
            () ->
                Translator.translate(
                    "__global__ void kk() {} __global__ void k2() {}",
                    "k.cu of bundle b",
                    List.of(kernel),
                    null,
                    Map.of(),
                    true,
                    true));
    assertEquals(Status.NOT_FOUND, missing.status());
    assertEquals("k.cu of bundle b has no kernel 'k'; it has 'kk', 'k2'", missing.getMessage());
  }
}
