// SPDX-License-Identifier: Apache-2.0
#define T 16

// c = a b, with a of m x k and b of k x n
__kernel void product(int m, int n, int k, __global const float* a, __global const float* b, __global float* c) {
  __local float as[T][T];
  __local float bs[T][T];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int row = get_group_id(1) * T + ty;
  const int column = get_group_id(0) * T + tx;

  float sum = 0.0f;
  for (int p = 0; p < k; p += T) {
    as[ty][tx] = row < m && p + tx < k ? a[row * k + p + tx] : 0.0f;
    bs[ty][tx] = column < n && p + ty < k ? b[(p + ty) * n + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < T; ++i) {
      sum += as[ty][i] * bs[i][tx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
