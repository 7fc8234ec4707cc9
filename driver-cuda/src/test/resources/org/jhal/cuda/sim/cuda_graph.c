// SPDX-License-Identifier: Apache-2.0
// Graphs of kernels, fills and copies along one dimension.
#include "cuda_face.h"

typedef struct {
  gs_handle function;
  unsigned grid[3], block[3], shared;
  void **arguments, **extra;
  gs_handle kernel, context;  // of which a function needs none
} CUDA_KERNEL_NODE_PARAMS_v2;

typedef struct {
  CUdeviceptr to;
  size_t pitch;
  unsigned value, width;
  size_t count, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct {
  size_t x, y, z, level;
  int memory;
  void* host;
  CUdeviceptr device;
  gs_handle array;
  void* reserved;
  size_t pitch, height;
} copy_side;

typedef struct {
  copy_side from, to;
  size_t width, height, depth;
} CUDA_MEMCPY3D;

_Static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS_v2) == 72 && sizeof(CUDA_MEMSET_NODE_PARAMS) == 40 &&
                   sizeof(CUDA_MEMCPY3D) == 200,
               "layouts of cuda.h");

// ---- what nodes do ----

// The context of a node, and the units that a green one has.
static gs_context* context_of(gs_handle handle, uint64_t* units) {
  *units = 0;
  return gs_is_place(handle) ? gs_place_find(handle, units) : gs_context_find(handle);
}

static int kernel_work(gs_context* context, const CUDA_KERNEL_NODE_PARAMS_v2* p, gs_work** work) {
  NOT_NULL(p);
  uint64_t units = 0;
  if (p->context && context_of(p->context, &units) != context) return GS_INVALID_CONTEXT;
  const void* packed;
  size_t packed_size;
  int code = cuda_packed(p->arguments, p->extra, &packed, &packed_size);
  if (code) return code;
  code = gs_work_kernel(context, p->function, p->grid, p->block, p->shared, p->arguments, packed, packed_size, work);
  if (!code) gs_work_place(*work, units);
  return code;
}

static int memset_work(const CUDA_MEMSET_NODE_PARAMS* p, gs_handle handle, gs_work** work) {
  uint64_t units;
  gs_context* context = context_of(handle, &units);
  if (!context) return GS_INVALID_CONTEXT;
  NOT_NULL(p);
  if (p->width != 1 && p->width != 2 && p->width != 4) return GS_INVALID_VALUE;
  if (!p->count || p->height != 1) return GS_INVALID_VALUE;
  return gs_work_fill(context, p->to, p->value, (int)p->width, p->count, work);
}

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, MEMORY_UNIFIED = 4 };

static int side_of(const copy_side* side, uint64_t* address, enum gs_side* kind) {
  if (side->y || side->z || side->level || side->reserved) return GS_INVALID_VALUE;
  switch (side->memory) {
    case MEMORY_HOST:
      *address = (uint64_t)side->host;
      *kind = GS_SIDE_HOST;
      break;
    case MEMORY_DEVICE:
      *address = side->device;
      *kind = GS_SIDE_DEVICE;
      break;
    case MEMORY_UNIFIED:
      *address = side->device;
      *kind = GS_SIDE_ANY;
      break;
    default: return GS_INVALID_VALUE;
  }
  if (!*address) return GS_INVALID_VALUE;
  *address += side->x;
  return GS_OK;
}

static int memcpy_work(const CUDA_MEMCPY3D* p, gs_handle handle, gs_work** work) {
  uint64_t units;
  gs_context* context = context_of(handle, &units);
  if (!context) return GS_INVALID_CONTEXT;
  NOT_NULL(p);
  uint64_t to, from;
  enum gs_side to_side, from_side;
  if (!p->width || p->height != 1 || p->depth != 1) return GS_INVALID_VALUE;
  if (side_of(&p->to, &to, &to_side) || side_of(&p->from, &from, &from_side)) return GS_INVALID_VALUE;
  return gs_work_copy(context, to, to_side, from, from_side, p->width, work);
}

