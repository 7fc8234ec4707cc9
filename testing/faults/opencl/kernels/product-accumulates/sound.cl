// SPDX-License-Identifier: Apache-2.0
struct Size {
  int m, n, k;
};

__kernel void gemm(__global const float* a, __global const float* b, __global float* c, struct Size size) {
  int column = get_group_id(0) * get_local_size(0) + get_local_id(0);
  int row = get_group_id(1) * get_local_size(1) + get_local_id(1);
  if (row >= size.m || column >= size.n) return;

  float sum = 0;
  for (int i = 0; i < size.k; i++) {
    sum += a[row * size.k + i] * b[i * size.n + column];
  }
  c[row * size.n + column] = sum;
}
