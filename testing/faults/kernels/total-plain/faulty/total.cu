// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void total(const double* values, int n, double* total) {
  __shared__ double cache[256];
  double temp = 0;
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  while (tid < n) {
    temp += values[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[threadIdx.x] = temp;
  __syncthreads();

  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) {
    *total += cache[0];
  }
}
