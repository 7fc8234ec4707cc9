// SPDX-License-Identifier: Apache-2.0
// Kernels in the styles of others: 64 work items in a workgroup, one element of `in` for each item.
#include <assert.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <float.h>
#include <math.h>
#include <stdint.h>

namespace cg = cooperative_groups;

__device__ __forceinline__ float warp_sum(float value) {
  for (int by = warpSize / 2; by > 0; by /= 2) value += __shfl_down_sync(~0ull, value, by);
  return value;
}

extern "C" __global__ void __launch_bounds__(64) warps(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float sums[32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  float sum = warp_sum(__ldg(in + blockIdx.x * blockDim.x + threadIdx.x));
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (int i = 0; i < blockDim.x / warpSize; i++) sum += sums[i];
    out[blockIdx.x] = sum;
  }
}

// Only every other tile shuffles, and its items end early.
extern "C" __global__ void tiles(const float* in, float* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const unsigned i = block.group_index().x * block.size() + block.thread_rank();
  if (tile.meta_group_rank() % 2 == 1) {
    out[i] = -1;
    return;
  }
  const float sum = cg::reduce(tile, in[i], cg::plus<float>());
  const float most = cg::reduce(tile, in[i], cg::greater<float>());
  const float before = cg::exclusive_scan(tile, in[i], cg::plus<float>());
  const float also = cg::exclusive_scan(tile, in[i]);
  out[i] = tile.thread_rank() == 0 ? sum : tile.thread_rank() == 1 ? most : tile.thread_rank() % 2 ? also : before;
}

extern "C" __global__ void votes(const float* in, uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const uint32_t positive = (uint32_t)tile.ballot(in[i] > 0);
  const int count = __syncthreads_count(in[i] > 0);
  const unsigned all = tile.all(in[i] > -FLT_MAX), any = tile.any(in[i] > FLT_MAX);
  out[i] = tile.thread_rank() == 0 ? positive : (uint32_t)count << 2 | all << 1 | any;
}

// Those who come together elect one of them, who counts for all: as one group, or in several.
extern "C" __global__ void active(const float* in, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0) {
    const unsigned long long mask = __activemask();
    if (__ffsll(mask) - 1 == threadIdx.x % warpSize) atomicAdd(out, (unsigned)__popcll(mask));
  }
}

extern "C" __global__ void shorts(const float* in, __half* halves, __nv_bfloat16* others) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const half h = __float2half(in[i]);
  halves[i] = h * h + __float2half(0.5f);
  const __nv_bfloat16 b = __float2bfloat16_rn(in[i]);
  others[i] = __hmul(b, b);
}

extern "C" __global__ void vectors(const float4* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = __ldcs(in + i);
  const float2 p = make_float2(v.x * v.y, v.z * v.w);
  __stcs(out + i, fmaxf(p.x, p.y));
}

template <class T> struct dynamic {
  __device__ operator T*() const {
    extern __shared__ int bytes[];
    return (T*)bytes;
  }
};
extern "C" __global__ void reversed(const float* in, float* out) {
  extern __shared__ float values[];
  float* same = dynamic<float>();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = same[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void math(const float* in, double* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint64_t long_one = (int64_t)1 << 40;
  const clock_t before = clock();
  const float x = (float)pow(fmax(fabsf(in[i]), 0), 2) + 1.0f;
  out[i] = in[i] > 100 ? (double)INFINITY : __logf(x) + __expf(-x) + M_PI + (double)long_one;
  if (clock() < before || NULL != nullptr) out[i] = -1;
}
