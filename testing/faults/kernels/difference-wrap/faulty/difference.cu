// SPDX-License-Identifier: Apache-2.0
// What each counter has gained since the one before; the first one counts from zero.
extern "C" __global__ void difference(unsigned n, const long long* in, long long* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long before = in[i - 1];
    out[i] = in[i] - before;
  }
}
