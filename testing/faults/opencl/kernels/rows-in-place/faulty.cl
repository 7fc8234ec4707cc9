// SPDX-License-Identifier: Apache-2.0
// Replaces each number of a row by its difference to the number before; a workgroup for each row.
__kernel void row_differences(__global float* table, int width, int pitch) {
  __global float* row = table + get_group_id(0) * pitch;
  int column = get_local_id(0);
  bool inside = column > 0 && column < width;

  float before = 0;
  if (inside) {
    before = row[column - 1];
  }
  if (inside) {
    row[column] -= before;
  }
}
