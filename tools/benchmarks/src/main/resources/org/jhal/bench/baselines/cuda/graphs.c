// SPDX-License-Identifier: Apache-2.0
/*
 * Cases with graphs of many kernels, and with the same kernels in a stream. SIZE is the number of kernels of a step:
 *
 *   graph-CHAINS           a graph of so many chains side by side, launched step after step
 *   graph-tables-TABLES    a graph of one chain; before each launch all kernels get another of so many addresses
 *   graph-instances-TABLES the same with an instance for each address, in turn
 *   graph-wait             a graph of one chain, and the host waits for each launch
 *   stream, stream-wait    the kernels launched one by one, the host waiting at the end or for each step
 */
#include "graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLES = 16 };

/* In one chain the kernels write one value after the other, so that the last one's is left. */
static unsigned value_of(const struct shape *shape, int kernel) {
  return VALUE + (shape->chains == 1 ? (unsigned)kernel : 0);
}

static void wait_for(CUevent event) {
  CALL(cuEventRecord, event, stream);
  CALL(cuEventSynchronize, event);
}

/* Calls cuGraphAddKernelNode if there is a graph to add it to, or else changes the node of the instance. */
static void put_kernel(struct shape *shape, int kernel, CUdeviceptr address, int is_added) {
  unsigned value = value_of(shape, kernel);
  void *arguments[] = {&address, &value};
  CUDA_KERNEL_NODE_PARAMS parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.func = touch;
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  if (is_added) {
    int is_first = kernel < shape->chains;
    const CUgraphNode *before = is_first ? NULL : &shape->nodes[kernel - shape->chains];
    CALL(cuGraphAddKernelNode, &shape->nodes[kernel], shape->graph, before, is_first ? 0 : 1, &parameters);
  } else {
    CALL(cuGraphExecKernelNodeSetParams, shape->instance, shape->nodes[kernel], &parameters);
  }
}

void set_kernel(struct shape *shape, int kernel, CUdeviceptr address) { put_kernel(shape, kernel, address, 0); }

void make_graph(struct shape *shape, CUdeviceptr address, CUevent event) {
  shape->nodes = calloc((size_t)shape->kernels, sizeof *shape->nodes);
  if (shape->nodes == NULL) {
    die("no memory for %d kernels", shape->kernels);
  }
  CALL(cuGraphCreate, &shape->graph, 0);
  for (int i = 0; i < shape->kernels; i++) {
    put_kernel(shape, i, address, 1);
  }
  CALL(cuGraphInstantiateWithFlags, &shape->instance, shape->graph, 0);
  CALL(cuGraphUpload, shape->instance, stream);
  CALL(cuGraphLaunch, shape->instance, stream);
  wait_for(event);
}

void destroy_graph(struct shape *shape) {
  CALL(cuGraphExecDestroy, shape->instance);
  CALL(cuGraphDestroy, shape->graph);
  free(shape->nodes);
}

/* What a case launches. */
struct plan {
  struct shape shape;
  int tables;
  int is_graph;
  int has_instances; /* one for each table */
  int is_waiting;
};

/* One step: what is launched, by one call or by many. */
static void submit(const struct plan *plan, struct shape *shape, CUdeviceptr address) {
  if (plan->is_graph) {
    for (int i = 0; plan->tables > 1 && !plan->has_instances && i < shape->kernels; i++) {
      set_kernel(shape, i, address);
    }
    CALL(cuGraphLaunch, shape->instance, stream);
  } else {
    for (int i = 0; i < shape->kernels; i++) {
      launch(stream, address, value_of(shape, i));
    }
  }
}

static void measure(const struct plan *plan, int steps, long long *times, long long *sum) {
  CUevent event;
  CUdeviceptr addresses[MOST_TABLES];
  struct shape shapes[MOST_TABLES];
  int instances = plan->has_instances ? plan->tables : 1;
  CALL(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
  for (int i = 0; i < plan->tables; i++) {
    CALL(cuMemAlloc, &addresses[i], sizeof(unsigned));
  }
  for (int i = 0; i < instances; i++) {
    shapes[i] = plan->shape;
    if (plan->is_graph) {
      make_graph(&shapes[i], addresses[i], event);
    }
  }
  for (int i = 0; i < plan->tables; i++) {
    write_word(addresses[i], 0);
  }
  long long start = now();
  for (int i = 0; i < steps; i++) {
    long long step = plan->is_waiting ? now() : 0;
    submit(plan, &shapes[i % instances], addresses[i % plan->tables]);
    if (plan->is_waiting) {
      wait_for(event);
      times[i] = now() - step;
    }
  }
  if (!plan->is_waiting) {
    wait_for(event);
    *sum = now() - start;
  }
  for (int i = 0; i < plan->tables; i++) {
    expect_word(addresses[i], i < steps ? value_of(&plan->shape, plan->shape.kernels - 1) : 0);
    CALL(cuMemFree, addresses[i]);
  }
  for (int i = 0; plan->is_graph && i < instances; i++) {
    destroy_graph(&shapes[i]);
  }
  CALL(cuEventDestroy, event);
}

int graph_case(const char *name, size_t commands, int steps, long long *times, long long *sum) {
  struct plan plan = {{(int)commands, 1, NULL, NULL, NULL}, 1, 1, 0, 0};
  if (strcmp(name, "stream") == 0 || strcmp(name, "stream-wait") == 0) {
    plan.is_graph = 0;
    plan.is_waiting = strcmp(name, "stream-wait") == 0;
  } else if (strcmp(name, "graph-wait") == 0) {
    plan.is_waiting = 1;
  } else if (sscanf(name, "graph-instances-%d", &plan.tables) == 1) {
    plan.has_instances = 1;
  } else if (sscanf(name, "graph-tables-%d", &plan.tables) != 1 &&
             sscanf(name, "graph-%d", &plan.shape.chains) != 1) {
    return 0;
  }
  if (commands < 1 || commands > 1000000 || plan.shape.chains < 1 || plan.tables < 1 || plan.tables > MOST_TABLES) {
    die("%s of %zu kernels: 1 to 1000000 kernels, at least 1 chain and 1 to %d tables are possible", name, commands,
        MOST_TABLES);
  }
  measure(&plan, steps, times, sum);
  return 1;
}
