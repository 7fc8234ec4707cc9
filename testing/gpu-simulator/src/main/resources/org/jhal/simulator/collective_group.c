// SPDX-License-Identifier: Apache-2.0
// Calls of ranks, and groups of them: what lies between start and end is launched by the end, one rank after the other.
#include <stdlib.h>

#include "collective.h"

static __thread struct {
  uint64_t generation;
  int depth;
  int code;  // of the first call that failed
  int count, capacity;
  gs_call* calls;
  int inits;
  int aborts;
  gs_handle aborted[GS_MAX_DEVICES];
} group;

static uint64_t launches;

GS_EXPORT uint64_t gpusim_collective_launches(void) {
  pthread_mutex_lock(&gs.lock);
  uint64_t count = launches;
  pthread_mutex_unlock(&gs.lock);
  return count;
}

void gs_groups_reset(void) { launches = 0; }

void gs_group_launched(void) { launches++; }

static void drop_calls(void) {
  for (int i = 0; i < group.count; i++) {
    gs_comm_unuse(group.calls[i].comm);
    gs_unref(&group.calls[i].comm->object);
  }
  group.count = 0;
  group.inits = 0;
  group.aborts = 0;
  group.code = GS_CO_OK;
}

// After a reset no thread has a group.
static void freshen(void) {
  if (group.generation == gs.generation) return;
  drop_calls();
  group.depth = 0;
  group.generation = gs.generation;
}

static int is_first_of_rank(const gs_call* calls, int index) {
  for (int i = 0; i < index; i++) {
    if (calls[i].comm == calls[index].comm) return 0;
  }
  return 1;
}

// Launches what a rank is called for.
static int launch_rank(gs_group_launch* launch, const gs_call* calls, int count, int index, int alone, unsigned ranks) {
  gs_comm* comm = calls[index].comm;
  if (gs_idle_gate()) return GS_CO_SYSTEM_ERROR;
  int for_good;
  int code = gs_fault("@launch", &for_good);
  if (code) return code;
  gs_stream* stream = gs_stream_find(calls[index].stream);
  if (!stream) return GS_CO_INVALID_ARGUMENT;
  if (gs_comm_ends(comm)) return GS_CO_INVALID_USAGE;
  if (stream->captured) return gs_capture(stream, calls + index, count - index, ranks);
  gs_part* part = gs_part_make(launch, comm, stream, count - index);
  for (int i = index; i < count && !code; i++) {
    if (calls[i].comm == comm) code = gs_meeting_join(part, &calls[i], alone);
  }
  if (code) {
    gs_part_drop(part);
    free(part);
  } else {
    gs_part_launch(part, stream);
  }
  return code;
}

// What another thread is let in for, between two ranks. An abort ends it if it goes on behind the calls.
int gs_group_gap(gs_comm* const* comms, int count) {
  uint64_t nanos = gs_delay_of("@gap");
  if (nanos) {
    pthread_mutex_unlock(&gs.lock);
    gs_sleep(nanos);
    pthread_mutex_lock(&gs.lock);
  }
  uint64_t generation = gs.generation;
  while (gs_collective_hangs("@gap") && gs.generation == generation) {
    for (int i = 0; i < count; i++) {
      if (gs_comm_ends(comms[i]) && comms[i]->nonblocking) return GS_CO_INVALID_USAGE;
    }
    gs_wait_change(UINT64_MAX);
  }
  return gs.generation == generation ? GS_CO_OK : GS_CO_SYSTEM_ERROR;
}

static int launch(const gs_call* calls, int count, int alone) {
  gs_group_launch* launch = gs_group_launch_open();
  gs_comm* comms[GS_MAX_DEVICES];
  int ranks = 0, code = GS_CO_OK;
  unsigned mask = 0;
  for (int i = 0; i < count; i++) {
    if (!is_first_of_rank(calls, i)) continue;
    comms[ranks++] = calls[i].comm;
    mask |= 1u << calls[i].comm->rank;
  }
  for (int i = 0; i < count && !code; i++) {
    if (!is_first_of_rank(calls, i)) continue;
    if (i) code = gs_group_gap(comms, ranks);
    if (!code) code = launch_rank(launch, calls, count, i, alone, mask);
  }
  gs_group_launch_close(launch);
  gs_group_launch_unref(launch);
  return code;
}

// Null if there is none, which the launch reports.
static gs_stream* stream_of(const gs_call* call) {
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->id == call->stream && o->kind == GS_STREAM) return (gs_stream*)o;
  }
  return NULL;
}

// A launch behind the end of its group.
typedef struct {
  int count;
  gs_call* calls;
} background;

static void* launch_behind(void* of) {
  background* own = of;
  pthread_mutex_lock(&gs.lock);
  gs_call_begin("ncclGroupEnd");
  int code = launch(own->calls, own->count, 0);
  for (int i = 0; i < own->count; i++) {
    gs_comm* comm = own->calls[i].comm;
    comm->launching--;
    if (own->calls[i].launching) {
      own->calls[i].launching->launching--;
      gs_unref(&own->calls[i].launching->object);
    }
    if (code && !comm->error) comm->error = code;
    gs_unref(&comm->object);
  }
  gs_changed();
  pthread_mutex_unlock(&gs.lock);
  free(own->calls);
  free(own);
  return NULL;
}