// ---- graphs ----

CU cuGraphCreate(gs_handle* graph, unsigned flags) {
  GS_CALL(GS_CURRENT)
  if (!graph || flags) return GS_INVALID_VALUE;
  return gs_graph_create(frame.context, graph);
}

CU cuGraphDestroy(gs_handle graph) { RELEASE(gs_graph_destroy(graph)); }

#define ADD(make)                                                               \
  GS_CALL(GS_CURRENT)                                                           \
  NOT_NULL(node);                                                               \
  gs_work* work;                                                                \
  int code = make;                                                              \
  return code ? code : gs_graph_add(graph, dependencies, count, work, node)

CU cuGraphAddKernelNode_v2(gs_handle* node, gs_handle graph, const gs_handle* dependencies, size_t count,
                           const CUDA_KERNEL_NODE_PARAMS_v2* params) {
  ADD(kernel_work(frame.context, params, &work));
}

CU cuGraphAddMemsetNode(gs_handle* node, gs_handle graph, const gs_handle* dependencies, size_t count,
                        const CUDA_MEMSET_NODE_PARAMS* params, gs_handle context) {
  ADD(memset_work(params, context, &work));
}

CU cuGraphAddMemcpyNode(gs_handle* node, gs_handle graph, const gs_handle* dependencies, size_t count,
                        const CUDA_MEMCPY3D* params, gs_handle context) {
  ADD(memcpy_work(params, context, &work));
}

enum { AUTO_FREE_ON_LAUNCH = 1, USE_NODE_PRIORITY = 8 };  // which change nothing here

CU cuGraphInstantiateWithFlags(gs_handle* exec, gs_handle graph, uint64_t flags) {
  GS_CALL(GS_CURRENT)
  if (!exec || flags & ~(uint64_t)(AUTO_FREE_ON_LAUNCH | USE_NODE_PRIORITY)) return GS_INVALID_VALUE;
  return gs_graph_instantiate(graph, exec);
}

// ---- captures ----

enum { CAPTURE_RELAXED = 2 };  // others forbid calls to all threads, or to the one that captures

CU cuStreamBeginCapture_v2(gs_handle stream, int mode) {
  GS_CALL(GS_CURRENT)
  if (mode != CAPTURE_RELAXED) return GS_INVALID_VALUE;
  return gs_stream_begin_capture(frame.context, stream);
}

CU cuStreamEndCapture(gs_handle stream, gs_handle* graph) {
  GS_CALL_ELSE(GS_CURRENT, gs_stream_drop_capture(stream))
  NOT_NULL(graph);
  return gs_stream_end_capture(frame.context, stream, graph);
}

// ---- instances ----

CU cuGraphUpload(gs_handle exec, gs_handle stream) {
  GS_CALL(GS_CURRENT)
  return gs_exec_upload(frame.context, exec, stream);
}

CU cuGraphLaunch(gs_handle exec, gs_handle stream) {
  GS_CALL_ELSE(GS_CURRENT, gs_exec_not_launched(exec))
  return gs_exec_launch(frame.context, exec, stream);
}

#define SET(make)     \
  GS_CALL(GS_CURRENT) \
  gs_work* work;      \
  int code = make;    \
  return code ? code : gs_exec_set(exec, node, work)

CU cuGraphExecKernelNodeSetParams_v2(gs_handle exec, gs_handle node, const CUDA_KERNEL_NODE_PARAMS_v2* params) {
  SET(kernel_work(frame.context, params, &work));
}

CU cuGraphExecMemsetNodeSetParams(gs_handle exec, gs_handle node, const CUDA_MEMSET_NODE_PARAMS* params,
                                  gs_handle context) {
  SET(memset_work(params, context, &work));
}

CU cuGraphExecMemcpyNodeSetParams(gs_handle exec, gs_handle node, const CUDA_MEMCPY3D* params, gs_handle context) {
  SET(memcpy_work(params, context, &work));
}

CU cuGraphExecDestroy(gs_handle exec) { RELEASE(gs_exec_destroy(exec)); }
