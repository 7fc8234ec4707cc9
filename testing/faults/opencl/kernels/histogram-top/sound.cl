// SPDX-License-Identifier: Apache-2.0
#define BINS 64

// Counts the values from low to high, both included.
__kernel void histogram(__global const float* values, __global unsigned* counts, int n, float low,
                                     float high) {
  __local unsigned bins[BINS];
  if (get_local_id(0) < BINS) bins[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += get_num_groups(0) * get_local_size(0)) {
    float v = values[i];
    if (v >= low && v <= high) {
      int bin = (int)((v - low) / (high - low) * BINS);
      bin = min(bin, BINS - 1);
      atomic_add(&bins[bin], 1u);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < BINS) atomic_add(&counts[get_local_id(0)], bins[get_local_id(0)]);
}
