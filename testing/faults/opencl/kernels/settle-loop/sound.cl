// SPDX-License-Identifier: Apache-2.0
// The index at which the run of equal colors begins that an element is part of, chunk by chunk.
__kernel void label_runs(__global const uchar* color, int n, __global int* label) {
  __local int begin[128];
  volatile __local int any;
  int t = get_local_id(0);
  int i = get_group_id(0) * 128 + t;
  bool joined = t > 0 && i < n && color[i - 1] == color[i];
  begin[t] = t;
  barrier(CLK_LOCAL_MEM_FENCE);

  int changed = 1;
  while (changed) {
    int left = joined ? begin[t - 1] : t;
    if (t == 0) any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    changed = left < begin[t];
    begin[t] = left;
    if (changed) atomic_or(&any, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    changed = any;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) label[i] = get_group_id(0) * 128 + begin[t];
}
