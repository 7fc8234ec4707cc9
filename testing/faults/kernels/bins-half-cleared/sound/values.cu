// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void value_histogram(const unsigned char* values, int n, int* bins) {
  __shared__ int counts[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&counts[values[i]], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    atomicAdd(&bins[b], counts[b]);
  }
}
