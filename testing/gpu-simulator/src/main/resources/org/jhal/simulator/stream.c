// SPDX-License-Identifier: Apache-2.0
// Streams: each is a thread that takes operations in order.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static void stream_free(gs_object* object) {
  pthread_cond_destroy(&((gs_stream*)object)->wake);
  free(object);
}

gs_stream* gs_stream_find(gs_handle handle) {
  if (handle <= 2) {
    gs_misuse("the default stream is not simulated: stream %d", (int)handle);
    return NULL;
  }
  return gs_find(handle, GS_STREAM);
}

gs_stream* gs_stream_of(gs_context* context, gs_handle handle) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream || stream->object.context == context) return stream;
  gs_misuse("the stream and the current context do not belong together");
  return NULL;
}

// Whether an operation of another stream is before this stream's next one in the hardware queue that both share.
static int is_behind(gs_stream* stream) {
  if (!gs.hardware_queues) return 0;
  uint64_t place = stream->head->place;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    gs_stream* other = (gs_stream*)o;
    if (o->kind != GS_STREAM || other == stream || other->hardware_queue != stream->hardware_queue) continue;
    if (o->context->device != stream->object.context->device || o->context->sticky) continue;
    if (other->running && other->running < place) return 1;
    if (other->head && other->head->place < place) return 1;
  }
  return 0;
}

static void wake_sharers(gs_stream* stream) {
  if (!gs.hardware_queues) return;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    gs_stream* other = (gs_stream*)o;
    if (o->kind == GS_STREAM && other->hardware_queue == stream->hardware_queue) pthread_cond_signal(&other->wake);
  }
}

static int stands(gs_stream* stream) {
  gs_context* context = stream->object.context;
  return !context->sticky && (stream->paused || gs.paused >> context->device & 1);
}

static void run_op(gs_stream* stream, gs_op* op) {
  gs_context* context = stream->object.context;
  gs_call_begin(op->call);
  int code = gs_work_begin(context, op->what, &stream->random);
  if (context->destroyed) gs.abandoned[GS_COUNT_OPERATION]++;
  if (!code && !context->sticky && op->run) {
    pthread_mutex_unlock(&gs.lock);
    code = op->run(op);
    pthread_mutex_lock(&gs.lock);
  }
  if (code) gs_context_kill(context, code);
  op->finish(op);
  free(op);
}

static void* stream_main(void* argument) {
  gs_stream* stream = argument;
  gs_guard_install();
  pthread_mutex_lock(&gs.lock);
  for (;;) {
    if (stream->head && !stands(stream) && !is_behind(stream)) {
      gs_op* op = stream->head;
      stream->head = op->next;
      if (!stream->head) stream->tail = NULL;
      stream->running = op->place;
      run_op(stream, op);
      stream->running = 0;
      stream->completed++;
      wake_sharers(stream);
      gs_changed();
    } else if (!stream->head && stream->closing) {
      break;
    } else {
      pthread_cond_wait(&stream->wake, &gs.lock);
    }
  }
  gs_unref(&stream->object);
  pthread_mutex_unlock(&gs.lock);
  gs_grid_thread_end();
  return NULL;
}

int gs_stream_create(gs_context* context, unsigned flags, int priority, gs_handle* handle) {
  if (flags & ~(unsigned)GS_STREAM_NON_BLOCKING) return GS_INVALID_VALUE;
  int code = gs_idle(1u << context->device);
  if (code) return code;
  gs_stream* stream = calloc(1, sizeof *stream);
  stream->flags = flags;
  if (gs.hardware_queues) stream->hardware_queue = gs.opened++ % gs.hardware_queues;
  stream->priority = priority;
  pthread_cond_init(&stream->wake, NULL);
  gs_object_add(&stream->object, GS_STREAM, context, stream_free);
  stream->random = gs.seed * 0x9E3779B97F4A7C15u + stream->object.id;
  gs_ref(&stream->object);  // the thread's own

  // Signals that concern the process are for other threads.
  sigset_t all, old;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  pthread_t thread;
  int failed = pthread_create(&thread, &attributes, stream_main, stream);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (failed) {
    gs_unref(&stream->object);
    gs_object_remove(&stream->object);
    return GS_OUT_OF_MEMORY;
  }
  pthread_setname_np(thread, "gpusim-stream");
  *handle = stream->object.id;
  return GS_OK;
}

