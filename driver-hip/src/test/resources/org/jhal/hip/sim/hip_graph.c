// SPDX-License-Identifier: Apache-2.0
// Graphs of kernels, fills and copies along one dimension. Parameters have the layout of ROCm 7, whatever version the
// runtime calls itself: before, those of fills had another order.
#include "hip_face.h"

typedef struct {
  unsigned block[3];
  void** extra;
  gs_handle function;
  unsigned grid[3];
  void** arguments;
  unsigned shared;
} hipKernelNodeParams;

typedef struct {
  hipDeviceptr_t to;
  size_t pitch;
  unsigned value, width;
  size_t count, height;
} hipMemsetParams;

_Static_assert(sizeof(hipKernelNodeParams) == 64 && sizeof(hipMemsetParams) == 40, "layouts of hip_runtime_api.h");

// ---- what nodes do ----

static int kernel_work(gs_context* context, const hipKernelNodeParams* p, gs_work** work) {
  NOT_NULL(p);
  const void* packed;
  size_t packed_size;
  int code = hip_packed(p->arguments, p->extra, &packed, &packed_size);
  if (code) return code;
  return gs_work_kernel(context, p->function, p->grid, p->block, p->shared, p->arguments, packed, packed_size, work);
}

static int memset_work(gs_context* context, const hipMemsetParams* p, gs_work** work) {
  NOT_NULL(p);
  if (p->width != 1 && p->width != 2 && p->width != 4) return GS_INVALID_VALUE;
  if (!p->count || p->height != 1) return GS_INVALID_VALUE;
  return gs_work_fill(context, p->to, p->value, (int)p->width, p->count, work);
}

static int memcpy_work(gs_context* context, uint64_t to, uint64_t from, size_t size, int kind, gs_work** work) {
  enum gs_side to_side, from_side;
  if (!to || !from || !size) return GS_INVALID_VALUE;
  int code = hip_sides(kind, &to_side, &from_side);
  return code ? code : gs_work_copy(context, to, to_side, from, from_side, size, work);
}

// ---- graphs ----

HIP hipGraphCreate(gs_handle* graph, unsigned flags) {
  GS_CALL(GS_DEVICE)
  if (!graph || flags) return GS_INVALID_VALUE;
  return gs_graph_create(frame.context, graph);
}

HIP hipGraphDestroy(gs_handle graph) { RELEASE(gs_graph_destroy(graph)); }

#define ADD(make)                                                               \
  GS_CALL(GS_DEVICE)                                                            \
  NOT_NULL(node);                                                               \
  gs_work* work;                                                                \
  int code = make;                                                              \
  return code ? code : gs_graph_add(graph, dependencies, count, work, node)

HIP hipGraphAddKernelNode(gs_handle* node, gs_handle graph, const gs_handle* dependencies, size_t count,
                          const hipKernelNodeParams* params) {
  ADD(kernel_work(frame.context, params, &work));
}

HIP hipGraphAddMemsetNode(gs_handle* node, gs_handle graph, const gs_handle* dependencies, size_t count,
                          const hipMemsetParams* params) {
  ADD(memset_work(frame.context, params, &work));
}

HIP hipGraphAddMemcpyNode1D(gs_handle* node, gs_handle graph, const gs_handle* dependencies, size_t count, uint64_t to,
                            uint64_t from, size_t size, int kind) {
  ADD(memcpy_work(frame.context, to, from, size, kind, &work));
}

enum { AUTO_FREE_ON_LAUNCH = 1, USE_NODE_PRIORITY = 8 };  // which change nothing here

HIP hipGraphInstantiateWithFlags(gs_handle* exec, gs_handle graph, uint64_t flags) {
  GS_CALL(GS_DEVICE)
  if (!exec || flags & ~(uint64_t)(AUTO_FREE_ON_LAUNCH | USE_NODE_PRIORITY)) return GS_INVALID_VALUE;
  return gs_graph_instantiate(graph, exec);
}

// ---- captures ----

enum { CAPTURE_RELAXED = 2 };  // others forbid calls to all threads, or to the one that captures

HIP hipStreamBeginCapture(gs_handle stream, int mode) {
  GS_CALL(GS_DEVICE)
  if (mode != CAPTURE_RELAXED) return GS_INVALID_VALUE;
  return gs_stream_begin_capture(frame.context, stream);
}

HIP hipStreamEndCapture(gs_handle stream, gs_handle* graph) {
  GS_CALL_ELSE(GS_DEVICE, gs_stream_drop_capture(stream))
  NOT_NULL(graph);
  return gs_stream_end_capture(frame.context, stream, graph);
}

// ---- instances ----

HIP hipGraphUpload(gs_handle exec, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return gs_exec_upload(frame.context, exec, stream);
}

HIP hipGraphLaunch(gs_handle exec, gs_handle stream) {
  GS_CALL_ELSE(GS_DEVICE, gs_exec_not_launched(exec))
  return gs_exec_launch(frame.context, exec, stream);
}

#define SET(make)    \
  GS_CALL(GS_DEVICE) \
  gs_work* work;     \
  int code = make;   \
  return code ? code : gs_exec_set(exec, node, work)

HIP hipGraphExecKernelNodeSetParams(gs_handle exec, gs_handle node, const hipKernelNodeParams* params) {
  SET(kernel_work(frame.context, params, &work));
}

HIP hipGraphExecMemsetNodeSetParams(gs_handle exec, gs_handle node, const hipMemsetParams* params) {
  SET(memset_work(frame.context, params, &work));
}

HIP hipGraphExecMemcpyNodeSetParams1D(gs_handle exec, gs_handle node, uint64_t to, uint64_t from, size_t size,
                                      int kind) {
  SET(memcpy_work(frame.context, to, from, size, kind, &work));
}

HIP hipGraphExecDestroy(gs_handle exec) { RELEASE(gs_exec_destroy(exec)); }
