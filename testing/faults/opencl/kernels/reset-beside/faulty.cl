// SPDX-License-Identifier: Apache-2.0
// The smallest distance of a point from (x, y); best begins as the largest number.
__kernel void nearest(__global const int2* points, int n, int x, int y, volatile __global uint* best) {
  if (get_group_id(0) == 0 && get_local_id(0) == 0) *best = 0xffffffffu;
  barrier(CLK_LOCAL_MEM_FENCE);
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i < n) {
    int dx = points[i].x - x;
    int dy = points[i].y - y;
    atomic_min(best, (uint)(dx * dx + dy * dy));
  }
}
