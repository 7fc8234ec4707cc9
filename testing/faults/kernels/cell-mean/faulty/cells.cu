// SPDX-License-Identifier: Apache-2.0
// The mean of each cell; that of an empty cell is 0.
extern "C" __global__ void cell_mean(const int* total, const int* count, int width, int height, int* mean) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int c = y * width + x;
  mean[c] = total[c] / count[c];
}
