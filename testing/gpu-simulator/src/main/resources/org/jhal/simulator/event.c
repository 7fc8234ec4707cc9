// SPDX-License-Identifier: Apache-2.0
// Events. A record makes a mark of its own, so a wait means the record before it, whatever comes after.
#include <stdlib.h>

#include "internal.h"

typedef struct {
  gs_op op;
  gs_stream* stream;
  gs_mark* mark;
} mark_op;

static void mark_unref(gs_mark* mark) {
  if (mark && --mark->refs == 0) {
    gs_unref(&mark->context->object);
    free(mark);
  }
}

static void event_free(gs_object* object) {
  mark_unref(((gs_event*)object)->mark);
  free(object);
}

static int over(gs_mark* mark) { return mark->done || mark->context->sticky; }

int gs_event_create(gs_context* context, unsigned flags, gs_handle* handle) {
  gs_event* event = calloc(1, sizeof *event);
  event->flags = flags;
  gs_object_add(&event->object, GS_EVENT, context, event_free);
  *handle = event->object.id;
  return GS_OK;
}

int gs_event_destroy(gs_handle handle) {
  gs_event* event = gs_find(handle, GS_EVENT);
  if (!event) return GS_INVALID_HANDLE;
  gs_object_remove(&event->object);
  return GS_OK;
}

static void recorded(gs_op* o) {
  gs_mark* mark = ((mark_op*)o)->mark;
  mark->done = 1;
  mark->nanos = gs_device_nanos();
  mark_unref(mark);
}

static int enqueue(gs_stream* stream, gs_mark* mark, int (*run)(gs_op*), void (*finish)(gs_op*)) {
  mark_op* op = calloc(1, sizeof *op);
  op->op.what = run ? "@wait" : "@record";
  op->op.run = run;
  op->op.finish = finish;
  op->stream = stream;
  op->mark = mark;
  mark->refs++;
  return gs_enqueue(stream, &op->op);
}

int gs_event_record(gs_handle handle, gs_handle stream_handle) {
  gs_event* event = gs_find(handle, GS_EVENT);
  gs_stream* stream = gs_stream_find(stream_handle);
  if (!event || !stream) return GS_INVALID_HANDLE;
  if (event->object.context != stream->object.context) {
    gs_misuse("the event and the stream belong to different contexts");
    return GS_INVALID_HANDLE;
  }
  mark_unref(event->mark);
  gs_mark* mark = calloc(1, sizeof *mark);
  mark->refs = 1;
  mark->context = stream->object.context;
  gs_ref(&mark->context->object);
  event->mark = mark;
  return enqueue(stream, mark, NULL, recorded);
}

int gs_event_query(gs_handle handle) {
  gs_event* event = gs_find(handle, GS_EVENT);
  if (!event) return GS_INVALID_HANDLE;
  if (event->object.context->sticky) return event->object.context->sticky;
  return !event->mark || over(event->mark) ? GS_OK : GS_NOT_READY;
}

int gs_event_synchronize(gs_handle handle) {
  gs_event* event = gs_find(handle, GS_EVENT);
  if (!event) return GS_INVALID_HANDLE;
  gs_mark* mark = event->mark;
  if (!mark) {
    gs_misuse("the event %#llx is waited for and was never recorded", (unsigned long long)handle);
    return GS_OK;
  }
  mark->refs++;
  while (!over(mark)) gs_wait_change(UINT64_MAX);
  int code = mark->context->sticky;
  gs_pools_settle(mark->context->device);
  mark_unref(mark);
  return code;
}

int gs_event_elapsed(gs_handle from_handle, gs_handle to_handle, float* milliseconds) {
  gs_event* from = gs_find(from_handle, GS_EVENT);
  gs_event* to = gs_find(to_handle, GS_EVENT);
  if (!from || !to || !from->mark || !to->mark || (from->flags | to->flags) & GS_EVENT_NO_TIMING) {
    return GS_INVALID_HANDLE;
  }
  if (from->object.context->sticky) return from->object.context->sticky;
  if (!from->mark->done || !to->mark->done) return GS_NOT_READY;
  *milliseconds = (float)((double)(int64_t)(to->mark->nanos - from->mark->nanos) / 1e6);
  return GS_OK;
}

