// SPDX-License-Identifier: Apache-2.0
// Names of the dialect that are not functions of numbers, for real compilers. It is compiled and never run.
#include <algorithm>
#include <array>
#include <cmath>
#include <cooperative_groups.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <hip/hip_runtime.h>
#include <limits>
#include <math_constants.h>
#include <span>
#include <type_traits>
#include <utility>
namespace cg = cooperative_groups;

enum class kind : unsigned char { a, b };
struct base {};
struct derived : base {
  int x;
};
static_assert(std::is_same_v<std::underlying_type_t<kind>, unsigned char>);
static_assert(std::is_base_of_v<base, derived> && !std::is_base_of_v<derived, base>);
static_assert(std::is_pointer_v<int*> && std::is_pointer_v<int* const> && !std::is_pointer_v<int>);
static_assert(std::is_convertible_v<int, double> && !std::is_convertible_v<base, int>);
static_assert(std::is_unsigned_v<size_t> && std::is_signed_v<float> && !std::is_signed_v<base>);
static_assert(std::is_same_v<std::common_type_t<int, float, double>, double>);
static_assert(std::is_same_v<std::decay_t<const int[3]>, const int*>);
static_assert(std::is_same_v<std::make_unsigned_t<long long>, unsigned long long>);
static_assert(std::is_same_v<std::make_signed_t<unsigned char>, signed char>);
static_assert(std::is_same_v<std::conditional_t<true, int, float>, int>);
static_assert(std::is_same_v<std::remove_cvref_t<const int&>, int> && std::is_trivially_copyable_v<derived>);
static_assert(std::is_invocable_v<int (*)(int), int> && !std::is_invocable_v<int, int>);
static_assert(LONG_MAX == std::numeric_limits<long>::max() && LONG_MIN == std::numeric_limits<long>::min(), "");
static_assert(ULONG_MAX == std::numeric_limits<unsigned long>::max() && CHAR_MIN == std::numeric_limits<char>::min(), "");
static_assert(FLT_DIG == 6 && DBL_DIG == 15 && FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53 && FLT_RADIX == 2, "");
static_assert(std::numeric_limits<int>::max() == 2147483647 && std::numeric_limits<unsigned char>::max() == 255);
static_assert(std::numeric_limits<long long>::min() == -9223372036854775807ll - 1);
static_assert(std::numeric_limits<float>::digits == 24 && std::numeric_limits<float>::max() > 1e38f);
static_assert(std::numeric_limits<unsigned>::digits10 == 9 && std::numeric_limits<int>::digits10 == 9);
static_assert(std::numeric_limits<long long>::digits10 == 18 && std::numeric_limits<unsigned long long>::digits10 == 19);
static_assert(std::numeric_limits<char>::is_signed == ((char)-1 < 0) && !std::numeric_limits<base>::is_specialized);

typedef int (*op)(int);
__device__ int twice(int a) { return a * 2 + (int)threadIdx.x; }
__device__ op table[1] = {twice};
__device__ int rank_in(cg::thread_group group, int v) {
  group.sync();
  return v + (int)group.thread_rank();
}
template <size_t... I> __device__ int total(const std::array<int, 3>& a, std::index_sequence<I...>) {
  return (std::get<I>(a) + ...);
}

extern "C" __global__ void groups(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::binary_partition(tile, (bool)(threadIdx.x & 1));
  auto label = cg::labeled_partition(tile, in[0]);
  cg::grid_group grid = cg::this_grid();
  cg::thread_group dynamic = cg::tiled_partition(cg::this_thread_block(), 16);
  out[threadIdx.x] = rank_in(cg::this_thread_block(), in[threadIdx.x]) + rank_in(tile, 0) + rank_in(dynamic, 0) +
                     (int)part.size() + (int)part.shfl(in[0], 0) + (int)part.ballot(1) + (int)label.thread_rank() +
                     part.any(1) + (int)grid.num_blocks() + (int)grid.block_rank() + (int)grid.block_index().x +
                     (int)tile.match_any(in[1]) + part.shfl_up(in[2], 1) + part.shfl_down(in[3], 1);
}

extern "C" __global__ void lanes(const int* in, int* out) {
  int all;
  __assume(in != nullptr);
  __builtin_assume(out != nullptr);
  out[0] = (int)__match_any_sync(~0ull, in[threadIdx.x]) + (int)__match_all_sync(~0ull, in[threadIdx.x], &all) +
           (int)__match_any_sync(~0ull, 1.5) + (int)__lane_id() + all;
  __barrier_sync(0);
  __nanosleep(10);
  __prof_trigger(1);
  op f = threadIdx.x & 1 ? twice : table[0];
  out[1] = f(in[0]) + (int)(hipThreadIdx_x + hipBlockIdx_x * hipBlockDim_x + hipGridDim_z);
}

extern "C" __global__ void standard(const int* in, int* out) {
  std::array<int, 3> a = {1, 2, (int)threadIdx.x};
  std::array b{1.0f, 2.0f};
  int sum = 0;
  for (int x : a) sum += x;
  std::int32_t c = total(a, std::make_index_sequence<3>());
  std::swap(c, sum);
  std::pair<int, float> p = std::make_pair(1, 2.0f), zeros;
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  out[0] = sum + c + (int)b.size() + (int)std::sqrt(2.0f) + std::max(1, 2) + std::min<int>(3, 4) + std::clamp(9, 1, 5) +
           (infinity > CUDART_PI_F) + (nan != nan) + p.first + zeros.first + (int)std::pow(2.0, 3) + std::abs(-4) + (int)std::move(c) +
           std::exchange(sum, 1) + (std::numeric_limits<double>::lowest() < 0) + (CUDART_INF_F > 1);
#if __cplusplus >= 202002L
  std::span<const int> s(in, 4);
  std::span t(a);
  out[1] = s[1] + (int)s.size() + t[0] + (int)s.subspan(1).size() + s.first(2)[1];
#endif
}

extern "C" __global__ void memory(const __half* in, __half* out, int* counts, __nv_bfloat162* pairs) {
  int* p = new int[4];
  p[threadIdx.x & 3] = counts[0];
  memcpy(counts, p, 4);
  memset(p, 0, 16);
  delete[] p;
  void* q = malloc(16);
  free(q);
  atomicAdd_block(counts, 1);
  atomicAdd_system(counts, 1);
  atomicCAS_system((unsigned*)counts, 0u, 1u);
  atomicMax((unsigned long long*)counts, 5ull);
  atomicAnd((unsigned long long*)counts, 1ull);
  atomicExch((float*)counts, 1.5f);
  atomicCAS((unsigned short*)counts, (unsigned short)0, (unsigned short)5);
  half2 a = make_half2(1.0f, 2.0f);
  a = h2exp(a);
  a += a;
  a = -a * a / a - a;
  out[0] = a.x;
  atomicAdd(out, __ldg(in));
  atomicAdd((half2*)out, a);
  __nv_bfloat162 b = make_bfloat162(1.0f, 2.0f);
  b *= b;
  pairs[0] = b / b;
  atomicAdd(pairs, b);
  atomicAdd((__nv_bfloat16*)pairs, b.x);
  out[1] = htanh(in[1]);
}
