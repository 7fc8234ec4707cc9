// SPDX-License-Identifier: Apache-2.0
/* A graph of kernels that write to one word, and its instance. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "raw.h"

struct shape {
  int kernels;
  int chains;
  CUgraph graph;
  CUgraphExec instance;
  CUgraphNode *nodes;
};

/* Makes a graph that is on the device and has run once, for which the event is used. */
void make_graph(struct shape *shape, CUdeviceptr address, CUevent event);

/* Lets a kernel of the instance write to another address from the next launch on. */
void set_kernel(struct shape *shape, int kernel, CUdeviceptr address);

void destroy_graph(struct shape *shape);

#endif
