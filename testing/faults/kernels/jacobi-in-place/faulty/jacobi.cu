// SPDX-License-Identifier: Apache-2.0
#define W 32
#define H 4

// One step of Jacobi's method on the inner points.
extern "C" __global__ void jacobi(double* grid, int width, int height) {
  __shared__ double tile[H + 2][W + 2];
  int x = blockIdx.x * W + threadIdx.x;
  int y = blockIdx.y * H + threadIdx.y;
  for (int dy = threadIdx.y; dy < H + 2; dy += H) {
    for (int dx = threadIdx.x; dx < W + 2; dx += W) {
      int gx = (int)blockIdx.x * W + dx - 1, gy = (int)blockIdx.y * H + dy - 1;
      bool inside = gx >= 0 && gx < width && gy >= 0 && gy < height;
      tile[dy][dx] = inside ? grid[gy * width + gx] : 0.0;
    }
  }
  __syncthreads();
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    grid[y * width + x] = 0.25 * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
  }
}
