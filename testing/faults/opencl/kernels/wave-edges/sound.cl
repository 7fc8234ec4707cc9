// SPDX-License-Identifier: Apache-2.0
// A string that is fixed at both ends: two steps in time.
__kernel void first_step(int n, __global const double* before, __global double* now) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i >= n) return;
  if (i == 0 || i == n - 1) {
    now[i] = 0;
    return;
  }
  now[i] = before[i] + 0.125 * (before[i - 1] - 2 * before[i] + before[i + 1]);
}

__kernel void second_step(int n, __global const double* before, __global const double* now, __global double* next) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i >= n) return;
  if (i == 0 || i == n - 1) {
    next[i] = 0;
    return;
  }
  next[i] = 2 * now[i] - before[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
}
