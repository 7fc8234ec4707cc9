// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest number: what range holds at first counts, too.
__kernel void extent(__global const float* x, int n, volatile __global int* lock, volatile __global float* range) {
  __local float low[128];
  __local float high[128];
  int t = get_local_id(0);
  low[t] = 1;
  high[t] = 0;
  for (int i = get_group_id(0) * get_local_size(0) + t; i < n; i += get_num_groups(0) * get_local_size(0)) {
    low[t] = fmin(low[t], x[i]);
    high[t] = fmax(high[t], x[i]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int part = 64; part > 0; part /= 2) {
    if (t < part) {
      low[t] = fmin(low[t], low[t + part]);
      high[t] = fmax(high[t], high[t + part]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (t == 0) {
    while (atomic_cmpxchg(lock, 0, 1) != 0) {
    }
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (low[0] < range[0]) range[0] = low[0];
    if (high[0] > range[1]) range[1] = high[0];
    atomic_xchg(lock, 0);
  }
}
