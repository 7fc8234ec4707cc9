// SPDX-License-Identifier: Apache-2.0
#define N 64

// One step of heat conduction in a rod whose ends are insulated.
__kernel void heat(__global const float* now, __global float* next, int n, float rate) {
  __local float rod[N + 2];
  int i = get_group_id(0) * N + get_local_id(0);
  int t = get_local_id(0) + 1;

  rod[t] = now[min(i, n - 1)];
  if (get_local_id(0) == 0) {
    rod[0] = now[max(i - 1, 0)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (i < n) {
    next[i] = rod[t] + rate * (rod[t - 1] - 2 * rod[t] + rod[t + 1]);
  }
}
