// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void next_f32(int count, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i] + 1;
}
