// SPDX-License-Identifier: Apache-2.0
// One sum for each workgroup, of 2 * BLOCK elements.
template <typename T, int BLOCK>
__global__ void reduce(const T* in, T* sums, unsigned n) {
  __shared__ T part[BLOCK];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * BLOCK * 2 + t;
  T mine = 0;
  if (i < n) mine += in[i];
  if (i + BLOCK < n) mine += in[i + BLOCK];
  part[t] = mine;
  __syncthreads();

  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
