// SPDX-License-Identifier: Apache-2.0
// Communicators: one for each rank of a clique. Each is for one thread at a time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective.h"

static gs_comm* live;

void gs_clique_unref(gs_clique* clique) {
  if (--clique->refs > 0) return;
  if (clique->graphs) gs_group_launch_unref(clique->graphs);
  free(clique);
}

static void comm_free(gs_object* object) {
  gs_comm* comm = (gs_comm*)object;
  if (comm->open) gs_group_launch_unref(comm->open);
  gs_clique_unref(comm->clique);
  free(comm);
}

gs_comm* gs_comm_find(gs_handle handle) { return gs_find(handle, GS_COMMUNICATOR); }

static void comm_make(gs_clique* clique, int rank, int device) {
  gs_comm* comm = calloc(1, sizeof *comm);
  comm->clique = clique;
  comm->rank = rank;
  comm->device = device;
  clique->refs++;
  gs_object_add(&comm->object, GS_COMMUNICATOR, NULL, comm_free);
  comm->next = live;
  live = comm;
}

static void comm_remove(gs_comm* comm) {
  for (gs_comm** at = &live; *at; at = &(*at)->next) {
    if (*at == comm) {
      *at = comm->next;
      gs_object_remove(&comm->object);
      return;
    }
  }
}

int gs_comm_ends(gs_comm* comm) { return comm->aborted || comm->told; }

int gs_comm_use(gs_comm* comm) {
  if (comm->used && !pthread_equal(comm->user, pthread_self())) {
    gs_misuse("the communicator of rank %d is in use by another thread", comm->rank);
    return GS_CO_INVALID_USAGE;
  }
  comm->user = pthread_self();
  comm->used++;
  return GS_CO_OK;
}

void gs_comm_unuse(gs_comm* comm) { comm->used--; }

void gs_comm_link(gs_comm* comm) {
  comm->linked = 1;
  comm->linker = pthread_self();
}

// Any call but the one that asks for its state completes what has ended behind the calls. The thread that began it may
// be gone, and its memory with it, when another one does that.
void gs_comm_complete(gs_comm* comm) {
  if (comm->linked && !pthread_equal(comm->linker, pthread_self())) {
    gs_misuse("what another thread has begun for rank %d was not completed by it", comm->rank);
  }
  comm->linked = 0;
}

static uint64_t ids;

GS_EXPORT int gpusim_ncclGetUniqueId(gs_unique_id* id) {
  GS_COLLECTIVE(ncclGetUniqueId)
  if (!id) return GS_CO_INVALID_ARGUMENT;
  memset(id, 0x5a, sizeof *id);  // all of it is passed on
  ids++;
  memcpy(id->internal, &ids, sizeof ids);
  return GS_CO_OK;
}

static int is_id(const gs_unique_id* id) {
  for (size_t i = sizeof ids; i < sizeof *id; i++) {
    if (id->internal[i] != 0x5a) return 0;
  }
  return 1;
}

static gs_clique* clique_of(uint64_t id, int count) {
  for (gs_comm* comm = live; comm; comm = comm->next) {
    if (comm->clique->id == id && comm->clique->count == count) return comm->clique;
  }
  gs_clique* clique = calloc(1, sizeof *clique);
  clique->count = count;
  clique->id = id;
  return clique;
}

// On the thread's device, within a group. What takes time goes on behind the group's end.
GS_EXPORT int gpusim_ncclCommInitRankConfig(gs_handle* handle, int count, gs_unique_id unique, int rank,
                                            const gs_comm_config* config) {
  enum { MAGIC = 0xcafebeef, FIRST = 21400 };
  GS_COLLECTIVE(ncclCommInitRankConfig)
  if (!handle || count < 1 || count > GS_MAX_DEVICES || rank < 0 || rank >= count || !is_id(&unique)) {
    gs_misuse("its arguments are not those of a rank");
    return GS_CO_INVALID_ARGUMENT;
  }
  if (!config || config->size < sizeof *config || config->magic != MAGIC || config->version < FIRST || config->blocking) {
    gs_misuse("its configuration is not one of a communicator that does not block");
    return GS_CO_INVALID_ARGUMENT;
  }
  uint64_t id;
  memcpy(&id, unique.internal, sizeof id);
  int device = gs_device_of_thread();
  gs_clique* clique = clique_of(id, count);
  for (gs_comm* comm = live; comm; comm = comm->next) {
    if (comm->clique == clique && (comm->rank == rank || comm->device == device)) {
      gs_misuse("rank %d or device %d is in the clique already", rank, device);
      return GS_CO_INVALID_USAGE;
    }
  }
  if (gs_idle(1u << device)) return GS_CO_SYSTEM_ERROR;  // it allocates, and loads modules
  comm_make(clique, rank, device);
  live->nonblocking = 1;
  live->making = 1;
  gs_comm_link(live);
  clique->joined |= 1u << rank;
  *handle = live->object.id;
  return gs_group_init();
}

