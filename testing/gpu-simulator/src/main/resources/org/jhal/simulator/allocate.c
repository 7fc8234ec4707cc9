// SPDX-License-Identifier: Apache-2.0
// Allocation and release in stream order.
#include <stdlib.h>

#include "internal.h"

typedef struct {
  gs_op op;
  gs_stream* stream;
  uint64_t address;
  size_t size;
} allocation_op;

static allocation_op* op_make(gs_stream* stream, uint64_t address, size_t size, void (*finish)(gs_op*)) {
  allocation_op* op = calloc(1, sizeof *op);
  op->op.what = "@memory";
  op->op.finish = finish;
  op->stream = stream;
  op->address = address;
  op->size = size;
  return op;
}

static void allocated(gs_op* o) {
  gs_block* block = gs_block_at(((allocation_op*)o)->address);
  if (block && block->state == GS_PENDING) block->state = GS_LIVE;
}

static void released(gs_op* o) {
  allocation_op* op = (allocation_op*)o;
  gs_block* block = gs_block_at(op->address);
  if (block && block->state == GS_FREEING) gs_block_release(block);
  op->stream->freeing -= op->size;
}

int gs_memory_alloc_async(gs_handle stream_handle, gs_handle pool_handle, uint64_t* address, size_t size) {
  gs_stream* stream = gs_stream_find(stream_handle);
  if (!stream) return GS_INVALID_HANDLE;
  if (!size) return GS_INVALID_VALUE;
  gs_context* context = stream->object.context;
  if (!pool_handle) gs_pool_current(context->device, &pool_handle);
  gs_pool* pool = gs_find(pool_handle, GS_POOL);
  if (!pool) return GS_INVALID_VALUE;
  if (gs_pool_take(pool, size, stream->freeing)) return GS_OUT_OF_MEMORY;
  gs_block* block = gs_block_map(context, GS_DEVICE_MEMORY, pool->device, size);
  if (!block) {
    gs_pool_give(pool, size);
    return GS_OUT_OF_MEMORY;
  }
  block->pool = pool;
  gs_ref(&pool->object);
  block->state = GS_PENDING;
  *address = block->base;
  return gs_enqueue(stream, &op_make(stream, block->base, size, allocated)->op);
}

int gs_memory_free_async(gs_handle stream_handle, uint64_t address) {
  gs_stream* stream = gs_stream_find(stream_handle);
  if (!stream) return GS_INVALID_HANDLE;
  gs_block* block = gs_block_at(address);
  if (!block || block->kind != GS_DEVICE_MEMORY || block->base != address || block->state == GS_FREED ||
      block->state == GS_FREEING) {
    gs_misuse("%#llx %s", (unsigned long long)address,
              block && block->base == address ? "was freed before" : "was never given out");
    return GS_INVALID_VALUE;
  }
  block->state = GS_FREEING;
  stream->freeing += block->size;
  return gs_enqueue(stream, &op_make(stream, address, block->size, released)->op);
}
