// SPDX-License-Identifier: Apache-2.0
// Sorts each chunk of 512 keys; what is missing in the last one counts as the largest key.
__kernel void sort_chunks(int n, __global int* keys) {
  __local int s[512];
  int t = get_local_id(0);
  int first = get_group_id(0) * 512;
  for (int i = t; i < 512; i += get_local_size(0)) s[i] = first + i < n ? keys[first + i] : 2147483647;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int size = 2; size <= 512; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int low = 2 * t - (t & (stride - 1));
      bool up = (low & size) == 0;
      if ((s[low] > s[low + stride]) == up) {
        int key = s[low];
        s[low] = s[low + stride];
        s[low + stride] = key;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  for (int i = t; i < 512; i += get_local_size(0)) {
    if (first + i < n) keys[first + i] = s[i];
  }
}
