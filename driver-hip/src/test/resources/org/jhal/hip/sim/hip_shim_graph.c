// SPDX-License-Identifier: Apache-2.0
// Graphs. Parameters of fills are the same in both; the others are rewritten.
#include <string.h>

#include "hip_shim.h"

typedef struct {
  unsigned block[3];
  void** extra;
  handle function;
  unsigned grid[3];
  void** arguments;
  unsigned shared;
} hipKernelNodeParams;

typedef struct {
  handle function;
  unsigned grid[3], block[3], shared;
  void **arguments, **extra;
  handle kernel, context;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct {
  size_t x, y, z, level;
  int memory;
  uint64_t host, device, array;
  void* reserved;
  size_t pitch, height;
} copy_side;

typedef struct {
  copy_side from, to;
  size_t width, height, depth;
} CUDA_MEMCPY3D;

_Static_assert(sizeof(hipKernelNodeParams) == 64 && sizeof(CUDA_KERNEL_NODE_PARAMS) == 72 &&
                   sizeof(CUDA_MEMCPY3D) == 200,
               "layouts of hip_runtime_api.h and cuda.h");

#define CUDA_FUNCTIONS(X)                                                                                     \
  X(cuGraphCreate, handle*, unsigned)                                                                         \
  X(cuGraphDestroy, handle)                                                                                   \
  X(cuGraphAddKernelNode_v2, handle*, handle, const handle*, size_t, const CUDA_KERNEL_NODE_PARAMS*)          \
  X(cuGraphAddMemsetNode, handle*, handle, const handle*, size_t, const void*, handle)                        \
  X(cuGraphAddMemcpyNode, handle*, handle, const handle*, size_t, const CUDA_MEMCPY3D*, handle)               \
  X(cuGraphInstantiateWithFlags, handle*, handle, unsigned long long)                                         \
  X(cuStreamBeginCapture_v2, handle, int)                                                                     \
  X(cuStreamEndCapture, handle, handle*)                                                                      \
  X(cuGraphUpload, handle, handle)                                                                            \
  X(cuGraphLaunch, handle, handle)                                                                            \
  X(cuGraphExecKernelNodeSetParams_v2, handle, handle, const CUDA_KERNEL_NODE_PARAMS*)                        \
  X(cuGraphExecMemsetNodeSetParams, handle, handle, const void*, handle)                                      \
  X(cuGraphExecMemcpyNodeSetParams, handle, handle, const CUDA_MEMCPY3D*, handle)                             \
  X(cuGraphExecDestroy, handle)

#define DECLARE(name, ...) static int (*name)(__VA_ARGS__);
CUDA_FUNCTIONS(DECLARE)

#define ENTRY(name, ...) {(void**)&name, #name},
const shim_function shim_graph_functions[] = {CUDA_FUNCTIONS(ENTRY){0, 0}};

enum { INVALID_VALUE = 1, INVALID_DIRECTION = 21 };

#define FORWARD(call)                      \
  handle context;                          \
  int entered_ = shim_enter(&context);     \
  return entered_ ? entered_ : shim_code(call)

HIP hipGraphCreate(handle* graph, unsigned flags) { FORWARD(cuGraphCreate(graph, flags)); }
HIP hipGraphDestroy(handle graph) { FORWARD(cuGraphDestroy(graph)); }
HIP hipStreamBeginCapture(handle stream, int mode) { FORWARD(cuStreamBeginCapture_v2(stream, mode)); }
HIP hipStreamEndCapture(handle stream, handle* graph) { FORWARD(cuStreamEndCapture(stream, graph)); }
HIP hipGraphUpload(handle exec, handle stream) { FORWARD(cuGraphUpload(exec, stream)); }
HIP hipGraphLaunch(handle exec, handle stream) { FORWARD(cuGraphLaunch(exec, stream)); }
HIP hipGraphExecDestroy(handle exec) { FORWARD(cuGraphExecDestroy(exec)); }

HIP hipGraphInstantiateWithFlags(handle* exec, handle graph, unsigned long long flags) {
  FORWARD(cuGraphInstantiateWithFlags(exec, graph, flags));
}

// ---- kernels ----

// The list is that of the packed arguments; it is read in the call that the result is for.
static int kernel(const hipKernelNodeParams* from, CUDA_KERNEL_NODE_PARAMS* to, void* list[SHIM_PACKED_WORDS]) {
  if (!from || (from->extra && shim_packed(from->extra, list))) return INVALID_VALUE;
  *to = (CUDA_KERNEL_NODE_PARAMS){.function = from->function,
                                  .shared = from->shared,
                                  .arguments = from->arguments,
                                  .extra = from->extra ? list : 0};
  memcpy(to->grid, from->grid, sizeof to->grid);
  memcpy(to->block, from->block, sizeof to->block);
  return 0;
}

#define KERNEL(call)                                        \
  CUDA_KERNEL_NODE_PARAMS cuda;                             \
  void* list[SHIM_PACKED_WORDS];                            \
  if (kernel(params, &cuda, list)) return INVALID_VALUE;    \
  FORWARD(call)

HIP hipGraphAddKernelNode(handle* node, handle graph, const handle* dependencies, size_t count,
                          const hipKernelNodeParams* params) {
  KERNEL(cuGraphAddKernelNode_v2(node, graph, dependencies, count, &cuda));
}

HIP hipGraphExecKernelNodeSetParams(handle exec, handle node, const hipKernelNodeParams* params) {
  KERNEL(cuGraphExecKernelNodeSetParams_v2(exec, node, &cuda));
}

// ---- fills and copies ----

HIP hipGraphAddMemsetNode(handle* node, handle graph, const handle* dependencies, size_t count, const void* params) {
  FORWARD(cuGraphAddMemsetNode(node, graph, dependencies, count, params, context));
}

HIP hipGraphExecMemsetNodeSetParams(handle exec, handle node, const void* params) {
  FORWARD(cuGraphExecMemsetNodeSetParams(exec, node, params, context));
}

static int copy(uint64_t to, uint64_t from, size_t size, int kind, CUDA_MEMCPY3D* cuda) {
  enum { HOST = 1, DEVICE = 2, UNIFIED = 4 };
  static const int sides[][2] = {{HOST, HOST}, {DEVICE, HOST}, {HOST, DEVICE}, {DEVICE, DEVICE}, {UNIFIED, UNIFIED}};
  if (kind < 0 || kind > 4) return INVALID_DIRECTION;
  *cuda = (CUDA_MEMCPY3D){.from = {.memory = sides[kind][1], .host = from, .device = from},
                          .to = {.memory = sides[kind][0], .host = to, .device = to},
                          .width = size,
                          .height = 1,
                          .depth = 1};
  return 0;
}

#define COPY(call)                                                 \
  CUDA_MEMCPY3D cuda;                                              \
  if (copy(to, from, size, kind, &cuda)) return INVALID_DIRECTION; \
  FORWARD(call)

HIP hipGraphAddMemcpyNode1D(handle* node, handle graph, const handle* dependencies, size_t count, uint64_t to,
                            uint64_t from, size_t size, int kind) {
  COPY(cuGraphAddMemcpyNode(node, graph, dependencies, count, &cuda, context));
}

HIP hipGraphExecMemcpyNodeSetParams1D(handle exec, handle node, uint64_t to, uint64_t from, size_t size, int kind) {
  COPY(cuGraphExecMemcpyNodeSetParams(exec, node, &cuda, context));
}
