// SPDX-License-Identifier: Apache-2.0
// Copies and fills, in a stream, at once or for a graph.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

typedef struct {
  gs_work work;
  uint64_t to, from;
  size_t size;  // bytes of a copy, units of a fill
  enum gs_side to_side, from_side;
  void* snapshot;  // of pageable host memory, which is read when the copy is asked for
  uint32_t pattern;
  int width;  // of a unit; 0 for a copy
} transfer;

static int move(void* argument) {
  transfer* t = argument;
  memmove((void*)t->to, t->snapshot ? t->snapshot : (void*)t->from, t->size);
  return GS_OK;
}

static int set(void* argument) {
  transfer* t = argument;
  if (t->width == 1) {
    memset((void*)t->to, (int)(t->pattern & 0xFF), t->size);
  } else if (t->width == 2) {
    for (size_t i = 0; i < t->size; i++) ((uint16_t*)t->to)[i] = (uint16_t)t->pattern;
  } else {
    for (size_t i = 0; i < t->size; i++) ((uint32_t*)t->to)[i] = t->pattern;
  }
  return GS_OK;
}

static int check(gs_work* work, int running) {
  transfer* t = (transfer*)work;
  gs_context* context = work->context;
  if (t->width) return gs_range_check(context, t->to, t->size * (size_t)t->width, GS_SIDE_DEVICE, running);
  int code = gs_range_check(context, t->to, t->size, t->to_side, running);
  return code || t->snapshot ? code : gs_range_check(context, t->from, t->size, t->from_side, running);
}

static int run(gs_work* work) { return gs_guarded(((transfer*)work)->width ? set : move, work); }

static void destroy(gs_work* work) {
  free(((transfer*)work)->snapshot);
  free(work);
}

// Where memory is: on the host, or on which device.
static unsigned place(uint64_t address) {
  gs_block* block = gs_block_at(address);
  int device = block && (block->kind == GS_DEVICE_MEMORY || block->kind == GS_GLOBAL_MEMORY);
  return device ? 2 + (unsigned)block->device : 1;
}

static int make(gs_context* context, transfer made, gs_work** work) {
  made.work.context = context;
  int code = check(&made.work, 0);
  if (code) return code;
  transfer* t = malloc(sizeof *t);
  *t = made;
  t->work = (gs_work){.refs = 1,
                      .what = made.width ? "@fill" : "@copy",
                      .context = context,
                      .places = place(made.to) << 8 | (made.width ? 0 : place(made.from)),
                      .check = check,
                      .run = run,
                      .destroy = destroy};
  *work = &t->work;
  return GS_OK;
}

int gs_work_copy(gs_context* context, uint64_t to, enum gs_side to_side, uint64_t from, enum gs_side from_side,
                 size_t size, gs_work** work) {
  transfer made = {.to = to, .to_side = to_side, .from = from, .from_side = from_side, .size = size};
  return make(context, made, work);
}

int gs_work_fill(gs_context* context, uint64_t to, uint32_t pattern, int width, size_t count, gs_work** work) {
  if (to % (unsigned)width || count > SIZE_MAX / 4) return GS_INVALID_VALUE;
  return make(context, (transfer){.to = to, .pattern = pattern, .width = width, .size = count}, work);
}

// Without a stream the work waits for all streams that did not ask to be left alone.
static int run_now(gs_context* context, transfer* t) {
  for (gs_object* o = gs_first(NULL); o;) {
    gs_stream* stream = (gs_stream*)o;
    if (o->kind == GS_STREAM && o->context == context && !(stream->flags & GS_STREAM_NON_BLOCKING) &&
        stream->completed < stream->enqueued && !context->sticky) {
      gs_stream_drain(stream);
      o = gs_first(NULL);
    } else {
      o = gs_first(o);
    }
  }
  if (context->sticky) return context->sticky;
  pthread_mutex_unlock(&gs.lock);
  int code = t->size ? gs_work_run(&t->work) : GS_OK;
  pthread_mutex_lock(&gs.lock);
  if (code) gs_context_kill(context, code);
  return code;
}

static int start(gs_context* context, gs_handle handle, gs_work* work) {
  transfer* t = (transfer*)work;
  gs_stream* stream = handle ? gs_stream_find(handle) : NULL;
  if (!stream) {
    int code = handle ? GS_INVALID_HANDLE : run_now(context, t);
    gs_work_unref(work);
    return code;
  }
  int pageable_from = !t->width && t->from_side != GS_SIDE_DEVICE && !gs_block_at(t->from);
  int pageable_to = !t->width && t->to_side != GS_SIDE_DEVICE && !gs_block_at(t->to);
  if (pageable_from && !pageable_to && t->size) {
    t->snapshot = malloc(t->size);
    memcpy(t->snapshot, (void*)t->from, t->size);
  }
  int code = gs_work_enqueue(stream, work);
  return code || !pageable_to ? code : gs_stream_drain(stream);
}

int gs_copy(gs_context* context, gs_handle stream, uint64_t to, enum gs_side to_side, uint64_t from,
            enum gs_side from_side, size_t size) {
  gs_work* work;
  int code = gs_work_copy(context, to, to_side, from, from_side, size, &work);
  return code ? code : start(context, stream, work);
}

int gs_fill(gs_context* context, gs_handle stream, uint64_t to, uint32_t pattern, int width, size_t count) {
  gs_work* work;
  int code = gs_work_fill(context, to, pattern, width, count, &work);
  return code ? code : start(context, stream, work);
}
