// SPDX-License-Identifier: Apache-2.0
// Subtracts the mean of each row, in place.
extern "C" __global__ void center(float* x, int width, float* mean) {
  float* row = x + blockIdx.x * width;
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += 32) sum += row[i];
  for (int other = 16; other > 0; other >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, other);
  float m = sum / width;
  for (int i = threadIdx.x; i < width; i += 32) {
    row[i] -= m;
  }
  if (threadIdx.x == 0) mean[blockIdx.x] = m;
}
