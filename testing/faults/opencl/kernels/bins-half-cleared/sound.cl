// SPDX-License-Identifier: Apache-2.0
__kernel void value_histogram(__global const unsigned char* values, int n, __global int* bins) {
  __local int counts[256];
  for (int b = get_local_id(0); b < 256; b += get_local_size(0)) counts[b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += get_num_groups(0) * get_local_size(0)) {
    atomic_add(&counts[values[i]], 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int b = get_local_id(0); b < 256; b += get_local_size(0)) {
    atomic_add(&bins[b], counts[b]);
  }
}
