// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which loops items go through together. */
class LockstepLoopsTest {
  private static final String FUNCTIONS =
      """
      struct Pair { int a, b; };
      __device__ int steps(int x, int most) { for (int i = 0; i < most; i++) { if (x < 3) return i; x--; } return most; }
      __device__ int found(const int* in, int x) { int l = 0; while (l < x) { int m = (l + x) / 2; if (in[m] < 3) l = m + 1; else x = m; } return l; }
      __device__ unsigned next(unsigned& state) { state ^= state << 13; return state; }
      __device__ int fabsf(int x) { return x; }
      constexpr int LIMIT = 7;
      __device__ const float NONE = 0.5f;
      static constexpr float RATE = 0.25f;
      __device__ int changing;
      struct Friends { operator int() const; friend __device__ int befriended(Friends); };
      __device__ int befriended(int x) { return x / 2; }
      __device__ int by_reference(const int& x) { return x / 2; }
      __device__ uint32_t shorter(const uint32_t x) { return x / 2u; }
      __device__ int long_tree0(int x) { for (int i = 0; i < 9; i++) if (x > i) x = x / 2; return x; }
      __device__ int long_tree1(int x) { int y = long_tree0(x); y = long_tree0(y); y = long_tree0(y); y = long_tree0(y); return y; }
      __device__ int long_tree2(int x) { int y = long_tree1(x); y = long_tree1(y); y = long_tree1(y); y = long_tree1(y); return y; }
      __device__ int long_tree3(int x) { int y = long_tree2(x); y = long_tree2(y); y = long_tree2(y); y = long_tree2(y); return y; }
      """;

  private static String translated(String body) {
    String source =
        FUNCTIONS
            + "template <int N> __global__ void k(int n, const int* in, int* out, const double* wide, bool* truths, Pair pair) {\n"
            + "int at = blockIdx.x * blockDim.x + threadIdx.x; int x = in[at], y = 0;\n"
            + "float f = x; double d = x; long long l = x; bool is = false; unsigned u = at;\n"
            + "int own[4]; __shared__ int s[64], total; Pair both = pair; const int* some = in + n;\n"
            + body
            + "\nout[at] = x + y + (int)f + (int)d + (int)l + is + u + own[0] + s[0] + both.a + *some; }\n";
    return Translations.of(source, "k", 64, 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | while (x > 3) x = x / 2;",
        "true  | do { f = f * 0.5f; } while (f > 1.0f);",
        "true  | for (; x < n; x += 2) { if (x == y) break; y += x * x; }",
        "true  | for (int i = 0; i < n; i++) { if (x - i < 3) { y = i; break; } }",
        "true  | if (at < n) { while (x > 3) { if (x & 1) { x = 3 * x + 1; continue; } x >>= 1; } }",
        "true  | for (int i = 0; i < 4; i++) { while (x > i) x -= 3; }",
        "true  | while (f < 9.5f && !is) { f = fmaxf(f, 2) + sqrtf(f); is = f > 4; }",
        "true  | while (x < n) { x = in[x]; }",
        "true  | while (x < n && in[x] > 3) { x++; }",
        "true  | while (x > 3) { x -= 2; out[x] = 1; }",
        "true  | y = steps(x, n);",
        "true  | y = found(in, x);",
        "true  | while (u > 3u) { if (next(u) % 3u == 0) y++; u >>= 4; }",
        "true  | while (x > 3) { switch (x % 3) { case 0: x--; break; case 1: case 2: x -= 2; break; default: x = 0; } }",
        "false | while (x > 3) { x = fabsf(x) - 1; }", // or the dialect's
        "true  | __syncthreads(); while (x > 3) x -= 2; __syncthreads();",
        "true  | while (x > LIMIT) { x -= N; f *= RATE; if (f > NONE) x--; }",
        "true  | while (x > 3) { x -= (int)(f * 2.0f) & 3; f += 1; }",
        // The steps are the same for all items: compilers make vectors of these.
        "false | for (int i = 0; i < n; i++) y += x * i;",
        "false | for (int i = 0; i < n; i++) { if (x == i) continue; y += i; }",
        // What is no number of 32 bits.
        "false | while (d > 3) d = d / 2;",
        "false | while (l > 3) l = l / 2;",
        "false | while (f > 3.5) f = f / 2;",
        "false | while (x > 3) { own[x & 3] = x; x--; }",
        "false | while (x > 3) { both.a++; x--; }",
        "false | while (x > 3) { short h = x; x = h / 2; }",
        "false | while (x < n) { x += (int)wide[x]; }",
        "false | while (x > changing) x--;",
        "false | enum { LIMIT = 3 }; while (x > LIMIT) x--;",
        "false | while (x > 3) x = befriended(x) - 1;",
        "false | while (x > 3) x = by_reference(f) - 1;",
        "true  | while (x > 3) x = shorter(x);",
        "false | x = long_tree3(x);",
        "false | while (x < n) { x += *some; some++; }",
        "false | while (x > 3000000000) x--;",
        "false | while (x > 4294967296u) x--;",
        "false | while (x > total) x--;",
        "false | while (x > 3) { x--; truths[x] = true; }",
        "false | while (x > 3) { x--; out[is] = 3; }",
        "true  | while (x > 3) { x /= 2; y %= 3u; }",
        // A division by what may be zero for an item that takes no part.
        "false | while (x > 3) { x = x / y; }",
        "false | while (x > 3) { x %= n; }",
        // Effects in an expression, functions that are not known, what items wait for.
        "false | while (x-- > 3) y++;",
        "false | while ((x = x / 2) > 3) y++;",
        "false | while (f > 3) { f = sinf(f) + f - 2; }",
        "false | while (x > 3) { x -= atomicAdd(out, 1); }",
        "false | while (x > 3) { x--; __syncthreads(); }",
        "false | volatile int v = x; while (x > 3) x--;",
        "false | while (x > 3) { if (x == 5) return; x--; }",
        "false | int* p = &x; while (x > 3) { x--; } *p = 2;",
        // Reads of many elements, or of those beside each other.
        "false | while (x < n) { y += in[x] * in[y]; x++; }",
        "false | for (int i = 0; i < n; i++) { y += in[i * n + at]; if (y > 9) break; }",
        "false | while (x < n) { y += s[x]; x++; }",
      })
  void loopsThatFit(boolean fits, String body) {
    String text = translated(body);
    assertEquals(fits, text.contains("HAL_TOGETHER_BEGIN"), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x = hal_vector_as<int>(hal_v_sum(hal_v_product(x, 3), 1)) | while (y < 9) { x = x * 3 + 1; y++; }",
        "hal_give(x, hal_step | while (y < 9) { x = x * 3; if (x == 2) { y += 2; continue; } y++; }",
        "hal_give(x, hal_is | while (y < 9) { if (y > n) x = x * 3 + 1; y++; }",
        "hal_give(y, hal_inside | for (; y < 9; y++) { x = x * 3 + 1; }",
        "hal_give(y, hal_step | while (y < 9) { x = x * 3 + 1; y++; }",
      })
  void whatNobodyReadsBehindTheLoopDoesNotWaitForTheMask(String expected, String body) {
    String source =
        "__global__ void k(int n, const int* in, int* out) {\n"
            + "int at = blockIdx.x * blockDim.x + threadIdx.x; int x = in[at], y = 0;\n"
            + body
            + "\nout[at] = y; }\n";
    String text = Translations.of(source, "k", 64, 1);
    assertEquals(true, text.contains(expected), text);
  }
}
