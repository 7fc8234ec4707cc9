// SPDX-License-Identifier: Apache-2.0
struct Shape {
  int rows, columns, stride;
};

float at(__global const float* data, struct Shape shape, int row, int column) {
  return data[row * shape.stride + column];
}

// y = A v, a row for each item
__kernel void matvec(struct Shape shape, __global const float* a, __global const float* v, __global float* y) {
  const int row = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (row >= shape.rows) return;
  float sum = 0;
  for (int c = 0; c < shape.columns; c++) {
    sum += at(a, shape, row, c) * v[c];
  }
  y[row] = sum;
}
