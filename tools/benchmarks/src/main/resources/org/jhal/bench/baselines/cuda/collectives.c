// SPDX-License-Identifier: Apache-2.0
/*
 * Sums of floats over two devices, in place, by NCCL. SIZE is the number of bytes:
 *
 *   all-reduce         and the host waits for each
 *   all-reduce-chain   one behind the other, and the host waits at the end
 *
 * Each sum doubles every float, so there are at most MOST of them in a row.
 */
#include "peers.h"

#include <dlfcn.h>
#include <string.h>

typedef struct ncclComm *communicator;

/* As NCCL has them. */
enum { NCCL_SUCCESS = 0, NCCL_SUM = 0, NCCL_FLOAT32 = 7 };

enum { MOST = 200, LEAST_EXPONENT = 7 /* that of the first values, biased */ };

static communicator communicators[2];
static int (*comm_init_all)(communicator *, int, const int *);
static int (*group_start)(void);
static int (*group_end)(void);
static int (*all_reduce)(const void *, void *, size_t, int, int, communicator, CUstream);
static const char *(*error_string)(int);

static CUdeviceptr memory[2]; /* is kept and only grows */
static size_t memory_bytes;

static void *need(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (found == NULL) {
    die("NCCL has no %s", name);
  }
  return found;
}

static void nccl(int result, const char *call) {
  if (result != NCCL_SUCCESS) {
    die("%s: %s (%d)", call, error_string(result), result);
  }
}

static void open_nccl(void) {
  if (communicators[0] != NULL) {
    return;
  }
  void *library = dlopen("libnccl.so.2", RTLD_NOW);
  if (library == NULL) {
    absent("no NCCL: %s", dlerror());
  }
  *(void **)&comm_init_all = need(library, "ncclCommInitAll");
  *(void **)&group_start = need(library, "ncclGroupStart");
  *(void **)&group_end = need(library, "ncclGroupEnd");
  *(void **)&all_reduce = need(library, "ncclAllReduce");
  *(void **)&error_string = need(library, "ncclGetErrorString");
  int devices[2] = {sides[0].device, sides[1].device};
  nccl(comm_init_all(communicators, 2, devices), "ncclCommInitAll");
}

static void need_memory(size_t bytes) {
  for (int i = 0; i < 2 && bytes > memory_bytes; i++) {
    enter(&sides[i]);
    if (memory_bytes > 0) {
      CALL(cuMemFree, memory[i]);
    }
    CALL(cuMemAlloc, &memory[i], bytes);
  }
  memory_bytes = bytes > memory_bytes ? bytes : memory_bytes;
}

/* The bits of the float that all have after so many sums. */
static unsigned doubled(int sums) { return (unsigned)(LEAST_EXPONENT + sums) << 23; }

static void sum_up(size_t bytes) {
  nccl(group_start(), "ncclGroupStart");
  for (int i = 0; i < 2; i++) {
    void *address = (void *)memory[i];
    nccl(all_reduce(address, address, bytes / sizeof(float), NCCL_FLOAT32, NCCL_SUM, communicators[i], sides[i].stream),
         "ncclAllReduce");
  }
  nccl(group_end(), "ncclGroupEnd");
}

static void wait_for_both(void) {
  for (int i = 0; i < 2; i++) {
    enter(&sides[i]);
    CALL(cuEventRecord, sides[i].event, sides[i].stream);
  }
  for (int i = 0; i < 2; i++) {
    CALL(cuEventSynchronize, sides[i].event);
  }
}

/* Times each, or all if there is a sum. */
static void sums(size_t bytes, int steps, long long *times, long long *sum) {
  for (int i = 0; i < 2; i++) {
    set_words(&sides[i], memory[i], doubled(0), bytes / sizeof(float));
  }
  long long begin = now();
  for (int i = 0; i < steps; i++) {
    long long start = now();
    sum_up(bytes);
    if (sum == NULL) {
      wait_for_both();
      times[i] = now() - start;
    }
  }
  if (sum != NULL) {
    wait_for_both();
    *sum = now() - begin;
  }
  for (int i = 0; i < 2; i++) {
    expect_on(&sides[i], memory[i] + bytes - sizeof(float), doubled(steps));
  }
}

int collective_case(const char *name, size_t bytes, int steps, long long *times, long long *sum) {
  int is_chain = strcmp(name, "all-reduce-chain") == 0;
  if (!is_chain && strcmp(name, "all-reduce") != 0) {
    return 0;
  }
  if (bytes < sizeof(float) || bytes % sizeof(float) != 0 || steps > MOST) {
    die("%d sums of %zu bytes: a multiple of %zu, and at most %d sums, are possible", steps, bytes, sizeof(float), MOST);
  }
  open_sides();
  open_nccl();
  need_memory(bytes);
  sums(bytes, steps, times, is_chain ? sum : NULL);
  enter(&sides[0]); /* as the other cases expect it */
  return 1;
}
