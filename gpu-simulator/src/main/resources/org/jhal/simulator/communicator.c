// Communicators: one for each rank of a clique. Each is for one thread at a time.
#include <stdio.h>
#include <stdlib.h>

#include "collective.h"

static gs_comm* live;

static void comm_free(gs_object* object) {
  gs_comm* comm = (gs_comm*)object;
  if (--comm->clique->refs == 0) free(comm->clique);
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

GS_EXPORT int gpusim_ncclCommInitAll(gs_handle* comms, int count, const int* devices) {
  GS_COLLECTIVE(ncclCommInitAll)
  if (!comms || count < 1 || count > GS_MAX_DEVICES) return GS_CO_INVALID_ARGUMENT;
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
  uint64_t generation = gs.generation;
  gs_ref(&comm->object);
  while (comm->parts && gs.generation == generation) gs_wait_change(UINT64_MAX);
  if (gs.generation == generation && !gs_idle(1u << comm->device) && !gs_quiet(comm->device)) {
    comm_remove(comm);
  } else {
    code = GS_CO_SYSTEM_ERROR;
  }
  gs_comm_unuse(comm);
  gs_unref(&comm->object);
  return code;
}

// Its parts end, as if they were over, and those of the other ranks do not. Waits until its streams are past them: one
// whose turn has not come ends when it comes. It may be made to hang for one rank.
GS_EXPORT int gpusim_ncclCommAbort(gs_handle handle) {
  GS_COLLECTIVE(ncclCommAbort)
  gs_comm* comm = gs_comm_find(handle);
  if (!comm) return GS_CO_INVALID_ARGUMENT;
  char name[32];
  snprintf(name, sizeof name, "ncclCommAbort %d", comm->rank);
  int code = gs_collective_hang(name);
  if (code) return code;
  if (!gs_comm_use(comm)) gs_comm_unuse(comm);  // what was wrong with it is told
  uint64_t generation = gs.generation;
  gs_ref(&comm->object);
  comm->aborted = 1;
  comm_remove(comm);
  gs_changed();
  while (comm->parts && gs.generation == generation) gs_wait_change(UINT64_MAX);
  if (gs.generation == generation) gs_quiet(comm->device);  // if all was reset meanwhile, there is nothing to tell
  gs_unref(&comm->object);
  return GS_CO_OK;
}

// May be called by any thread.
GS_EXPORT int gpusim_ncclCommGetAsyncError(gs_handle handle, int* error) {
  GS_COLLECTIVE(ncclCommGetAsyncError)
  gs_comm* comm = gs_comm_find(handle);
  if (!comm || !error) return GS_CO_INVALID_ARGUMENT;
  *error = comm->error;
  return GS_CO_OK;
}

GS_EXPORT int gpusim_ncclCommCount(gs_handle handle, int* count) {
  GS_COLLECTIVE(ncclCommCount)
  gs_comm* comm = gs_comm_find(handle);
  if (!comm || !count) return GS_CO_INVALID_ARGUMENT;
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