static int hangs(const char* point, gs_comm* comm) {
  char name[32];
  snprintf(name, sizeof name, "%s %d", point, comm->rank);
  return gs_collective_hangs(name);
}

// What it is doing behind the calls, or how that has failed.
static int state(gs_comm* comm) {
  if (comm->error) return comm->error;
  if (comm->making) {
    if (comm->clique->joined != (1u << comm->clique->count) - 1 || hangs("@init", comm)) return GS_CO_IN_PROGRESS;
    comm->making = 0;
  }
  if (comm->launching) return GS_CO_IN_PROGRESS;
  return comm->finalized && (comm->parts || comm->captured || hangs("@finalize", comm)) ? GS_CO_IN_PROGRESS : GS_CO_OK;
}

// Begins its end, which is asked for.
GS_EXPORT int gpusim_ncclCommFinalize(gs_handle handle) {
  GS_COLLECTIVE(ncclCommFinalize)
  gs_comm* comm = gs_comm_find(handle);
  if (!comm) return GS_CO_INVALID_ARGUMENT;
  if (comm->finalized) gs_misuse("the communicator of rank %d is finalized already", comm->rank);
  if (comm->captured) gs_misuse("the communicator of rank %d is finalized before its graphs are destroyed", comm->rank);
  gs_comm_complete(comm);
  comm->finalized = 1;
  return state(comm);
}

GS_EXPORT int gpusim_ncclCommInitAll(gs_handle* comms, int count, const int* devices) {
  GS_COLLECTIVE(ncclCommInitAll)
  if (!comms || count < 1 || count > GS_MAX_DEVICES) return GS_CO_INVALID_ARGUMENT;
  gs_context_ensure();
  unsigned used = 0;
  for (int i = 0; i < count; i++) {
    int device = devices ? devices[i] : i;
    if (device < 0 || device >= gs.devices) return GS_CO_INVALID_ARGUMENT;
    if (used >> device & 1) return GS_CO_INVALID_USAGE;
    used |= 1u << device;
  }
  if (gs_idle(used)) return GS_CO_SYSTEM_ERROR;  // it allocates, and loads modules
  gs_clique* clique = calloc(1, sizeof *clique);
  clique->count = count;
  for (int i = 0; i < count; i++) {
    comm_make(clique, i, devices ? devices[i] : i);
    comms[i] = live->object.id;
  }
  return GS_CO_OK;
}

// Waits for its parts, however long they take.
GS_EXPORT int gpusim_ncclCommDestroy(gs_handle handle) {
  GS_COLLECTIVE(ncclCommDestroy)
  gs_comm* comm = gs_comm_find(handle);
  if (!comm) return GS_CO_INVALID_ARGUMENT;
  int code = gs_comm_use(comm);
  if (code) return code;
  if (comm->nonblocking && (!comm->finalized || state(comm) == GS_CO_IN_PROGRESS)) {
    gs_misuse("the communicator of rank %d is destroyed before it is finalized", comm->rank);
  }
  gs_comm_complete(comm);
  uint64_t generation = gs.generation;
  gs_ref(&comm->object);
  while ((comm->parts || hangs("ncclCommDestroy", comm)) && gs.generation == generation) gs_wait_change(UINT64_MAX);
  if (gs.generation == generation && !gs_idle(1u << comm->device) && !gs_quiet(comm->device)) {
    comm_remove(comm);
  } else {
    code = GS_CO_SYSTEM_ERROR;
  }
  gs_comm_unuse(comm);
  gs_unref(&comm->object);
  return code;
}

