// SPDX-License-Identifier: Apache-2.0
// The smallest distance of a point from (x, y); best begins as the largest number.
extern "C" __global__ void nearest(const int2* points, int n, int x, int y, unsigned* best) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned distance = 0xffffffffu;
  if (i < n) {
    int dx = points[i].x - x;
    int dy = points[i].y - y;
    distance = dx * dx + dy * dy;
  }
  distance = __reduce_min_sync(0xffffffffu, distance);
  if (threadIdx.x % 32 == 0) atomicMin(best, distance);
}
