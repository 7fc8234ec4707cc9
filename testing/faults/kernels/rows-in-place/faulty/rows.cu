// SPDX-License-Identifier: Apache-2.0
// Replaces each number of a row by its difference to the number before; a workgroup for each row.
extern "C" __global__ void row_differences(float* table, int width, int pitch) {
  float* row = table + blockIdx.x * pitch;
  int column = threadIdx.x;
  bool inside = column > 0 && column < width;

  float before = 0;
  if (inside) {
    before = row[column - 1];
  }
  if (inside) {
    row[column] -= before;
  }
}
