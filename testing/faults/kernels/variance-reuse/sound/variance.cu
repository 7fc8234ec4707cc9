// SPDX-License-Identifier: Apache-2.0
#define BLOCK 128

__device__ float block_sum(float value, float* scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int width = BLOCK / 2; width > 0; width >>= 1) {
    if (threadIdx.x < width) scratch[threadIdx.x] += scratch[threadIdx.x + width];
    __syncthreads();
  }
  float total = scratch[0];
  __syncthreads();
  return total;
}

// The variance of each row of samples, in two passes.
extern "C" __global__ void variance(const float* samples, int count, float* result) {
  __shared__ float scratch[BLOCK];
  const float* mine = samples + blockIdx.x * count;

  float sum = 0;
  for (int i = threadIdx.x; i < count; i += BLOCK) sum += mine[i];
  float mean = block_sum(sum, scratch) / count;

  float squares = 0;
  for (int i = threadIdx.x; i < count; i += BLOCK) {
    float d = mine[i] - mean;
    squares += d * d;
  }
  float total = block_sum(squares, scratch);
  if (threadIdx.x == 0) result[blockIdx.x] = total / count;
}
