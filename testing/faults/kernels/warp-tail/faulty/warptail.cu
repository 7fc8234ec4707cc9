// SPDX-License-Identifier: Apache-2.0
__device__ void warpReduce(volatile double* s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

extern "C" __global__ void dot_partial(const double* x, const double* y, int n, double* partial) {
  __shared__ double s[128];
  int t = threadIdx.x;
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
  s[t] = sum;
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) warpReduce(s, t);
  if (t == 0) partial[blockIdx.x] = s[0];
}
