// SPDX-License-Identifier: Apache-2.0
#define N 64

// One step of heat conduction in a rod whose ends are insulated.
extern "C" __global__ void heat(const float* now, float* next, int n, float rate) {
  __shared__ float rod[N + 2];
  int i = blockIdx.x * N + threadIdx.x;
  int t = threadIdx.x + 1;

  rod[t] = now[min(i, n - 1)];
  if (threadIdx.x == 0) {
    rod[0] = now[max(i - 1, 0)];
    rod[N + 1] = now[min(i + N, n - 1)];
  }
  __syncthreads();

  if (i < n) {
    next[i] = rod[t] + rate * (rod[t - 1] - 2 * rod[t] + rod[t + 1]);
  }
}
