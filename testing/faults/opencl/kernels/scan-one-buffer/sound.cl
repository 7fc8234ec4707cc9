// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix sums within each workgroup, and the sum of each workgroup.
__kernel void scan_blocks(__global const int* in, __global int* out, __global int* totals, int n) {
  __local int temp[256];
  int t = get_local_id(0);
  int i = get_group_id(0) * get_local_size(0) + t;
  temp[t] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int offset = 1; offset < get_local_size(0); offset *= 2) {
    int add = 0;
    if (t >= offset) add = temp[t - offset];
    barrier(CLK_LOCAL_MEM_FENCE);
    temp[t] += add;
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (i < n) out[i] = temp[t];
  if (t == get_local_size(0) - 1) totals[get_group_id(0)] = temp[t];
}
