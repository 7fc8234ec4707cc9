// SPDX-License-Identifier: Apache-2.0
#include <climits>

// out[i] is the largest of the elements of its chunk of 64 in the row.
extern "C" __global__ void running_max(const int* rows, int* out, int width) {
  __shared__ int best;
  const int* row = rows + blockIdx.x * width;
  int* result = out + blockIdx.x * width;

  for (int first = 0; first < width; first += blockDim.x) {
    int i = first + threadIdx.x;
    if (threadIdx.x == 0) best = INT_MIN;
    __syncthreads();
    if (i < width) atomicMax(&best, row[i]);
    __syncthreads();
    if (i < width) result[i] = best;
    __syncthreads();
  }
}
