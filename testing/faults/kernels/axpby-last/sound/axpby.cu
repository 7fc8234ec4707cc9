// SPDX-License-Identifier: Apache-2.0
// y = a * x + b * y, with a grid that need not cover all elements.
extern "C" __global__ void axpby(int n, float a, const float* x, float b, float* y) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    y[i] = a * x[i] + b * y[i];
  }
}
