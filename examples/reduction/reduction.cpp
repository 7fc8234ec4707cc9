// SPDX-License-Identifier: Apache-2.0
// sums[g] is the sum of the values of workgroup g: each work item adds up every (groups * 256)th of
// them, and then the items of a workgroup add up theirs in pairs. Which value is added to which is
// fixed by the number of values and of workgroups, so that every device gives the same sums. With
// one workgroup it is the sum of all: run on the sums of a first step, it completes the reduction.
extern "C" __global__ void reduction(unsigned int n, unsigned int groups, const float* values, float* sums) {
  __shared__ float partial[256];
  unsigned int item = threadIdx.x;
  unsigned long long step = (unsigned long long)groups * 256;
  float sum = 0.0f;
  for (unsigned long long i = (unsigned long long)blockIdx.x * 256 + item; i < n; i += step) {
    sum += values[i];
  }
  partial[item] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (item < half) {
      partial[item] += partial[item + half];
    }
    __syncthreads();
  }
  if (item == 0) {
    sums[blockIdx.x] = partial[0];
  }
}
