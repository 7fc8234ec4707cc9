// SPDX-License-Identifier: Apache-2.0
/*
 * Graphs of the fake driver. Their nodes run in the order in which they were added. With FAKE_CUDA_GRAPHS, each instance
 * that is destroyed adds a line to that file: how many nodes and edges it has, how often it was launched, and how many
 * nodes were set.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 10000 };

struct fake_node {
  CUdeviceptr target;
  unsigned value;
  size_t index; /* in its graph, and in the instances of that */
};

struct fake_graph {
  struct fake_node nodes[MOST_NODES];
  size_t count;
  size_t edges;
  size_t launches;
  size_t set;
  int is_instance;
  int is_uploaded;
};

static CUresult test(int good) { return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

static CUgraph copy(const struct fake_graph *graph) {
  CUgraph made = calloc(1, sizeof *made);
  if (made != NULL && graph != NULL) {
    *made = *graph;
  }
  return made;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  *graph = copy(NULL);
  return test(*graph != NULL && flags == 0);
}

static CUresult set(struct fake_node *node, const CUDA_KERNEL_NODE_PARAMS *parameters) {
  unsigned one = parameters->gridDimX * parameters->gridDimY * parameters->gridDimZ * parameters->blockDimX *
                 parameters->blockDimY * parameters->blockDimZ;
  if (parameters->func == NULL || parameters->kern != NULL || parameters->ctx != NULL || one != 1 ||
      parameters->sharedMemBytes != 0 || parameters->kernelParams == NULL || parameters->extra != NULL) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  memcpy(&node->target, parameters->kernelParams[0], sizeof node->target);
  memcpy(&node->value, parameters->kernelParams[1], sizeof node->value);
  return CUDA_SUCCESS;
}

static int has(const struct fake_graph *graph, const struct fake_node *node) {
  return node >= graph->nodes && node < graph->nodes + graph->count;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *parameters) {
  if (graph->is_instance || graph->count == MOST_NODES || (count > 0) != (dependencies != NULL)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; i++) {
    if (!has(graph, dependencies[i])) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  *node = &graph->nodes[graph->count];
  (*node)->index = graph->count++;
  graph->edges += count;
  return set(*node, parameters);
}

/* The instance keeps its own nodes, which are named by those of the graph. */
CUresult cuGraphInstantiateWithFlags(CUgraphExec *instance, CUgraph graph, unsigned long long flags) {
  *instance = copy(graph);
  if (*instance == NULL || graph->is_instance || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  (*instance)->is_instance = 1;
  return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec instance, CUstream stream) {
  instance->is_uploaded = 1;
  return test(instance->is_instance && stream != NULL);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec instance, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *parameters) {
  instance->set++;
  return instance->is_instance && node->index < instance->count ? set(&instance->nodes[node->index], parameters)
                                                                : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphLaunch(CUgraphExec instance, CUstream stream) {
  for (size_t i = 0; i < instance->count; i++) {
    memcpy((void *)(size_t)instance->nodes[i].target, &instance->nodes[i].value, sizeof instance->nodes[i].value);
  }
  instance->launches++;
  return test(instance->is_instance && instance->is_uploaded && stream != NULL);
}

CUresult cuGraphExecDestroy(CUgraphExec instance) {
  const char *path = getenv("FAKE_CUDA_GRAPHS");
  FILE *file = path == NULL ? NULL : fopen(path, "a");
  if (file != NULL) {
    fprintf(file, "%zu nodes, %zu edges, %zu launches, %zu set\n", instance->count, instance->edges,
            instance->launches, instance->set);
    fclose(file);
  }
  int good = instance->is_instance;
  free(instance);
  return test(good);
}

CUresult cuGraphDestroy(CUgraph graph) {
  int good = !graph->is_instance;
  free(graph);
  return test(good);
}
