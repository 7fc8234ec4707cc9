// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void back(const float* from, float* to) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __half half = __float2half(from[i]);
  to[i] = __half2float(half);
}
