// SPDX-License-Identifier: Apache-2.0
// Counts how many of 16 random numbers of each item lie in the upper half.
extern "C" __global__ void draw(unsigned n, unsigned* state, unsigned* hits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = state[i];
  unsigned count = 0;
  for (int k = 0; k < 16; k++) {
    s = s * 1664525u + 1013904223u;
    count += s >> 31;
  }
  hits[i] = count;
  state[i] = s;
}
