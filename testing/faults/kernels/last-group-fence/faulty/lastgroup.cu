// SPDX-License-Identifier: Apache-2.0
// Sums in a single pass: the workgroup that draws the last ticket adds all partial sums.
extern "C" __global__ void sum_once(const float* in, int n, float* partial, unsigned* ticket,
                                    float* sum) {
  __shared__ float s[128];
  __shared__ bool last;
  unsigned t = threadIdx.x;

  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) mine += in[i];
  s[t] = mine;
  __syncthreads();
  for (unsigned half = 64; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }

  if (t == 0) {
    partial[blockIdx.x] = s[0];
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();

  if (last && t == 0) {
    float all = 0;
    for (unsigned b = 0; b < gridDim.x; b++) all += partial[b];
    *sum = all;
    atomicExch(ticket, 0u);
  }
}
