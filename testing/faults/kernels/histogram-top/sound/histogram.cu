// SPDX-License-Identifier: Apache-2.0
#define BINS 64

// Counts the values from low to high, both included.
extern "C" __global__ void histogram(const float* values, unsigned* counts, int n, float low,
                                     float high) {
  __shared__ unsigned bins[BINS];
  if (threadIdx.x < BINS) bins[threadIdx.x] = 0;
  __syncthreads();

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = values[i];
    if (v >= low && v <= high) {
      int bin = (int)((v - low) / (high - low) * BINS);
      bin = min(bin, BINS - 1);
      atomicAdd(&bins[bin], 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x < BINS) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
