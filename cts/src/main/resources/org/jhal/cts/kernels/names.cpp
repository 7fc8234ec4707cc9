// SPDX-License-Identifier: Apache-2.0
// Names of the dialect. in[i] is i.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
namespace cg = cooperative_groups;
typedef int (*op)(int);
__device__ int twice(int a) { return a * 2 + (int)threadIdx.x; }
__device__ int negated(int a) { return -a; }
__device__ op table[2] = {twice, negated};
__device__ int rank_in(cg::thread_group group, int v) {
  group.sync();
  return v + (int)group.thread_rank();
}
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
__device__ T half_of(T x) { return x / 2; }
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
__device__ T half_of(T x) { return x >> 1; }
template <size_t... I> __device__ int total(const std::array<int, 3>& a, std::index_sequence<I...>) {
  return (std::get<I>(a) + ...);
}

extern "C" __global__ void by_table(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = table[0](in[i]);
}

extern "C" __global__ void by_variable(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  op f = (i & 1) ? twice : negated;
  out[i] = f(in[i]);
}

extern "C" __global__ void matched(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  auto m = __match_any_sync(~0ull, in[i] & 3);
  out[i] = __popcll(m) / (warpSize / 32);
}

extern "C" __global__ void all_matched(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int same = 0, other = 0;
  auto m = __match_all_sync(~0ull, 7 + blockIdx.x, &same);
  auto n = __match_all_sync(~0ull, in[i], &other);
  out[i] = (__popcll(m) == warpSize && same) + 2 * (n == 0 && other == 0);
}

extern "C" __global__ void dynamic_tile(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  cg::thread_group t = cg::tiled_partition(cg::this_thread_block(), 16);
  t.sync();
  out[i] = (int)(t.size() * 100 + t.thread_rank());
}

extern "C" __global__ void block_by_value(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = rank_in(cg::this_thread_block(), in[i]);
}

extern "C" __global__ void tile_by_value(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = rank_in(cg::tiled_partition<8>(cg::this_thread_block()), in[i]);
}

extern "C" __global__ void binary(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  auto p = cg::binary_partition(t, in[i] % 4 == 0);
  out[i] = (int)(p.size() * 100 + p.thread_rank());
}

extern "C" __global__ void labeled(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  auto p = cg::labeled_partition(t, in[i] & 3);
  const int first = p.shfl(in[i], 0);
  out[i] = (int)(p.size() * 100 + p.thread_rank()) + first;
}

extern "C" __global__ void grid(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  cg::grid_group g = cg::this_grid();
  out[i] = (int)(g.num_blocks() * 1000 + g.block_rank() * 100 + g.block_index().x);
}

extern "C" __global__ void other_indexes(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = (int)(hipThreadIdx_x + hipBlockIdx_x * hipBlockDim_x + hipGridDim_y);
}

extern "C" __global__ void constants(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = (int)CUDART_PI_F + (CUDART_INF_F > 1) + (CUDART_PI > 3.1);
}

extern "C" __global__ void assumed(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  __assume(threadIdx.x < 64);
  __builtin_assume(in != nullptr);
  out[i] = in[i];
}

extern "C" __global__ void barrier(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  __shared__ int t[64];
  t[threadIdx.x] = in[i];
  __barrier_sync(0);
  out[i] = t[63 - threadIdx.x];
}

extern "C" __global__ void lane(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = (int)__lane_id() == (int)threadIdx.x % warpSize;
}

extern "C" __global__ void slept(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  __nanosleep(10);
  __prof_trigger(1);
  __threadfence_system();
  out[i] = in[i];
}

extern "C" __global__ void traits(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if constexpr (std::is_same<int, float>::value) out[0] = 1;
  out[i] = (int)half_of(4.0f) + half_of(in[i]);
}

extern "C" __global__ void limits(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  out[i] = std::numeric_limits<signed char>::max() + (std::numeric_limits<float>::infinity() > 1e38f) + (nan != nan) +
           (std::numeric_limits<float>::epsilon() < 1e-6f);
}

extern "C" __global__ void array(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  std::array<int, 3> a = {1, 2, in[i]};
  int sum = 0;
  for (int x : a) sum += x;
  std::int32_t c = total(a, std::make_index_sequence<3>());
  std::swap(c, sum);
  out[i] = c + sum + (int)a.size() * 2;
}

extern "C" __global__ void functions(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = (int)std::sqrt(4.0f) + std::max(in[i], 9) + std::clamp(9, 1, 5) + (int)std::pow(2.0, 3) + std::move(in[0]);
}

extern "C" __global__ void with_namespace(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  using namespace std;
  out[i] = max(min(1, 2), 0) + abs(-in[i]);
}

extern "C" __global__ void atomic(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  __shared__ unsigned words[2];
  if (threadIdx.x < 2) words[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd((__half*)words, __float2half(1));
  atomicAdd((__half*)words + 1, __float2half(2));
  atomicAdd((__nv_bfloat162*)words + 1, make_bfloat162(__float2bfloat16(1), __float2bfloat16(2)));
  __syncthreads();
  const __half* h = (const __half*)words;
  const __nv_bfloat16* b = (const __nv_bfloat16*)(words + 1);
  int sums = (int)__half2float(h[threadIdx.x & 1]);
  if (sums != (int)__bfloat162float(b[threadIdx.x & 1])) sums = -1;
  out[i] = threadIdx.x < 2 ? sums : 0;
}
