// SPDX-License-Identifier: Apache-2.0
// One sum for each chunk of 1000 numbers.
__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

extern "C" __global__ void block_sums(const float* in, int n, float* out) {
  __shared__ float sums[32];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int end = min(n, ((int)blockIdx.x + 1) * 1000);

  float sum = 0;
  for (int i = blockIdx.x * 1000 + threadIdx.x; i < end; i += blockDim.x) sum += in[i];
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? sums[lane] : 0;
    sum = warp_sum(sum);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}
