// SPDX-License-Identifier: Apache-2.0
// Kernels whose work items meet in all the ways that the dialect has. Each has 64 items in a workgroup, reads `in` and
// writes `out` at the place of its item, and gives the same in each form.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define AT (blockIdx.x * 64 + threadIdx.x)

extern "C" __global__ void reversed(const int* in, int* out) {
  __shared__ int values[64];
  int i = threadIdx.x;
  values[i] = in[AT] * 3 + i;
  __syncthreads();
  out[AT] = values[63 - i];
}

// A variable that is changed in several segments, and an array of each item.
extern "C" __global__ void carried(const int* in, int* out) {
  __shared__ int values[64];
  int sum = in[AT], seen[3] = {1, 2, 3};
  const int next = (threadIdx.x + 1) % 64;
  for (int round = 0; round < 5; round++) {
    values[threadIdx.x] = sum + seen[round % 3];
    __syncthreads();
    sum += values[next];
    seen[round % 3] ^= sum;
    __syncthreads();
  }
  out[AT] = sum + seen[0] + seen[1] * 7 + seen[2] * 11;
}

extern "C" __global__ void early_end(const int* in, int* out) {
  __shared__ int values[64];
  out[AT] = -1;
  if (in[AT] % 5 == 0) return;
  values[threadIdx.x] = in[AT];
  for (int i = 0; i < 3; i++) {
    if (in[AT] % 7 == i) {
      out[AT] = -2 - i;
      return;
    }
  }
  __syncthreads();
  out[AT] = values[threadIdx.x] + 1;
}

// All items leave the loop in the same round, which each finds out for itself.
extern "C" __global__ void leaving(const int* in, int* out) {
  __shared__ int total;
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    if (threadIdx.x == 0) total = i * i;
    __syncthreads();
    int seen = total;
    __syncthreads();
    if (seen % 3 == 1) continue;
    if (seen > 50) break;
    sum += seen + in[AT];
  }
  out[AT] = sum;
}

// The bounds are the same for all items, but that cannot be seen.
extern "C" __global__ void counted(const int* in, int* out) {
  __shared__ int values[64];
  int rounds = in[0] & 7, sum = 0;
  int round = 0;
  while (round < rounds) {
    values[threadIdx.x] = in[AT] + round;
    __syncthreads();
    sum += values[(threadIdx.x + round) % 64];
    round++;
    __syncthreads();
  }
  do {
    values[threadIdx.x] = sum;
    __syncthreads();
    sum += values[63 - threadIdx.x];
    __syncthreads();
  } while (--round > 0);
  out[AT] = sum;
}

extern "C" __global__ void branched(const int* in, int* out) {
  __shared__ int values[64];
  int mine = in[AT];
  if (in[0] > 500) { // the same for all
    values[threadIdx.x] = mine + 1;
    __syncthreads();
    mine = values[threadIdx.x ^ 1];
  } else {
    values[threadIdx.x] = mine - 1;
    __syncthreads();
    mine = values[threadIdx.x ^ 2];
  }
  __syncthreads();
  if (blockIdx.x & 1) {
    values[threadIdx.x] = mine * 2;
    __syncthreads();
    mine += values[(threadIdx.x + 5) % 64];
  }
  out[AT] = mine;
}

template <class T> __device__ T warp_sum(T value) {
  for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(0xFFFFFFFF, value, by);
  return value;
}

__device__ int block_sum(int value, int* partial) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = warp_sum(value);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  sum = threadIdx.x < 2 ? partial[lane] : 0;
  if (warp == 0) sum = warp_sum<int>(sum);
  if (threadIdx.x == 0) partial[0] = sum;
  __syncthreads();
  return partial[0];
}

extern "C" __global__ void summed(const int* in, int* out) {
  __shared__ int partial[2];
  out[AT] = block_sum(in[AT], partial) * 2 + threadIdx.x;
}