static int start_behind(void) {
  background* own = calloc(1, sizeof *own);
  own->count = group.count;
  own->calls = group.calls;
  group.count = group.capacity = 0;
  group.calls = NULL;
  for (int i = 0; i < own->count; i++) {
    own->calls[i].comm->launching++;
    own->calls[i].launching = stream_of(&own->calls[i]);
    if (own->calls[i].launching) {
      own->calls[i].launching->launching++;
      gs_ref(&own->calls[i].launching->object);
    }
    gs_comm_link(own->calls[i].comm);
    gs_comm_unuse(own->calls[i].comm);
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, launch_behind, own)) abort();
  pthread_detach(thread);
  return GS_CO_IN_PROGRESS;
}

int gs_group_init(void) {
  freshen();
  if (!group.depth) {
    gs_misuse("a rank is made by itself, outside of a group");
    return GS_CO_INVALID_USAGE;
  }
  group.inits++;
  return GS_CO_OK;
}

int gs_group_abort(gs_comm* comm) {
  freshen();
  if (!group.depth || group.aborts == GS_MAX_DEVICES) return 0;
  group.aborted[group.aborts++] = comm->object.id;
  return 1;
}

// What a rank does in one group is done in one stream.
static int check_group(const gs_call* call) {
  for (int i = 0; i < group.count; i++) {
    if (group.calls[i].comm != call->comm || group.calls[i].stream == call->stream) continue;
    gs_misuse("rank %d is called for two streams in one group", call->comm->rank);
    return GS_CO_INVALID_USAGE;
  }
  return GS_CO_OK;
}

static void add(const gs_call* call) {
  if (group.count == group.capacity) {
    group.capacity = group.capacity ? group.capacity * 2 : 16;
    group.calls = realloc(group.calls, (size_t)group.capacity * sizeof *group.calls);
  }
  group.calls[group.count++] = *call;
  gs_ref(&call->comm->object);
}

// Takes a call: launches it, or adds it to the thread's group.
static int take(gs_handle handle, gs_call call) {
  call.comm = gs_comm_find(handle);
  if (!call.comm) return GS_CO_INVALID_ARGUMENT;
  gs_comm* comm = call.comm;
  int code = gs_comm_use(comm);
  if (code) return code;
  gs_comm_complete(comm);
  gs_ref(&comm->object);
  code = gs_call_check(&call);
  if (!code) code = check_group(&call);
  if (!code && call.count && group.depth) {
    add(&call);  // which goes on using it
  } else {
    if (!code && call.count) code = launch(&call, 1, 1);
    gs_comm_unuse(comm);
  }
  gs_unref(&comm->object);
  return code;
}

#define CALL(name, comm, ...)                           \
  GS_COLLECTIVE_FRAME(name);                            \
  int code = gs_collective_enter(&site_, &frame);       \
  freshen();                                            \
  if (!code) code = take(comm, (gs_call){__VA_ARGS__}); \
  if (code && group.depth && !group.code) group.code = code; \
  return code

#define DATA uint64_t source, uint64_t target, size_t number, int element
#define GIVEN .from = source, .to = target, .count = number, .type = element, .stream = queue
#define END gs_handle comm, gs_handle queue

GS_EXPORT int gpusim_ncclAllReduce(DATA, int operation, END) {
  CALL(ncclAllReduce, comm, .kind = GS_ALL_REDUCE, .reduction = operation, GIVEN);
}

GS_EXPORT int gpusim_ncclBroadcast(DATA, int of, END) {
  CALL(ncclBroadcast, comm, .kind = GS_BROADCAST, .root = of, GIVEN);
}

GS_EXPORT int gpusim_ncclReduce(DATA, int operation, int of, END) {
  CALL(ncclReduce, comm, .kind = GS_REDUCE, .reduction = operation, .root = of, GIVEN);
}

GS_EXPORT int gpusim_ncclAllGather(DATA, END) { CALL(ncclAllGather, comm, .kind = GS_ALL_GATHER, GIVEN); }

GS_EXPORT int gpusim_ncclReduceScatter(DATA, int operation, END) {
  CALL(ncclReduceScatter, comm, .kind = GS_REDUCE_SCATTER, .reduction = operation, GIVEN);
}

GS_EXPORT int gpusim_ncclSend(uint64_t source, size_t number, int element, int peer, END) {
  uint64_t target = 0;
  CALL(ncclSend, comm, .kind = GS_SEND, .root = peer, GIVEN);
}

GS_EXPORT int gpusim_ncclRecv(uint64_t target, size_t number, int element, int peer, END) {
  uint64_t source = 0;
  CALL(ncclRecv, comm, .kind = GS_RECEIVE, .root = peer, GIVEN);
}

GS_EXPORT int gpusim_ncclGroupStart(void) {
  GS_COLLECTIVE(ncclGroupStart)
  freshen();
  group.depth++;
  return GS_CO_OK;
}

// Ends the group whether it fails or not; then what it has launched is never over.
GS_EXPORT int gpusim_ncclGroupEnd(void) {
  GS_COLLECTIVE_FRAME(ncclGroupEnd);
  int code = gs_collective_enter(&site_, &frame);
  freshen();
  if (!group.depth) {
    gs_misuse("no group was started on this thread");
    return GS_CO_INVALID_USAGE;
  }
  if (--group.depth) return code;
  if (!code) code = group.code;
  int inits = group.inits;
  if (group.aborts) {
    int aborts = gs_comms_abort(group.aborted, group.aborts);
    if (!code) code = aborts;
  }
  gs_stream* first = group.count ? stream_of(&group.calls[0]) : NULL;
  if (group.count && !(first && first->captured)) launches++;
  if (!code && group.count) {
    code = group.calls[0].comm->nonblocking ? start_behind() : launch(group.calls, group.count, 0);
  }
  if (!code && inits) code = GS_CO_IN_PROGRESS;
  drop_calls();
  return code;
}
