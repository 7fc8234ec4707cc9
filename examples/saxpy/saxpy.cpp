// SPDX-License-Identifier: Apache-2.0
// y = a * x + y, rounded once: each work item computes one element.
extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, float* y) {
  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = fmaf(a, x[i], y[i]);
  }
}
