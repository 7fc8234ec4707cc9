// SPDX-License-Identifier: Apache-2.0
#define W 32
#define H 4

// One step of Jacobi's method on the inner points.
__kernel void jacobi(__global const double* grid, __global double* fresh, int width, int height) {
  __local double tile[H + 2][W + 2];
  int x = get_group_id(0) * W + get_local_id(0);
  int y = get_group_id(1) * H + get_local_id(1);
  for (int dy = get_local_id(1); dy < H + 2; dy += H) {
    for (int dx = get_local_id(0); dx < W + 2; dx += W) {
      int gx = (int)get_group_id(0) * W + dx - 1, gy = (int)get_group_id(1) * H + dy - 1;
      bool inside = gx >= 0 && gx < width && gy >= 0 && gy < height;
      tile[dy][dx] = inside ? grid[gy * width + gx] : 0.0;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    int tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
    fresh[y * width + x] = 0.25 * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
  }
}
