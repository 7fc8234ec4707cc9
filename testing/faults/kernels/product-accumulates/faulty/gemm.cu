// SPDX-License-Identifier: Apache-2.0
struct Size {
  int m, n, k;
};

extern "C" __global__ void gemm(const float* a, const float* b, float* c, Size size) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= size.m || column >= size.n) return;

  float sum = 0;
  for (int i = 0; i < size.k; i++) {
    sum += a[row * size.k + i] * b[i * size.n + column];
  }
  c[row * size.n + column] += sum;
}
