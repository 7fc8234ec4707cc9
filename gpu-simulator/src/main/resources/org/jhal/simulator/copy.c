// Copies and fills, in a stream or at once.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

typedef struct {
  gs_op op;
  uint64_t to, from;
  size_t size;  // bytes of a copy, units of a fill
  enum gs_side to_side, from_side;
  void* snapshot;  // of pageable host memory, which is read when the copy is asked for
  uint32_t pattern;
  int width;
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

static int check(transfer* t, int running) {
  if (t->width) return gs_range_check(t->to, t->size * (size_t)t->width, GS_SIDE_DEVICE, running);
  int code = gs_range_check(t->to, t->size, t->to_side, running);
  return code || t->snapshot ? code : gs_range_check(t->from, t->size, t->from_side, running);
}

static int run(gs_op* op) {
  transfer* t = (transfer*)op;
  pthread_mutex_lock(&gs.lock);
  int code = check(t, 1);
  pthread_mutex_unlock(&gs.lock);
  return code ? code : gs_guarded(t->width ? set : move, t);
}

static void finish(gs_op* op) { free(((transfer*)op)->snapshot); }

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
  int code = t->size ? run(&t->op) : GS_OK;
  pthread_mutex_lock(&gs.lock);
  if (code) gs_context_kill(context, code);
  return code;
}

static int start(gs_context* context, gs_handle handle, transfer* made) {
  int code = check(made, 0);
  if (code) return code;
  if (!handle) return run_now(context, made);
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  transfer* t = malloc(sizeof *t);
  *t = *made;
  t->op.finish = finish;
  t->op.run = run;
  int pageable_from = !t->width && t->from_side != GS_SIDE_DEVICE && !gs_block_at(t->from);
  int pageable_to = !t->width && t->to_side != GS_SIDE_DEVICE && !gs_block_at(t->to);
  if (pageable_from && !pageable_to && t->size) {
    t->snapshot = malloc(t->size);
    memcpy(t->snapshot, (void*)t->from, t->size);
  }
  code = gs_enqueue(stream, &t->op);
  return code || !pageable_to ? code : gs_stream_drain(stream);
}

int gs_copy(gs_context* context, gs_handle stream, uint64_t to, enum gs_side to_side, uint64_t from,
            enum gs_side from_side, size_t size) {
  transfer t = {.op.what = "@copy", .to = to, .to_side = to_side, .from = from, .from_side = from_side, .size = size};
  return start(context, stream, &t);
}

int gs_fill(gs_context* context, gs_handle stream, uint64_t to, uint32_t pattern, int width, size_t count) {
  if (to % (unsigned)width || count > SIZE_MAX / 4) return GS_INVALID_VALUE;
  transfer t = {.op.what = "@fill", .to = to, .pattern = pattern, .width = width, .size = count};
  return start(context, stream, &t);
}
