// SPDX-License-Identifier: Apache-2.0
#define TILE 32
#define ROWS 8

// out (width x height) is the transposed matrix of in (height x width).
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in,
                                     int width, int height) {
  __shared__ float tile[TILE][TILE + 1];  // one more, against bank conflicts

  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < width && y + j < height) {
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
  }
  __syncthreads();

  x = blockIdx.y * TILE + threadIdx.x;  // the block is transposed, too
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < height && y + j < width) {
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
  }
}
