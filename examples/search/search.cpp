// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, one level at a time. The edges of vertex v are those from starts[v] on, up to starts[v + 1]. A list
// of vertices has their number first.

// Finds the vertices of the next level: those that an edge leads to from one of this level, and that nothing has visited.
extern "C" __global__ void expand(const unsigned int* starts, const unsigned int* edges, const unsigned int* level,
                                  const unsigned int* from, unsigned int* visits, unsigned int* levels, unsigned int* to) {
  unsigned int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= from[0]) {
    return;
  }
  unsigned int vertex = from[1 + i];
  for (unsigned int edge = starts[vertex]; edge < starts[vertex + 1]; edge++) {
    unsigned int next = edges[edge];
    if (atomicAdd(&visits[next], 1u) == 0) {
      levels[next] = level[0] + 1;
      to[1 + atomicAdd(&to[0], 1u)] = next;
    }
  }
}

// Says how many workgroups the next level needs, and empties the list of this one.
extern "C" __global__ void advance(unsigned int* from, const unsigned int* to, unsigned int* level, unsigned int* groups) {
  groups[0] = (to[0] + 63) / 64;
  groups[1] = 1;
  groups[2] = 1;
  from[0] = 0;
  level[0]++;
}
