// SPDX-License-Identifier: Apache-2.0
// The best alignment of two texts, as dynamic programming finds it: the first 16 items of a workgroup fill a table along its
// diagonals, first the shorter ones and then the longer ones. All comparisons are signed.
extern "C" __global__ void diagonals(const float* in, int* out) {
  __shared__ int table[17][17], same[16][16];
  const int lane = threadIdx.x;
  const float* values = in + blockIdx.x * blockDim.x;
  if (lane == 0) table[0][0] = 0;
  if (lane < 16) {
    for (int y = 0; y < 16; y++) same[y][lane] = (int)(values[lane] + values[y]);
    table[lane + 1][0] = table[0][lane + 1] = -(lane + 1);
  }
  __syncthreads();
  for (int m = 0; m < 16; m++) {
    if (lane <= m) {
      const int x = lane + 1, y = m - lane + 1;
      const int both = table[y - 1][x - 1] + same[y - 1][x - 1], longer = table[y][x - 1] - 1;
      const int shorter = table[y - 1][x] - 1, better = both > longer ? both : longer;
      table[y][x] = better > shorter ? better : shorter;
    }
    __syncthreads();
  }
  for (int m = 14; m >= 0; m--) {
    if (lane <= m) {
      const int x = lane + 16 - m, y = 16 - lane;
      const int both = table[y - 1][x - 1] + same[y - 1][x - 1], longer = table[y][x - 1] - 1;
      const int shorter = table[y - 1][x] - 1, better = both > longer ? both : longer;
      table[y][x] = better > shorter ? better : shorter;
    }
    __syncthreads();
  }
  if (lane < 16) out[blockIdx.x * blockDim.x + lane] = table[16][lane + 1];
}
