// SPDX-License-Identifier: Apache-2.0
// The three stages of the pipeline; PipelineKernels.java is their twin.

extern "C" __global__ void generate(int n, int* values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] = (int)((long long)i * i % 1009);
  }
}

// The weighted mean of each value and its neighbours; past the ends the value itself counts.
extern "C" __global__ void smooth(int n, const int* values, int* smoothed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int before = values[i > 0 ? i - 1 : i];
    int after = values[i < n - 1 ? i + 1 : i];
    smoothed[i] = (before + 2 * values[i] + after) / 4;
  }
}

// sums[j] is the sum of the j-th block of values; the last block may be shorter.
extern "C" __global__ void sum(int n, int block, const int* values, int* sums) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  long long begin = (long long)j * block;
  if (begin < n) {
    int total = 0;
    for (long long i = begin; i < n && i < begin + block; i++) {
      total += values[i];
    }
    sums[j] = total;
  }
}
