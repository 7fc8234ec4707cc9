// SPDX-License-Identifier: Apache-2.0
// Parts of groups as graphs: each launch of an instance puts a new part into a stream. The graphs of all ranks that were
// captured together are launched together, by one thread.
#include <stdlib.h>

#include "collective.h"

typedef struct {
  gs_captured captured;
  gs_comm* comm;
  unsigned ranks;  // that have a part, one bit each
  int count;
  gs_call calls[];
} captured_part;

static uint64_t parts;  // in graphs and their instances

GS_EXPORT uint64_t gpusim_collective_captured(void) {
  pthread_mutex_lock(&gs.lock);
  uint64_t count = parts;
  pthread_mutex_unlock(&gs.lock);
  return count;
}

static void destroy(gs_captured* captured) {
  captured_part* own = (captured_part*)captured;
  own->comm->captured--;
  parts--;
  gs_unref(&own->comm->object);
  free(own);
  gs_changed();
}

static void close_launch(gs_clique* clique) {
  gs_group_launch_close(clique->graphs);
  gs_group_launch_unref(clique->graphs);
  clique->graphs = NULL;
  clique->launched = 0;
}

static void leave(gs_captured* captured) {
  gs_clique* clique = ((captured_part*)captured)->comm->clique;
  if (clique->graphs) close_launch(clique);
}

static int put(captured_part* own, gs_group_launch* launch, gs_stream* stream) {
  gs_part* part = gs_part_make(launch, own->comm, stream, own->count);
  for (int i = 0; i < own->count; i++) {
    int code = gs_meeting_join(part, &own->calls[i], 0);
    if (!code) continue;
    gs_part_drop(part);
    free(part);
    return GS_INVALID_VALUE;
  }
  gs_part_launch(part, stream);
  return GS_OK;
}

static int launch(gs_captured* captured, gs_stream* stream) {
  captured_part* own = (captured_part*)captured;
  gs_comm* comm = own->comm;
  gs_clique* clique = comm->clique;
  unsigned bit = 1u << comm->rank;
  if (clique->launched & bit) {
    gs_misuse("the graph of rank %d is launched again before those of all ranks", comm->rank);
    close_launch(clique);
  }
  // An abort ends the wait; then the part that is launched ends by itself.
  if (clique->launched) gs_group_gap(&comm, 1);
  if (gs_idle_gate()) {
    leave(captured);
    return GS_CONTEXT_DESTROYED;
  }
  if (!clique->graphs) {
    clique->graphs = gs_group_launch_open();
    gs_group_launched();
  }
  int code = put(own, clique->graphs, stream);
  clique->launched |= bit;
  if (code || gs_comm_ends(comm) || (clique->launched & own->ranks) == own->ranks) close_launch(clique);
  return code;
}

// The calls of the first one's rank.
int gs_capture(gs_stream* stream, const gs_call* calls, int count, unsigned ranks) {
  captured_part* own = calloc(1, sizeof *own + (size_t)count * sizeof *own->calls);
  own->captured.launch = launch;
  own->captured.leave = leave;
  own->captured.destroy = destroy;
  own->comm = calls[0].comm;
  own->comm->captured++;
  parts++;
  gs_ref(&own->comm->object);
  own->ranks = ranks;
  for (int i = 0; i < count; i++) {
    if (calls[i].comm == own->comm) own->calls[own->count++] = calls[i];
  }
  return gs_graph_give(stream->captured, &own->captured) ? GS_CO_INVALID_USAGE : GS_CO_OK;
}
