// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written for lanes that exchange values, and for branches of some lanes. */
class WarpsTest {
  private static String translated(String before, String body) {
    String source =
        before
            + "\n__global__ void k(int n, const int* a, int* b) {\n"
            + "int i = blockIdx.x * blockDim.x + threadIdx.x, v = a[i], lane = threadIdx.x % 32;\n"
            + body
            + "\nb[i] = v;\n}\n";
    return Translations.of(source, "k", 64, 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HAL_SHUFFLE(hal_lane_down,     | v += __shfl_down_sync(~0u, v, 4);",
        "HAL_SHUFFLE(hal_lane_up,       | for (int d = 1; d < n; d *= 2) v += __shfl_up_sync(~0u, v, d);",
        "HAL_SHUFFLE(hal_lane_xor,      | int w = __shfl_xor_sync(~0u, v, n, 16); v += w;",
        "HAL_SHUFFLE(hal_lane_of,       | if (__shfl_sync(n, v, 3) > 2) v = 1;",
        "HAL_ALL_OF(                    | for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);",
        "HAL_WARPS_BEGIN                | v += __shfl_down_sync(~0u, v, 4);",
        "HAL_READ_BALLOT(hal_warps      | v = __ballot_sync(n, v > lane);",
        "HAL_VOTES(                     | v = __all_sync(__activemask(), v > lane);",
        "HAL_MATCHES(                   | v = __match_any_sync(~0u, v);",
        "HAL_FOLD_ADD(                  | v = __reduce_add_sync(lane < 3 ? 7 : ~7u, v);",
        "if (hal_all_alive) {           | if (v > 3) return; v += __shfl_xor_sync(~0u, v, 1);",
        "))hal_self.hal_warp_x         | int warp = threadIdx.x / 32; __syncthreads(); v += warp;",
        "))hal_self.hal_warp_x         | unsigned w = threadIdx.x >> 5; __syncthreads(); v += w;",
      })
  void whatIsTheSameForAWarpIsComputedOnce(String wanted, String body) {
    String text = translated("", body);
    assertEquals(true, text.contains(wanted), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | v = op(v, __shfl_xor_sync(~0u, v, d));",
        "true  | v = op.sum(__shfl_xor_sync(~0u, v, d), v);",
        "false | v = op(d, __shfl_xor_sync(~0u, v, d));",
        "false | v = op(v, __shfl_xor_sync(~0u, v, op.next(d)));",
      })
  void theDistanceIsNoArgumentOfWhatGetsTheResult(boolean isUniform, String body) {
    String text =
        translated(
            "struct Op { __device__ int operator()(int& a, int b) const; int sum(int, int); int next(int&); };",
            "Op op; for (int d = 16; d > 0; d >>= 1) " + body);
    assertEquals(isUniform, text.contains("HAL_SHUFFLE("), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "v += __shfl_sync(~0u, v, lane + 1);",
        "v += __shfl_down_sync(lane < 16 ? 0xffff : 0xffff0000, v, 1);",
        "v += __shfl_xor_sync(~0u, v, a[0]);",
        "int d = 1; if (v > 3) d = 2; v += __shfl_up_sync(~0u, v, d);",
        "v += __shfl_up_sync(~0u, v, 32 / n);",
      })
  void shufflesStayIfItemsMayDiffer(String body) {
    String text = translated("", body);
    assertEquals(false, text.contains("HAL_SHUFFLE("), text);
    assertEquals(true, text.contains("HAL_READ(hal_exchanged"), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | lane == 0",
        "true  | lane == 31 && v > 3",
        "true  | (lane) == (n)",
        "true  | threadIdx.x == 0",
        "true  | threadIdx.x % (2 * n) == 0 && a[i] > 3",
        "true  | (threadIdx.x & 7) == 3",
        "false | threadIdx.x & 7 == 3",
        "false | lane == v",
        "false | lane == a[0]",
        "false | threadIdx.x % v == 0",
        "false | threadIdx.x % n / 2 == 0",
        "false | -lane % 2 == 0",
        "false | lane == 0 or v",
        "false | lane == 0 ? v : n",
        "false | !lane == 0",
        "false | lane == 0 == v",
        "false | lane == 0 & v",
        "false | i == 0",
        "false | v > 3 && lane == 0",
        "false | threadIdx.y == 0",
        "false | (threadIdx.x & 6) == 2",
        "false | narrow == 0",
      })
  void aBranchOfEverySoManyItemsVisitsThese(boolean isEvery, String condition) {
    String body = "const unsigned char narrow = threadIdx.x; __syncthreads(); v++;";
    String text = translated("", body + " if (" + condition + ") v += 3;");
    assertEquals(isEvery, text.contains("HAL_ITEMS_EVERY"), text);
    String jumps = translated("", body + " if (" + condition + ") return; __syncthreads();");
    assertEquals(false, jumps.contains("HAL_ITEMS_EVERY"), jumps);
    String atomic = translated("", body + " if (" + condition + ") v += 3; atomicAdd(b, v);");
    assertEquals(false, atomic.contains("HAL_ITEMS_EVERY"), atomic);
    String alone = translated("", " if (" + condition.replace("narrow", "v") + ") v += 3;");
    assertEquals(false, alone.contains("HAL_ITEMS_EVERY"), alone);
  }

  private static final String CLASS =
      "template <class T> struct Sum { T* s;\n"
          + "__device__ T warp(T v) { for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);"
          + " return v; }\n__device__ T all(T v) { s[threadIdx.x] = v; __syncthreads();"
          + " v = warp(s[0]); return v; } };\n"
          + "struct Other { int s; __device__ int all(int v) { return v + s; } };\n";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | Sum<int> r{b}; v = r.all(v);",
        "true  | Sum<int> r; r.s = b; v += r.all(v) + r.warp(v);",
        "true  | Sum<int> r = {b}; if (r.warp(v) > 3) v = 1;",
        "false | Sum<int> r{b}; Sum<int>* p = &r; v = p->all(v);",
        "false | Sum<int> r{b}; { Other r{3}; v = r.all(v); } v = r.all(v);",
        "false | { Sum<int> r{b}; v = r.all(v); } v = r.all(v);",
        "false | Sum<int> r{b}; auto f = [](Other r) { return r.all(3); }; v = r.all(f({1}));",
        "false | typedef int T; Sum<T> r{b}; v = r.all(v);",
        "false | Sum<int> r{b}, t{b}; v = r.all(v);",
        "false | const Sum<int> r{b}; v = r.s[0];",
        "false | auto r = Sum<int>{b}; v = r.all(v);",
        "false | Sum<int> r{b}; auto& t = r; v = t.all(v);",
        "false | Sum<int> r{b}; v = sizeof(Sum<int>) + r.all(v);",
      })
  void methodsOfAnObjectThatIsSurelyOneBecomeFunctions(boolean isDivided, String body) {
    String before = "__device__ Other r{1};\n";
    String text = translated(CLASS + before, body);
    assertEquals(isDivided, text.contains("k__groups(HAL_RANGE"), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "struct Sum : Other { int* s; __device__ int all(int v) { return __shfl_sync(~0u, v, 1); } };",
        "struct Sum { int* s; ~Sum() {} __device__ int all(int v) { return __shfl_sync(~0u, v, 1); } };",
        "struct Sum { int* s; __device__ int all(int s) { return __shfl_sync(~0u, s, 1); } };",
        "struct Sum { int* s; __device__ int all(int v) { int s = v; return __shfl_sync(~0u, s, 1); } };",
        "struct Sum { int* s; __device__ int all(int v) { return __shfl_sync(~0u, this->s[v], 1); } };",
        "struct Sum { int* s; static int z; __device__ int all(int v) { return __shfl_sync(~0u, v, 1); } };",
        "struct Sum { int* s; __device__ int all(int v) { return __shfl_sync(~0u, v, 1); }"
            + " __device__ int all(float v) { return 3; } };",
        "struct Sum { int* s; __device__ virtual int all(int v) { return __shfl_sync(~0u, v, 1); } };",
        "struct Sum { int* s; template <class T> __device__ int all(T v)"
            + " { return __shfl_sync(~0u, v, 1); } };",
        "struct Sum { int* s; __device__ int all(int v, int w = 2) { return __shfl_sync(~0u, v, 1); } };",
        "struct Sum { int& s; __device__ int all(int v) { return __shfl_sync(~0u, v, 1); } };",
        "struct Sum; struct Sum { int* s; __device__ int all(int v) { return __shfl_sync(~0u, v, 1); } };",
        "struct Sum { int* s; __device__ int all(int v) { auto f = [](int s) { return s; };"
            + " return f(__shfl_sync(~0u, v, 1)); } };",
        "struct Sum { int* s; __device__ int all(int v) { switch (v) { default: int s = 3;"
            + " return __shfl_sync(~0u, s, 1); } } };",
      })
  void methodsThatMayMeanSomethingElseStay(String owner) {
    String other = "struct Other { int z; };\n";
    String text = translated(other + owner, "Sum r{b}; v = r.all(v);");
    assertEquals(false, text.contains("hal_method_"), text);
    assertEquals(false, text.contains("k__groups(HAL_RANGE"), text);
  }
}
