// SPDX-License-Identifier: Apache-2.0
// Contexts, primary ones and others, and each thread's stack of them.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { DEPTH = 16 };
static const uint64_t PATIENCE = 5000000000;  // how long the end of a context waits for what runs

static __thread struct {
  uint64_t generation;
  int device, has_chosen;  // by number, which not every runtime offers
  int depth;
  gs_handle stack[DEPTH];
  gs_context* objects[DEPTH];  // referred to, so that a destroyed one is recognised
} current;

static void context_free(gs_object* object) { free(object); }

static gs_context* context_make(int device) {
  gs_context* context = calloc(1, sizeof *context);
  context->device = device;
  gs_object_add(&context->object, GS_CONTEXT, context, context_free);
  return context;
}

void gs_context_kill(gs_context* context, int code) {
  if (context->sticky) return;
  context->sticky = code;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->kind == GS_STREAM && o->context == context) pthread_cond_signal(&((gs_stream*)o)->wake);
  }
  gs_changed();
}

// Takes all that a context holds with it, after its work has ended.
void gs_context_end(gs_context* context) {
  gs_ref(&context->object);
  context->destroyed = 1;
  gs_context_kill(context, GS_CONTEXT_DESTROYED);
  uint64_t deadline = gs_nanos() + PATIENCE;
  int busy;
  for (;;) {
    busy = 0;
    for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
      gs_stream* stream = (gs_stream*)o;
      busy |= o->kind == GS_STREAM && o->context == context && stream->completed < stream->enqueued;
    }
    uint64_t now = gs_nanos();
    if (!busy || now > deadline) break;
    gs_wait_change(deadline - now);
  }
  for (gs_object* o = gs_first(NULL); o;) {
    if (o->context == context && o != &context->object) {
      if (!gs_is_part(o)) gs.abandoned[o->kind]++;
      if (o->kind == GS_STREAM) gs_stream_end((gs_stream*)o);
      gs_object_remove(o);
      o = gs_first(NULL);
    } else {
      o = gs_first(o);
    }
  }
  gs_blocks_end(context, busy);
  gs_peers_end(context);
  if (context->primary) gs.primary[context->device] = NULL;
  gs_object_remove(&context->object);
  gs_unref(&context->object);
}

static gs_context* primary(int device) {
  gs_context* context = gs.primary[device];
  if (!context) {
    context = context_make(device);
    context->primary = 1;
    gs.primary[device] = context;
  }
  return context;
}

int gs_primary_retain(int device, gs_handle* handle) {
  if (device < 0 || device >= gs.devices) return GS_INVALID_DEVICE;
  gs_context* context = primary(device);
  context->retains++;
  *handle = context->object.id;
  return GS_OK;
}

int gs_primary_release(int device) {
  if (device < 0 || device >= GS_MAX_DEVICES) return GS_INVALID_DEVICE;
  gs_context* context = gs.primary[device];
  if (!context) {
    gs_misuse("the primary context of device %d is not retained", device);
    return GS_INVALID_CONTEXT;
  }
  if (--context->retains == 0) gs_context_end(context);
  return GS_OK;
}

int gs_primary_reset(int device) {
  if (device < 0 || device >= GS_MAX_DEVICES) return GS_INVALID_DEVICE;
  if (gs.primary[device]) gs_context_end(gs.primary[device]);
  return GS_OK;
}

int gs_primary_active(int device) { return gs.primary[device] != NULL; }

int gs_context_create(int device, gs_handle* handle) {
  if (device < 0 || device >= gs.devices) return GS_INVALID_DEVICE;
  gs_context* context = context_make(device);
  context->retains = 1;
  *handle = context->object.id;
  return gs_current_push(*handle);
}

int gs_context_destroy(gs_handle handle) {
  gs_context* context = gs_find(handle, GS_CONTEXT);
  if (!context || context->primary) return GS_INVALID_CONTEXT;
  if (gs_current() == handle) gs_current_pop(&handle);
  gs_context_end(context);
  return GS_OK;
}

int gs_context_synchronize(gs_context* context) {
  gs_ref(&context->object);
  for (gs_object* o = gs_first(NULL); o;) {
    gs_stream* stream = (gs_stream*)o;
    if (o->kind == GS_STREAM && o->context == context && stream->completed < stream->enqueued && !context->sticky) {
      gs_stream_drain(stream);
      o = gs_first(NULL);  // the table may have changed meanwhile
    } else {
      o = gs_first(o);
    }
  }
  gs_pools_settle(context->device);
  int code = context->sticky;
  gs_unref(&context->object);
  return code;
}

int gs_context_device(gs_context* context) { return context->device; }
gs_handle gs_context_handle(gs_context* context) { return context->object.id; }
gs_context* gs_context_find(gs_handle handle) { return gs_find(handle, GS_CONTEXT); }

// After a reset no thread has a context.
static void freshen(void) {
  if (current.generation == gs.generation) return;
  while (current.depth > 0) gs_unref(&current.objects[--current.depth]->object);
  current.device = current.has_chosen = 0;
  current.generation = gs.generation;
}

gs_context* gs_current_context(void) {
  freshen();
  return current.depth ? current.objects[current.depth - 1] : NULL;
}

gs_handle gs_current(void) {
  gs_context* context = gs_current_context();
  return context ? context->object.id : 0;
}

int gs_current_push(gs_handle handle) {
  freshen();
  gs_context* context = gs_find(handle, GS_CONTEXT);
  if (!context) return GS_INVALID_CONTEXT;
  if (current.depth == DEPTH) return GS_INVALID_VALUE;
  gs_ref(&context->object);
  current.stack[current.depth] = handle;
  current.objects[current.depth++] = context;
  return GS_OK;
}

int gs_current_pop(gs_handle* handle) {
  freshen();
  if (!current.depth) return GS_INVALID_CONTEXT;
  *handle = current.stack[--current.depth];
  gs_unref(&current.objects[current.depth]->object);
  return GS_OK;
}

int gs_current_set(gs_handle handle) {
  freshen();
  if (current.depth && current.stack[current.depth - 1] == handle && !current.objects[current.depth - 1]->destroyed) {
    return GS_OK;
  }
  gs_context* context = handle ? gs_find(handle, GS_CONTEXT) : NULL;
  if (handle && !context) return GS_INVALID_CONTEXT;
  gs_handle old;
  if (current.depth) gs_current_pop(&old);
  return handle ? gs_current_push(handle) : GS_OK;
}

int gs_device_set(int device) {
  freshen();
  if (device < 0 || device >= gs.devices) return GS_INVALID_DEVICE;
  current.device = device;
  current.has_chosen = 1;
  return GS_OK;
}

int gs_device_get(void) {
  freshen();
  return current.device;
}

int gs_device_of_thread(void) {
  freshen();
  gs_context* context = gs_current_context();
  return current.has_chosen || !context ? current.device : context->device;
}

// As the vendors' runtimes do for a thread that has none: it gets that of its device, the first one unless it has chosen,
// which they never release.
void gs_context_ensure(void) {
  gs_handle handle;
  if (!gs_current_context() && !gs_primary_retain(current.device, &handle)) gs_current_push(handle);
}

gs_context* gs_device_context(void) {
  freshen();
  gs_current_set(primary(current.device)->object.id);
  return gs_current_context();
}

void gs_contexts_reset(void) {
  for (gs_object* o = gs_first(NULL); o;) {
    if (o->kind == GS_CONTEXT) {
      gs_context_end((gs_context*)o);
      o = gs_first(NULL);
    } else {
      o = gs_first(o);
    }
  }
}