extern "C" __global__ void shuffled(const int* in, int* out) {
  int v = in[AT], lane = threadIdx.x & 31;
  int a = __shfl_sync(0xFFFFFFFF, v, 5);
  int b = __shfl_up_sync(0xFFFFFFFF, v, 3);
  int c = __shfl_down_sync(0xFFFFFFFF, v, 2, 8);
  int d = __shfl_xor_sync(0xFFFFFFFF, v, 9);
  unsigned odd = __ballot_sync(0xFFFFFFFF, v & 1);
  int any = __any_sync(0xFFFFFFFF, v == 77), all = __all_sync(0xFFFFFFFF, v >= 0);
  unsigned most = __reduce_max_sync(0xFFFFFFFF, (unsigned)v);
  out[AT] = a + b * 3 + c * 5 + d * 7 + (int)(odd >> lane & 1) * 11 + __popc(odd) + any * 1000 + all * 2000 + (int)most;
}

extern "C" __global__ void half_a_warp(const int* in, int* out) {
  int v = in[AT];
  if ((threadIdx.x & 31) < 16) {
    v += __shfl_xor_sync(0x0000FFFF, v, 3);
  } else {
    v -= __shfl_xor_sync(0xFFFF0000, v, 5);
  }
  unsigned large = __ballot_sync(0xFFFFFFFF, v > 100);
  out[AT] = v + __popc(large);
}

extern "C" __global__ void grouped(const int* in, int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  __shared__ int values[64];
  int v = in[AT];
  int sum = cg::reduce(tile, v, cg::plus<int>());
  int most = cg::reduce(tile, v, cg::greater<int>());
  values[block.thread_rank()] = tile.shfl_down(v, 3) + tile.meta_group_rank();
  cg::sync(block);
  v += values[63 - threadIdx.x];
  block.sync();
  if (tile.thread_rank() == 0) values[tile.meta_group_rank()] = sum;
  block.sync();
  out[AT] = v + most + values[threadIdx.x & 3] + (int)tile.ballot(v & 1) + tile.any(v > 900) * 5;
}

extern "C" __global__ void scanned(const int* in, int* out) {
  extern __shared__ int values[];
  unsigned i = threadIdx.x;
  values[i] = in[AT];
  for (unsigned offset = 1; offset < 64; offset <<= 1) {
    __syncthreads();
    int before = i >= offset ? values[i - offset] : 0;
    __syncthreads();
    values[i] += before;
  }
  __syncthreads();
  out[AT] = values[i] - in[AT];
}

struct pair {
  int low;
  float high;
};

__device__ pair twice(pair p) { return {p.low * 2, p.high + p.high}; }

extern "C" __global__ void structured(const int* in, int* out) {
  __shared__ pair values[64];
  pair mine = {in[AT], in[AT] * 0.5f};
  values[threadIdx.x] = twice(mine);
  __syncthreads();
  mine = values[(threadIdx.x * 5) & 63];
  auto& other = values[threadIdx.x];
  __syncthreads();
  switch (mine.low & 3) {
    case 0:
      mine.low += other.low;
      break;
    case 1:
      mine.high = 1;
    default:
      mine.low -= 3;
  }
  out[AT] = mine.low + (int)mine.high;
}

// A function in which items meet, of the result of the same function. Both use the same shared memory.
static __device__ int turned(int x) {
  __shared__ int values[64];
  __syncthreads();
  values[threadIdx.x] = x;
  __syncthreads();
  return values[63 - threadIdx.x] + x;
}
extern "C" __global__ void nested(const int* in, int* out) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = turned(turned(in[at]) * 3);
}

// What a lambda returns does not end the kernel.
extern "C" __global__ void with_lambdas(const int* in, int* out) {
  __shared__ int values[64];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  auto add = [&sum](int x) {
    if (x % 3 == 0) return 0;
    sum += x;
    return x;
  };
  values[threadIdx.x] = add(in[at]) + [] { return (int)threadIdx.x; }();
  __syncthreads();
  out[at] = sum + values[63 - threadIdx.x];
}
