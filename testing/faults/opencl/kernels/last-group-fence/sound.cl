// SPDX-License-Identifier: Apache-2.0
// Sums in a single pass: the workgroup that draws the last ticket adds all partial sums.
__kernel void sum_once(__global const float* in, int n, __global float* partial, __global unsigned* ticket,
                                    __global float* sum) {
  __local float s[128];
  __local bool last;
  unsigned t = get_local_id(0);

  float mine = 0;
  for (int i = get_group_id(0) * get_local_size(0) + t; i < n; i += get_local_size(0) * get_num_groups(0)) mine += in[i];
  s[t] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (unsigned step = 64; step > 0; step >>= 1) {
    if (t < step) s[t] += s[t + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (t == 0) {
    partial[get_group_id(0)] = s[0];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = atomic_add(ticket, 1u) == get_num_groups(0) - 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (last && t == 0) {
    float all = 0;
    for (unsigned b = 0; b < get_num_groups(0); b++) all += partial[b];
    *sum = all;
    atomic_xchg(ticket, 0u);
  }
}
