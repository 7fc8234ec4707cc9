// SPDX-License-Identifier: Apache-2.0
// c = a * b, row by row in memory; a is rows x inner, b is inner x columns. Each workgroup computes
// a tile of 16 x 16 elements, and for that brings the tiles of a and b into shared memory one after
// the other; what is beyond the edges counts as zero. Every element is a chain of fmaf in the order
// of the inner index, so that every device gives the same product.
#define TILE 16

extern "C" __global__ void matmul(unsigned int rows, unsigned int inner, unsigned int columns,
                                  const float* a, const float* b, float* c) {
  __shared__ float tileA[TILE][TILE];
  __shared__ float tileB[TILE][TILE];
  unsigned int x = threadIdx.x;
  unsigned int y = threadIdx.y;
  unsigned long long row = (unsigned long long)blockIdx.y * TILE + y;
  unsigned long long column = (unsigned long long)blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (unsigned long long first = 0; first < inner; first += TILE) {
    tileA[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0.0f;
    tileB[y][x] = first + y < inner && column < columns ? b[(first + y) * columns + column] : 0.0f;
    __syncthreads();
    for (unsigned int k = 0; k < TILE; k++) {
      sum = fmaf(tileA[y][k], tileB[k][x], sum);
    }
    __syncthreads();
  }
  if (row < rows && column < columns) {
    c[row * columns + column] = sum;
  }
}
