// SPDX-License-Identifier: Apache-2.0
// What a rank is called with, and whether that is right.
#include "collective.h"

size_t gs_element_size(int type) {
  static const size_t sizes[GS_ELEMENTS] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[type];
}

static size_t ranks(const gs_call* call) { return (size_t)call->comm->clique->count; }

size_t gs_call_sent(const gs_call* call) {
  size_t bytes = call->count * gs_element_size(call->type);
  switch (call->kind) {
    case GS_BROADCAST: return call->root == call->comm->rank ? bytes : 0;
    case GS_REDUCE_SCATTER: return ranks(call) * bytes;
    case GS_RECEIVE: return 0;
    default: return bytes;
  }
}

size_t gs_call_received(const gs_call* call) {
  size_t bytes = call->count * gs_element_size(call->type);
  switch (call->kind) {
    case GS_REDUCE: return call->root == call->comm->rank ? bytes : 0;
    case GS_ALL_GATHER: return ranks(call) * bytes;
    case GS_SEND: return 0;
    default: return bytes;
  }
}

// Memory must be of the rank's own device, or of the host.
static int check_range(const gs_call* call, gs_context* context, uint64_t address, size_t size, int running) {
  int code = gs_range_check(context, address, size, GS_SIDE_DEVICE, running);
  if (code || !size) return code;
  gs_block* block = gs_block_at(address);
  int is_device = block->kind == GS_DEVICE_MEMORY || block->kind == GS_GLOBAL_MEMORY;
  if (!is_device || block->device == call->comm->device) return GS_OK;
  gs_misuse("%#llx is memory of device %d, and rank %d is device %d", (unsigned long long)address, block->device,
            call->comm->rank, call->comm->device);
  return running ? GS_ILLEGAL_ADDRESS : GS_INVALID_VALUE;
}

int gs_call_check_memory(const gs_call* call, gs_context* context, int running) {
  int code = check_range(call, context, call->from, gs_call_sent(call), running);
  return code ? code : check_range(call, context, call->to, gs_call_received(call), running);
}

static int is_in_place(const gs_call* call) {
  uint64_t part = (uint64_t)call->comm->rank * call->count * gs_element_size(call->type);
  switch (call->kind) {
    case GS_ALL_GATHER: return call->from == call->to + part;
    case GS_REDUCE_SCATTER: return call->to == call->from + part;
    default: return call->from == call->to;
  }
}

static int wrong(const gs_call* call) {
  int has_reduction = call->kind == GS_ALL_REDUCE || call->kind == GS_REDUCE || call->kind == GS_REDUCE_SCATTER;
  if (call->type < 0 || call->type >= GS_ELEMENTS) {
    gs_misuse("there is no type %d", call->type);
  } else if (has_reduction && (call->reduction < 0 || call->reduction >= GS_REDUCTIONS)) {
    gs_misuse("there is no reduction %d", call->reduction);
  } else if (call->root < 0 || call->root >= call->comm->clique->count) {
    gs_misuse("there is no rank %d", call->root);
  } else if (call->count > SIZE_MAX / 64 / GS_MAX_DEVICES) {
    gs_misuse("%zu elements are too many", call->count);
  } else {
    return 0;
  }
  return 1;
}

int gs_call_check(const gs_call* call) {
  gs_comm* comm = call->comm;
  if (wrong(call)) return GS_CO_INVALID_ARGUMENT;
  gs_stream* stream = gs_stream_find(call->stream);
  if (!stream) return GS_CO_INVALID_ARGUMENT;
  gs_context* context = stream->object.context;
  if (context->device != comm->device) {
    gs_misuse("the stream is one of device %d, and rank %d is device %d", context->device, comm->rank, comm->device);
    return GS_CO_INVALID_USAGE;
  }
  if (context->sticky) return GS_CO_DEVICE_ERROR;
  if (gs_call_check_memory(call, context, 0)) return GS_CO_INVALID_ARGUMENT;
  size_t sent = gs_call_sent(call), received = gs_call_received(call);
  size_t size = gs_element_size(call->type);
  if ((sent && call->from % size) || (received && call->to % size)) {
    gs_misuse("%#llx and %#llx are not both multiples of %zu bytes", (unsigned long long)call->from,
              (unsigned long long)call->to, size);
    return GS_CO_INVALID_ARGUMENT;
  }
  int overlap = sent && received && call->from < call->to + received && call->to < call->from + sent;
  if (overlap && !is_in_place(call)) {
    gs_misuse("source and target of rank %d overlap", comm->rank);
    return GS_CO_INVALID_ARGUMENT;
  }
  return GS_CO_OK;
}