void gs_stream_end(gs_stream* stream) {
  if (stream->captured) gs_misuse("the stream is destroyed while it is being captured");
  stream->closing = 1;
  pthread_cond_signal(&stream->wake);
  wake_sharers(stream);  // which do not see it any more
}

int gs_stream_destroy(gs_handle handle) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  int device = stream->object.context->device;
  int code = gs_idle(1u << device);
  if (!code) code = gs_lock_gate(device);
  if (code) return code;
  stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  gs_stream_end(stream);
  gs_object_remove(&stream->object);
  return GS_OK;
}

int gs_stream_begin_capture(gs_context* context, gs_handle handle) {
  gs_stream* stream = gs_stream_of(context, handle);
  if (!stream) return GS_INVALID_HANDLE;
  if (stream->captured) {
    gs_misuse("the stream is being captured");
    return GS_INVALID_VALUE;
  }
  return gs_graph_create(context, &stream->captured);
}

int gs_stream_end_capture(gs_context* context, gs_handle handle, gs_handle* graph) {
  gs_stream* stream = gs_stream_of(context, handle);
  if (!stream) return GS_INVALID_HANDLE;
  if (!stream->captured) {
    gs_misuse("the stream is not being captured");
    return GS_INVALID_VALUE;
  }
  if (stream->launching) gs_misuse("the capture ends before a launch of the library that is a part of it");
  *graph = stream->captured;
  stream->captured = 0;
  return GS_OK;
}

void gs_stream_drop_capture(gs_handle handle) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream || !stream->captured) return;
  gs_graph_destroy(stream->captured);
  stream->captured = 0;
}

int gs_stream_is_capturing(gs_handle handle, int* is) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  *is = stream->captured != 0;
  return GS_OK;
}

int gs_enqueue(gs_stream* stream, gs_op* op) {
  if (stream->captured) gs_misuse("only collectives can be captured");
  op->next = NULL;
  op->call = gs_call_name();
  op->place = ++gs.places;
  if (stream->tail) {
    stream->tail->next = op;
  } else {
    stream->head = op;
  }
  stream->tail = op;
  stream->enqueued++;
  pthread_cond_signal(&stream->wake);
  return GS_OK;
}

// Waits for what is enqueued now.
int gs_stream_drain(gs_stream* stream) {
  gs_context* context = stream->object.context;
  uint64_t target = stream->enqueued;
  gs_ref(&stream->object);
  while (stream->completed < target && !context->sticky) gs_wait_change(UINT64_MAX);
  int code = context->sticky;
  gs_unref(&stream->object);
  return code;
}

int gs_stream_synchronize(gs_handle handle) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  int device = stream->object.context->device;
  int code = gs_stream_drain(stream);
  gs_pools_settle(device);
  return code;
}

int gs_stream_query(gs_handle handle) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  if (stream->object.context->sticky) return stream->object.context->sticky;
  return stream->completed < stream->enqueued ? GS_NOT_READY : GS_OK;
}

int gs_stream_info(gs_handle handle, unsigned* flags, int* priority, gs_handle* context) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  if (flags) *flags = stream->flags;
  if (priority) *priority = stream->priority;
  if (context) *context = stream->object.context->object.id;
  return GS_OK;
}

typedef struct {
  gs_op op;
  void (*function)(void*);
  void* data;
} host_op;

static int host_run(gs_op* op) {
  ((host_op*)op)->function(((host_op*)op)->data);
  return GS_OK;
}

static void nothing(gs_op* op) { (void)op; }

int gs_stream_host_function(gs_handle handle, void (*function)(void*), void* data) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  if (!function) return GS_INVALID_VALUE;
  host_op* op = calloc(1, sizeof *op);
  op->op.what = "@host";
  op->op.run = host_run;
  op->op.finish = nothing;
  op->function = function;
  op->data = data;
  return gs_enqueue(stream, &op->op);
}
