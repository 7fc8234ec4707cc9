// SPDX-License-Identifier: Apache-2.0
// Where each record begins within its chunk of 256 records.
__kernel void offsets(__global const int* length, int n, __global int* offset) {
  __local int sum[256];
  __local int start[257];
  int t = get_local_id(0);
  int i = get_group_id(0) * 256 + t;
  sum[t] = i < n ? length[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int distance = 1; distance < 256; distance *= 2) {
    int before = t >= distance ? sum[t - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum[t] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  start[t + 1] = sum[t];
  if (t == 0) start[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) offset[i] = start[t];
}
