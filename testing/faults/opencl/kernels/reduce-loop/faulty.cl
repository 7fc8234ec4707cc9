// SPDX-License-Identifier: Apache-2.0
// One sum for each workgroup, of 2 * BLOCK elements.
#define T float
#define BLOCK 256

__kernel void reduce(__global const T* in, __global T* sums, unsigned n) {
  __local T part[BLOCK];
  unsigned t = get_local_id(0);
  unsigned i = get_group_id(0) * BLOCK * 2 + t;
  T mine = 0;
  if (i < n) mine += in[i];
  if (i + BLOCK < n) mine += in[i + BLOCK];
  part[t] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
  }
  if (t == 0) sums[get_group_id(0)] = part[0];
}
