// SPDX-License-Identifier: Apache-2.0
#define TILE 32
#define ROWS 8

// out (width x height) is the transposed matrix of in (height x width).
__kernel void transpose(__global float* restrict out, __global const float* restrict in,
                                     int width, int height) {
  __local float tile[TILE][TILE + 1];  // one more, against bank conflicts

  int x = get_group_id(0) * TILE + get_local_id(0);
  int y = get_group_id(1) * TILE + get_local_id(1);
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < width && y + j < height) {
      tile[get_local_id(1) + j][get_local_id(0)] = in[(y + j) * width + x];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  x = get_group_id(1) * TILE + get_local_id(0);  // the block is transposed, too
  y = get_group_id(0) * TILE + get_local_id(1);
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < height && y + j < width) {
      out[(y + j) * height + x] = tile[get_local_id(0)][get_local_id(1) + j];
    }
  }
}
