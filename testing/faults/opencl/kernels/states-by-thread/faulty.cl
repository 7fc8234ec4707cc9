// SPDX-License-Identifier: Apache-2.0
// Counts how many of 16 random numbers of each item lie in the upper half.
__kernel void draw(uint n, __global uint* state, __global uint* hits) {
  uint i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i >= n) return;
  uint s = state[get_local_id(0)];
  uint count = 0;
  for (int k = 0; k < 16; k++) {
    s = s * 1664525u + 1013904223u;
    count += s >> 31;
  }
  hits[i] = count;
  state[get_local_id(0)] = s;
}
