// SPDX-License-Identifier: Apache-2.0
// out[i] is the largest of the elements of its chunk of 64 in the row.
__kernel void running_max(__global const int* rows, __global int* out, int width) {
  __local int best;
  __global const int* row = rows + get_group_id(0) * width;
  __global int* result = out + get_group_id(0) * width;

  for (int i = get_local_id(0); i < width; i += get_local_size(0)) {
    if (get_local_id(0) == 0) best = INT_MIN;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&best, row[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    result[i] = best;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