static int wait_run(gs_op* o) {
  mark_op* op = (mark_op*)o;
  pthread_mutex_lock(&gs.lock);
  while (!over(op->mark) && !op->stream->object.context->sticky) gs_wait_change(UINT64_MAX);
  pthread_mutex_unlock(&gs.lock);
  return GS_OK;
}

static void waited(gs_op* o) { mark_unref(((mark_op*)o)->mark); }

int gs_stream_wait_event(gs_handle stream_handle, gs_handle handle) {
  gs_stream* stream = gs_stream_find(stream_handle);
  gs_event* event = gs_find(handle, GS_EVENT);
  if (!event || !stream) return GS_INVALID_HANDLE;
  if (!event->mark) {
    gs_misuse("the event %#llx is waited for and was never recorded", (unsigned long long)handle);
    return GS_OK;
  }
  gs_hop(event->mark->context->device, stream->object.context->device);
  return enqueue(stream, event->mark, wait_run, waited);
}

// ---- waiting for values in memory, and writing them ----

typedef struct {
  gs_op op;
  gs_stream* stream;
  uint64_t address, value;
  int width;
  enum gs_compare compare;
} value_op;

static int met(uint64_t seen, value_op* op) {
  switch (op->compare) {
    case GS_AT_LEAST:
      return op->width == 4 ? (int32_t)((uint32_t)seen - (uint32_t)op->value) >= 0 : (int64_t)(seen - op->value) >= 0;
    case GS_EQUAL: return seen == op->value;
    case GS_AND: return (seen & op->value) != 0;
    case GS_NOR: return (uint64_t)~(seen | op->value) << (op->width == 4 ? 32 : 0) != 0;
  }
  return 1;
}

static int value_check(value_op* op, int running) {
  return gs_range_check(op->stream->object.context, op->address, (size_t)op->width, GS_SIDE_DEVICE, running);
}

static int value_wait_run(gs_op* o) {
  value_op* op = (value_op*)o;
  for (;;) {
    pthread_mutex_lock(&gs.lock);
    int code = op->stream->object.context->sticky ? -1 : value_check(op, 1);
    pthread_mutex_unlock(&gs.lock);
    if (code) return code < 0 ? GS_OK : code;
    uint64_t seen = op->width == 4 ? __atomic_load_n((uint32_t*)op->address, __ATOMIC_ACQUIRE)
                                   : __atomic_load_n((uint64_t*)op->address, __ATOMIC_ACQUIRE);
    if (met(seen, op)) return GS_OK;
    gs_sleep(20000);
  }
}

static int value_write_run(gs_op* o) {
  value_op* op = (value_op*)o;
  pthread_mutex_lock(&gs.lock);
  int code = value_check(op, 1);
  if (!code && op->width == 4) __atomic_store_n((uint32_t*)op->address, (uint32_t)op->value, __ATOMIC_RELEASE);
  if (!code && op->width == 8) __atomic_store_n((uint64_t*)op->address, op->value, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&gs.lock);
  return code;
}

static void nothing(gs_op* o) { (void)o; }

static int value_start(gs_handle handle, value_op made) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  if (made.address % (unsigned)made.width) return GS_INVALID_VALUE;
  made.stream = stream;
  int code = value_check(&made, 0);
  if (code) return code;
  value_op* op = malloc(sizeof *op);
  *op = made;
  op->op.finish = nothing;
  return gs_enqueue(stream, &op->op);
}

int gs_stream_wait_value(gs_handle stream, uint64_t address, uint64_t value, int width, enum gs_compare compare) {
  return value_start(stream, (value_op){.op = {.what = "@wait", .run = value_wait_run},
                                        .address = address,
                                        .value = value,
                                        .width = width,
                                        .compare = compare});
}

int gs_stream_write_value(gs_handle stream, uint64_t address, uint64_t value, int width) {
  return value_start(stream, (value_op){.op = {.what = "@write", .run = value_write_run},
                                        .address = address,
                                        .value = value,
                                        .width = width});
}
