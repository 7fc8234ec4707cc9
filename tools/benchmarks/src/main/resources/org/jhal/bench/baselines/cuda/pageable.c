/*
 * Transfers of ordinary memory, which the host waits for one by one. SIZE is the number of bytes:
 *
 *   ring-upload-THREADS, ring-readback-THREADS     in chunks through a ring of pinned slots, copied by so many threads
 *   plain-upload, plain-readback                   by one call
 */
#include "raw.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4, SLOT_BYTES = 4 << 20, LEAST_CHUNK = 256 << 10, PAGE = 4096, MOST_THREADS = 64 };

struct slot {
  char *memory;
  CUstream stream;
  CUevent event;   /* behind its last copy */
  atomic_int turn; /* the chunk that may use it next */
};

static struct slot slots[SLOTS];
static int helpers; /* threads besides the main one */

/* The transfer; changed by the main thread alone, while no chunk is left or being copied. */
static int is_upload;
static char *host;
static char *control; /* as large */
static CUdeviceptr device;
static size_t bytes;
static size_t chunk_bytes;
static int chunks;
static int threads; /* the helpers above this number, less one, do not take part */

/* How many chunks no thread has taken, and above them the number of the transfer. */
static _Atomic uint64_t tickets;
static atomic_int copied;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER; /* there are tickets, which are made under the mutex */

static size_t length_of(int chunk) {
  size_t left = bytes - (size_t)chunk * chunk_bytes;
  return left < chunk_bytes ? left : chunk_bytes;
}

/* Starts the copy that brings a chunk into its slot. */
static void fetch(int chunk) {
  struct slot *slot = &slots[chunk % SLOTS];
  CALL(cuMemcpyDtoHAsync, slot->memory, device + (size_t)chunk * chunk_bytes, length_of(chunk), slot->stream);
  CALL(cuEventRecord, slot->event, slot->stream);
}

static void copy(int chunk) {
  struct slot *slot = &slots[chunk % SLOTS];
  char *memory = host + (size_t)chunk * chunk_bytes;
  while (atomic_load(&slot->turn) != chunk) {
    sched_yield();
  }
  CALL(cuEventSynchronize, slot->event);
  if (is_upload) {
    memcpy(slot->memory, memory, length_of(chunk));
    CALL(cuMemcpyHtoDAsync, device + (size_t)chunk * chunk_bytes, slot->memory, length_of(chunk), slot->stream);
    CALL(cuEventRecord, slot->event, slot->stream);
  } else {
    memcpy(memory, slot->memory, length_of(chunk));
    if (chunk + SLOTS < chunks) {
      fetch(chunk + SLOTS);
    }
  }
  atomic_store(&slot->turn, chunk + SLOTS);
  atomic_fetch_add(&copied, 1);
}

/* Copies a chunk; returns whether there was one. The transfer does not change before the chunk is copied. */
static int copy_next(void) {
  uint64_t before = atomic_load(&tickets);
  do {
    if ((uint32_t)before == 0) {
      return 0;
    }
  } while (!atomic_compare_exchange_weak(&tickets, &before, before - 1));
  copy(chunks - (int)(uint32_t)before);
  return 1;
}

static void *help(void *number) {
  CALL(cuCtxSetCurrent, context);
  for (;;) {
    pthread_mutex_lock(&mutex);
    while ((uint32_t)atomic_load(&tickets) == 0 || (int)(intptr_t)number >= threads - 1) {
      pthread_cond_wait(&begun, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    while (copy_next()) {
    }
  }
  return NULL;
}

static void make_ring(int wanted) {
  for (int i = 0; slots[i % SLOTS].memory == NULL && i < SLOTS; i++) {
    void *memory;
    CALL(cuMemHostAlloc, &memory, SLOT_BYTES, 0);
    slots[i].memory = memory;
    CALL(cuStreamCreate, &slots[i].stream, CU_STREAM_NON_BLOCKING);
    CALL(cuEventCreate, &slots[i].event, CU_EVENT_DISABLE_TIMING);
  }
  for (; helpers < wanted - 1; helpers++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, help, (void *)(intptr_t)helpers) != 0) {
      die("no thread");
    }
  }
}

