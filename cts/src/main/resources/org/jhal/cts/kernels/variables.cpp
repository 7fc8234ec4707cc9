// SPDX-License-Identifier: Apache-2.0
// Variables outside functions: tables, numbers that kernels change, pointers to others, and what differs in size.
struct Node {
  int value;
  const Node* next;
};
__constant__ float halves[500] = {0, 0.5f, 1, 1.5f, 2, 2.5f};
__constant__ unsigned char bytes[3] = {7, 250, 1};
__device__ const Node last = {30, nullptr};
__device__ const Node first = {12, &last};
__device__ unsigned count = 40;
__device__ unsigned* const counts[] = {nullptr, &count};
__device__ short shorts[2];
__device__ double sums[4] = {0.25};
namespace inner {
__device__ float scale = 2;
}

extern "C" __global__ void variables(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int squares[5] = {0, 1, 4, 9, 16};
  float all = halves[i % 7] + bytes[i % 3] + squares[i % 5] + first.next->value * inner::scale;
  if (i % 2 == 0) atomicAdd(counts[1], 2u);
  if (i < 4) sums[i] += in[i];
  if (i == 0) shorts[1] = (short)(shorts[1] - 3);
  out[i] = all;
}

extern "C" __global__ void seen(const float*, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i < 4 ? (float)sums[i] : i == 4 ? (float)count : i == 5 ? (float)shorts[1] : 0;
}
