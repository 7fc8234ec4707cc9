// SPDX-License-Identifier: Apache-2.0
// Calls that wait until a device is idle, while they hold a lock that launches need. They are found out only if a part of
// a group has been launched on the device and other parts have not: those then never are, and the first one waits for them.
#include <stdlib.h>

#include "internal.h"

static int half(unsigned devices) {
  for (int i = 0; i < GS_MAX_DEVICES; i++) {
    if (devices >> i & 1 && gs.half[i]) return 1;
  }
  return 0;
}

int gs_idle(unsigned devices) {
  if (!half(devices)) return GS_OK;
  gs_misuse("it waits for a device with a part of a group, and keeps the other parts from being launched");
  uint64_t generation = gs.generation;
  gs.held++;
  while (half(devices) && gs.generation == generation) gs_wait_change(UINT64_MAX);
  gs.held--;
  gs_changed();
  return gs.generation == generation ? GS_OK : GS_CONTEXT_DESTROYED;
}

int gs_quiet(int device) {
  if (!gs.waits_for_quiet) return GS_OK;
  uint64_t generation = gs.generation;
  size_t count = 0, capacity = 0;
  struct { gs_stream* stream; uint64_t target; }* busy = NULL;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    gs_stream* stream = (gs_stream*)o;
    if (o->kind != GS_STREAM || o->context->device != device || stream->completed == stream->enqueued) continue;
    if (count == capacity) busy = realloc(busy, (capacity = 2 * capacity + 4) * sizeof *busy);
    gs_ref(o);
    busy[count].stream = stream;
    busy[count++].target = stream->enqueued;
  }
  for (size_t i = 0; i < count; i++) {
    gs_stream* stream = busy[i].stream;
    gs_context* context = stream->object.context;
    while (stream->completed < busy[i].target && !context->sticky && gs.generation == generation) {
      gs_wait_change(UINT64_MAX);
    }
    gs_unref(&stream->object);
  }
  free(busy);
  return gs.generation == generation ? GS_OK : GS_CONTEXT_DESTROYED;
}

int gs_quiet_locked(int device) {
  gs.locked[device]++;
  int code = gs_quiet(device);
  gs.locked[device]--;
  gs_changed();
  return code;
}

int gs_lock_gate(int device) {
  uint64_t generation = gs.generation;
  while (gs.locked[device] && gs.generation == generation) gs_wait_change(UINT64_MAX);
  return gs.generation == generation ? GS_OK : GS_CONTEXT_DESTROYED;
}

void gs_hop(int from, int to) {
  if (from != to && half(GS_EVERY_DEVICE)) {
    gs_misuse("a stream of device %d waits for device %d, between the launches of two parts of a group", to, from);
  }
}

int gs_idle_gate(void) {
  uint64_t generation = gs.generation;
  while (gs.held && gs.generation == generation) gs_wait_change(UINT64_MAX);
  return gs.generation == generation ? GS_OK : GS_CONTEXT_DESTROYED;
}

// Whether a group is launched in part.
GS_EXPORT int gpusim_collective_half(void) {
  pthread_mutex_lock(&gs.lock);
  int is = half(GS_EVERY_DEVICE);
  pthread_mutex_unlock(&gs.lock);
  return is;
}
