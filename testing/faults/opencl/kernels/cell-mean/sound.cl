// SPDX-License-Identifier: Apache-2.0
// The mean of each cell; that of an empty cell is 0.
__kernel void cell_mean(__global const int* total, __global const int* count, int width, int height, __global int* mean) {
  int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
  int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
  if (x >= width || y >= height) return;
  int c = y * width + x;
  mean[c] = count[c] > 0 ? total[c] / count[c] : 0;
}
