// SPDX-License-Identifier: Apache-2.0
void offer(__global int* best, int score) {
  if (score > *best) atomic_max(best, score);
}

// The largest score; most items have no better one and skip the atomic.
__kernel void best_score(__global const int* scores, int n, __global int* best) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i < n) offer(best, scores[i]);
}
