// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest number: what range holds at first counts, too.
extern "C" __global__ void extent(const float* x, int n, int* lock, float* range) {
  __shared__ float low[128];
  __shared__ float high[128];
  int t = threadIdx.x;
  low[t] = 1;
  high[t] = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    low[t] = fminf(low[t], x[i]);
    high[t] = fmaxf(high[t], x[i]);
  }
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) {
      low[t] = fminf(low[t], low[t + half]);
      high[t] = fmaxf(high[t], high[t + half]);
    }
    __syncthreads();
  }

  if (t == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    if (low[0] < range[0]) range[0] = low[0];
    if (high[0] > range[1]) range[1] = high[0];
    atomicExch(lock, 0);
  }
}
