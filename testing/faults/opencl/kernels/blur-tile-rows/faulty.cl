// SPDX-License-Identifier: Apache-2.0
#define TILE 16

// Mean of 3 x 3 pixels; the border is repeated.
__kernel void blur(__global const float* in, __global float* out, int width, int height) {
  __local float tile[TILE + 1][TILE + 2];

  int t = get_local_id(1) * TILE + get_local_id(0);
  for (int k = t; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
    int row = k / (TILE + 2), column = k % (TILE + 2);
    int y = min(max((int)(get_group_id(1) * TILE) + row - 1, 0), height - 1);
    int x = min(max((int)(get_group_id(0) * TILE) + column - 1, 0), width - 1);
    tile[row][column] = in[y * width + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  int x = get_group_id(0) * TILE + get_local_id(0);
  int y = get_group_id(1) * TILE + get_local_id(1);
  if (x < width && y < height) {
    float sum = 0;
    for (int dy = 0; dy < 3; dy++) {
      for (int dx = 0; dx < 3; dx++) {
        sum += tile[get_local_id(1) + dy][get_local_id(0) + dx];
      }
    }
    out[y * width + x] = sum / 9;
  }
}
