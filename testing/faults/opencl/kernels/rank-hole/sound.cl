// SPDX-License-Identifier: Apache-2.0
#define DEGREE 6

// One step of a ranking. Neighbour k of vertex v is neighbors[k * vertices + v], or -1.
__kernel void rank_step(unsigned vertices, __global const int* neighbors, __global const float* rank,
                                     __global float* next, float damping) {
  unsigned v = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (v >= vertices) return;
  float sum = 0.f;
  for (int k = 0; k < DEGREE; k++) {
    int u = neighbors[k * vertices + v];
    if (u >= 0) sum += rank[u];
  }
  next[v] = (1.f - damping) + damping * sum / DEGREE;
}
