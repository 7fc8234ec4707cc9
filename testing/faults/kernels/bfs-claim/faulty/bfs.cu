// SPDX-License-Identifier: Apache-2.0
#define DEGREE 4

// Gives every neighbour of the frontier that has no level its level, and puts it into next.
extern "C" __global__ void bfs_step(const int* frontier, int size, const int* neighbors, int* level,
                                    int depth, int* next, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int v = frontier[i];
  for (int e = 0; e < DEGREE; e++) {
    int u = neighbors[v * DEGREE + e];
    if (u < 0) continue;
    if (level[u] == -1) {
      level[u] = depth;
      next[atomicAdd(count, 1)] = u;
    }
  }
}
