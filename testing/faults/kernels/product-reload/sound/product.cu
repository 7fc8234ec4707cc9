// SPDX-License-Identifier: Apache-2.0
#define T 16

// c = a b, with a of m x k and b of k x n
extern "C" __global__ void product(int m, int n, int k, const float* a, const float* b, float* c) {
  __shared__ float as[T][T];
  __shared__ float bs[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty;
  const int column = blockIdx.x * T + tx;

  float sum = 0.0f;
  for (int p = 0; p < k; p += T) {
    as[ty][tx] = row < m && p + tx < k ? a[row * k + p + tx] : 0.0f;
    bs[ty][tx] = column < n && p + ty < k ? b[(p + ty) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      sum += as[ty][i] * bs[i][tx];
    }
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
