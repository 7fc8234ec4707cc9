// SPDX-License-Identifier: Apache-2.0
typedef unsigned char byte;

extern "C" __global__ void byte_histogram(const byte* image, unsigned size, unsigned* histogram) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();

  unsigned stride = blockDim.x * gridDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    local[image[i]]++;
  }
  __syncthreads();

  atomicAdd(&histogram[threadIdx.x], local[threadIdx.x]);
}
