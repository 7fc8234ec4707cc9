// SPDX-License-Identifier: Apache-2.0
#define TILE 16

// Mean of 3 x 3 pixels; the border is repeated.
extern "C" __global__ void blur(const float* in, float* out, int width, int height) {
  __shared__ float tile[TILE + 1][TILE + 2];

  int t = threadIdx.y * TILE + threadIdx.x;
  for (int k = t; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
    int row = k / (TILE + 2), column = k % (TILE + 2);
    int y = min(max((int)(blockIdx.y * TILE) + row - 1, 0), height - 1);
    int x = min(max((int)(blockIdx.x * TILE) + column - 1, 0), width - 1);
    tile[row][column] = in[y * width + x];
  }
  __syncthreads();

  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) {
    float sum = 0;
    for (int dy = 0; dy < 3; dy++) {
      for (int dx = 0; dx < 3; dx++) {
        sum += tile[threadIdx.y + dy][threadIdx.x + dx];
      }
    }
    out[y * width + x] = sum / 9;
  }
}
