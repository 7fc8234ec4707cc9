// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix sums within each workgroup, and the sum of each workgroup.
extern "C" __global__ void scan_blocks(const int* in, int* out, int* totals, int n) {
  __shared__ int temp[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  temp[t] = i < n ? in[i] : 0;
  __syncthreads();

  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    int add = 0;
    if (t >= offset) add = temp[t - offset];
    __syncthreads();
    temp[t] += add;
    __syncthreads();
  }

  if (i < n) out[i] = temp[t];
  if (t == blockDim.x - 1) totals[blockIdx.x] = temp[t];
}
