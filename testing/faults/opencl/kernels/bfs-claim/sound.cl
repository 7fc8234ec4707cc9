// SPDX-License-Identifier: Apache-2.0
#define DEGREE 4

// Gives every neighbour of the frontier that has no level its level, and puts it into next.
__kernel void bfs_step(__global const int* frontier, int size, __global const int* neighbors, __global int* level,
                                    int depth, __global int* next, __global int* count) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i >= size) return;
  int v = frontier[i];
  for (int e = 0; e < DEGREE; e++) {
    int u = neighbors[v * DEGREE + e];
    if (u < 0) continue;
    if (atomic_cmpxchg(&level[u], -1, depth) == -1) {
      next[atomic_add(count, 1)] = u;
    }
  }
}
