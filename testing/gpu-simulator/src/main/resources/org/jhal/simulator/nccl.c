// SPDX-License-Identifier: Apache-2.0
// A library of collectives under a vendor's name: it forwards to the simulated driver library, which must be loaded.
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NCCL __attribute__((visibility("default")))

typedef uint64_t ncclComm_t;
typedef uint64_t stream_t;

typedef struct {
  char internal[128];
} ncclUniqueId;

enum { NCCL_SUCCESS = 0, NCCL_SYSTEM_ERROR = 2, NCCL_INVALID_ARGUMENT = 4 };

static void* find(const char* name) {
  void* driver = dlopen(GPUSIM_DRIVER, RTLD_NOW | RTLD_NOLOAD);
  void* function = driver ? dlsym(driver, name) : NULL;
  if (driver) dlclose(driver);
  return function;
}

static atomic_int calls;                  // that have not returned
static _Atomic(const char*) latest_call; // as it began

// The vendors' threads crash when the process ends during a call.
__attribute__((destructor)) static void end_process(void) {
  if (calls > 0 && getenv("GPUSIM_STRICT_EXIT")) {
    fprintf(stderr, "gpusim: the process ends during %d calls; %s began last\n", calls, latest_call);
    _exit(70);
  }
}

#define FORWARD(name, parameters, arguments)                         \
  NCCL int name parameters {                                         \
    static int(*function) parameters;                                \
    if (!function) *(void**)&function = find("gpusim_" #name);       \
    calls++;                                                         \
    latest_call = #name;                                             \
    int code = function ? function arguments : NCCL_SYSTEM_ERROR;    \
    calls--;                                                         \
    return code;                                                     \
  }

#define TEXT(name, parameters, arguments)                            \
  NCCL const char* name parameters {                                 \
    static const char*(*function) parameters;                        \
    if (!function) *(void**)&function = find("gpusim_" #name);       \
    return function ? function arguments : "no simulated driver";    \
  }

#define DATA const void *from, void *to, size_t count, int type
#define END ncclComm_t comm, stream_t stream

NCCL int ncclGetVersion(int* version) {
  if (!version) return NCCL_INVALID_ARGUMENT;
  *version = GPUSIM_VERSION;
  return NCCL_SUCCESS;
}

TEXT(ncclGetErrorString, (int code), (code))
TEXT(ncclGetLastError, (ncclComm_t comm), (comm))
FORWARD(ncclCommInitAll, (ncclComm_t * comms, int count, const int* devices), (comms, count, devices))
FORWARD(ncclGetUniqueId, (ncclUniqueId * id), (id))
#if GPUSIM_VERSION >= 21400
FORWARD(ncclCommInitRankConfig, (ncclComm_t * comm, int count, ncclUniqueId id, int rank, const void* config),
        (comm, count, id, rank, config))
FORWARD(ncclCommFinalize, (ncclComm_t comm), (comm))
#endif
FORWARD(ncclCommDestroy, (ncclComm_t comm), (comm))
FORWARD(ncclCommAbort, (ncclComm_t comm), (comm))
FORWARD(ncclCommGetAsyncError, (ncclComm_t comm, int* error), (comm, error))
FORWARD(ncclCommCount, (ncclComm_t comm, int* count), (comm, count))
FORWARD(ncclGroupStart, (void), ())
FORWARD(ncclGroupEnd, (void), ())
FORWARD(ncclAllReduce, (DATA, int reduction, END), (from, to, count, type, reduction, comm, stream))
FORWARD(ncclBroadcast, (DATA, int root, END), (from, to, count, type, root, comm, stream))
FORWARD(ncclReduce, (DATA, int reduction, int root, END), (from, to, count, type, reduction, root, comm, stream))
FORWARD(ncclAllGather, (DATA, END), (from, to, count, type, comm, stream))
FORWARD(ncclReduceScatter, (DATA, int reduction, END), (from, to, count, type, reduction, comm, stream))
FORWARD(ncclSend, (const void* from, size_t count, int type, int peer, END), (from, count, type, peer, comm, stream))
FORWARD(ncclRecv, (void* to, size_t count, int type, int peer, END), (to, count, type, peer, comm, stream))
