// SPDX-License-Identifier: Apache-2.0
#define FULL 0xffffffffu

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) {
    v += __shfl_down_sync(FULL, v, offset);
  }
  return v;
}

// The sum of each 32 elements.
extern "C" __global__ void warp_sums(const float* x, int n, float* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = warp_sum(i < n ? x[i] : 0.0f);
  if (i < n && i % 32 == 0) sums[i / 32] = sum;
}
