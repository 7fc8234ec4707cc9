// SPDX-License-Identifier: Apache-2.0
__kernel void total(__global const int* values, int n, __global int* total) {
  __local int cache[256];
  int temp = 0;
  int tid = get_local_id(0) + get_group_id(0) * get_local_size(0);
  while (tid < n) {
    temp += values[tid];
    tid += get_local_size(0) * get_num_groups(0);
  }
  cache[get_local_id(0)] = temp;
  barrier(CLK_LOCAL_MEM_FENCE);

  int i = get_local_size(0) / 2;
  while (i != 0) {
    if (get_local_id(0) < i) cache[get_local_id(0)] += cache[get_local_id(0) + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    i /= 2;
  }
  if (get_local_id(0) == 0) {
    *total += cache[0];
  }
}
