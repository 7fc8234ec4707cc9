// SPDX-License-Identifier: Apache-2.0
// Where each record begins within its chunk of 256 records.
extern "C" __global__ void offsets(const int* length, int n, int* offset) {
  __shared__ int sum[256];
  __shared__ int start[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  sum[t] = i < n ? length[i] : 0;
  __syncthreads();

  for (int distance = 1; distance < 256; distance *= 2) {
    int before = t >= distance ? sum[t - distance] : 0;
    __syncthreads();
    sum[t] += before;
    __syncthreads();
  }

  start[t + 1] = sum[t];
  if (t == 0) start[0] = 0;
  __syncthreads();
  if (i < n) offset[i] = start[t];
}
