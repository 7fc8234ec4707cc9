// SPDX-License-Identifier: Apache-2.0
#define DEGREE 6

// One step of a ranking. Neighbour k of vertex v is neighbors[k * vertices + v], or -1.
extern "C" __global__ void rank_step(unsigned vertices, const int* neighbors, const float* rank,
                                     float* next, float damping) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  float sum = 0.f;
  for (int k = 0; k < DEGREE; k++) {
    int u = neighbors[k * vertices + v];
    if (u >= 0) sum += rank[u];
  }
  next[v] = (1.f - damping) + damping * sum / DEGREE;
}