// Its kernels see that at once, and so does a launch behind the calls, which is over when this returns.
static void tell(gs_comm* comm) {
  uint64_t generation = gs.generation;
  comm->told = 1;
  if (comm->open) gs_group_launch_close(comm->open);
  gs_changed();
  gs_ref(&comm->object);
  while (comm->launching && gs.generation == generation) gs_wait_change(UINT64_MAX);
  gs_unref(&comm->object);
}

// Its parts end, as if they were over, and those of the other ranks do not. Waits until its streams are past them: one
// whose turn has not come ends when it comes. It may be made to hang for one rank. Those of one group are aborted together,
// by its end. As long as there are graphs with parts of it, it does not return.
GS_EXPORT int gpusim_ncclCommAbort(gs_handle handle) {
  GS_COLLECTIVE(ncclCommAbort)
  gs_comm* comm = gs_comm_find(handle);
  if (!comm) return GS_CO_INVALID_ARGUMENT;
  if (!gs_group_abort(comm)) return gs_comms_abort(&handle, 1);
  if (!hangs("ncclCommAbort", comm)) tell(comm);
  return GS_CO_OK;
}

static void abort_one(gs_comm* comm) {
  if (!gs_comm_use(comm)) gs_comm_unuse(comm);  // what was wrong with it is told
  comm->aborted = 1;
  comm_remove(comm);
  gs_changed();
}

int gs_comms_abort(const gs_handle* handles, int count) {
  gs_comm* comms[GS_MAX_DEVICES];
  int done[GS_MAX_DEVICES] = {0}, left = 0;
  uint64_t generation = gs.generation;
  for (int i = 0; i < count; i++) {
    comms[i] = gs_comm_find(handles[i]);
    if (comms[i]) gs_ref(&comms[i]->object);
    left += comms[i] != NULL;
  }
  while (left && gs.generation == generation) {
    for (int i = 0; i < count; i++) {
      if (!comms[i] || done[i] || hangs("ncclCommAbort", comms[i])) continue;
      abort_one(comms[i]);
      done[i] = 1;
      left--;
    }
    if (left) gs_wait_change(UINT64_MAX);
  }
  for (int i = 0; i < count; i++) {
    if (!comms[i]) continue;
    while ((comms[i]->parts || comms[i]->launching || comms[i]->captured) && gs.generation == generation) gs_wait_change(UINT64_MAX);
    if (gs.generation == generation) gs_quiet(comms[i]->device);  // if all was reset meanwhile, there is nothing to tell
    gs_unref(&comms[i]->object);
  }
  return gs.generation == generation ? GS_CO_OK : GS_CO_SYSTEM_ERROR;
}

// May be called by any thread, but for one that launches.
GS_EXPORT int gpusim_ncclCommGetAsyncError(gs_handle handle, int* error) {
  GS_COLLECTIVE(ncclCommGetAsyncError)
  gs_comm* comm = gs_comm_find(handle);
  if (!comm || !error) return GS_CO_INVALID_ARGUMENT;
  if (comm->launching && !pthread_equal(comm->linker, pthread_self())) {
    gs_misuse("rank %d is asked by another thread than the one that launches", comm->rank);
  }
  *error = state(comm);
  return GS_CO_OK;
}

GS_EXPORT int gpusim_ncclCommCount(gs_handle handle, int* count) {
  GS_COLLECTIVE(ncclCommCount)
  gs_comm* comm = gs_comm_find(handle);
  if (!comm || !count) return GS_CO_INVALID_ARGUMENT;
  if (state(comm) == GS_CO_IN_PROGRESS) return GS_CO_INVALID_ARGUMENT;
  gs_comm_complete(comm);
  *count = comm->clique->count;
  return GS_CO_OK;
}

// Of all with that rank; 0 takes it back.
GS_EXPORT void gpusim_collective_error(int rank, int code) {
  pthread_mutex_lock(&gs.lock);
  for (gs_comm* comm = live; comm; comm = comm->next) {
    if (comm->rank == rank) comm->error = code;
  }
  pthread_mutex_unlock(&gs.lock);
}

void gs_comms_reset(void) {
  while (live) {
    live->aborted = 1;
    comm_remove(live);
  }
}