static void through_ring(void) {
  for (int i = 0; i < SLOTS; i++) {
    atomic_store(&slots[i].turn, i);
    if (!is_upload && i < chunks) {
      fetch(i);
    }
  }
  atomic_store(&copied, 0);
  pthread_mutex_lock(&mutex);
  atomic_store(&tickets, ((atomic_load(&tickets) >> 32) + 1) << 32 | (uint32_t)chunks);
  if (chunks > 1 && threads > 1) {
    pthread_cond_broadcast(&begun);
  }
  pthread_mutex_unlock(&mutex);
  while (copy_next()) {
  }
  while (atomic_load(&copied) < chunks) {
    sched_yield();
  }
  for (int i = 0; is_upload && i < SLOTS && i < chunks; i++) {
    CALL(cuEventSynchronize, slots[i].event);
  }
}

static void by_one_call(void) {
  if (is_upload) {
    CALL(cuMemcpyHtoDAsync, device, host, bytes, stream);
  } else {
    CALL(cuMemcpyDtoHAsync, host, device, bytes, stream);
  }
  CALL(cuStreamSynchronize, stream);
}

/* Memory is kept and only grows. */
static void need(size_t wanted) {
  static size_t present;
  if (wanted > present) {
    free(host);
    if (present > 0) {
      CALL(cuMemFree, device);
    }
    free(control);
    host = malloc(wanted);
    control = malloc(wanted);
    if (host == NULL || control == NULL) {
      die("no memory for twice %zu bytes", wanted);
    }
    CALL(cuMemAlloc, &device, wanted);
    present = wanted;
  }
}

/* What the word at an index is in transfers of one request. */
static unsigned word(size_t index, unsigned seed) { return (unsigned)index * 2654435761U + seed; }

static void set_source(unsigned seed) {
  for (size_t i = 0; i < bytes / sizeof(unsigned); i++) {
    unsigned value = word(i, seed);
    memcpy(host + i * sizeof value, &value, sizeof value);
  }
  if (is_upload) {
    CALL(cuMemsetD32Async, device, 0, bytes / sizeof(unsigned), stream);
  } else {
    CALL(cuMemcpyHtoDAsync, device, host, bytes, stream);
  }
  CALL(cuStreamSynchronize, stream);
  if (!is_upload) {
    memset(host, 0, bytes);
  }
}

/* Both sides have all words. */
static void check_target(unsigned seed) {
  CALL(cuMemcpyDtoH, control, device, bytes);
  if (memcmp(control, host, bytes) != 0) {
    die("the memory of the host and of the device differ");
  }
  for (size_t i = 0; i < bytes / sizeof(unsigned); i++) {
    unsigned value;
    memcpy(&value, control + i * sizeof value, sizeof value);
    if (value != word(i, seed)) {
      die("word %zu is %u where %u should be", i, value, word(i, seed));
    }
  }
}

int pageable_case(const char *name, size_t wanted, int steps, long long *times) {
  static unsigned seed;
  int ring = 1;
  int is_plain = strcmp(name, "plain-upload") == 0 || strcmp(name, "plain-readback") == 0;
  if (!is_plain && sscanf(name, "ring-upload-%d", &ring) != 1 && sscanf(name, "ring-readback-%d", &ring) != 1) {
    return 0;
  }
  if (wanted < sizeof(unsigned) || wanted % sizeof(unsigned) != 0 || ring < 1 || ring > MOST_THREADS) {
    die("%s of %zu bytes: a multiple of %zu, and 1 to %d threads, are possible", name, wanted, sizeof(unsigned),
        MOST_THREADS);
  }
  need(wanted);
  is_upload = strstr(name, "upload") != NULL;
  bytes = wanted;
  chunk_bytes = (bytes / (2 * SLOTS) + PAGE - 1) / PAGE * PAGE;
  chunk_bytes = chunk_bytes < LEAST_CHUNK ? LEAST_CHUNK : chunk_bytes > SLOT_BYTES ? SLOT_BYTES : chunk_bytes;
  chunks = (int)((bytes + chunk_bytes - 1) / chunk_bytes);
  pthread_mutex_lock(&mutex);
  threads = ring;
  pthread_mutex_unlock(&mutex);
  if (!is_plain) {
    make_ring(ring);
  }
  set_source(++seed);
  for (int i = 0; i < steps; i++) {
    long long start = now();
    if (is_plain) {
      by_one_call();
    } else {
      through_ring();
    }
    times[i] = now() - start;
  }
  check_target(seed);
  return 1;
}
