// SPDX-License-Identifier: Apache-2.0
/*
 * Transfers of ordinary memory, which the host waits for one by one. SIZE is the number of bytes:
 *
 *   ring-upload-THREADS, ring-readback-THREADS     in chunks through a ring of pinned slots, copied by so many threads
 *   streaming-upload-THREADS, streaming-readback-THREADS     the same with stores that pass the caches by
 *   slot-upload, slot-readback                     through one pinned slot; the host polls for the event
 *   plain-upload, plain-readback                   by one call, and for an upload one more that waits
 */
#include "raw.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
static int is_streaming;
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

#ifdef __SSE2__
/* memcpy with streaming stores. */
static void stream_copy(char *to, const char *from, size_t length) {
  size_t at = -(uintptr_t)to % sizeof(__m128i); /* stores are aligned */
  if (at > length) {
    at = length;
  }
  memcpy(to, from, at);
  for (; length - at >= 4 * sizeof(__m128i); at += 4 * sizeof(__m128i)) {
    const __m128i *source = (const __m128i *)(from + at);
    __m128i *target = (__m128i *)(to + at);
    __m128i a = _mm_loadu_si128(source);
    __m128i b = _mm_loadu_si128(source + 1);
    __m128i c = _mm_loadu_si128(source + 2);
    __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
  memcpy(to + at, from + at, length - at);
}
#else
static void stream_copy(char *to, const char *from, size_t length) {
  (void)to;
  (void)from;
  (void)length;
  absent("streaming stores are written for x86-64 only");
}
#endif

static void move(char *to, const char *from, size_t length) {
  if (is_streaming) {
    stream_copy(to, from, length);
  } else {
    memcpy(to, from, length);
  }
}

static void copy(int chunk) {
  struct slot *slot = &slots[chunk % SLOTS];
  char *memory = host + (size_t)chunk * chunk_bytes;
  while (atomic_load(&slot->turn) != chunk) {
    sched_yield();
  }
  CALL(cuEventSynchronize, slot->event);
  if (is_upload) {
    move(slot->memory, memory, length_of(chunk));
    CALL(cuMemcpyHtoDAsync, device + (size_t)chunk * chunk_bytes, slot->memory, length_of(chunk), slot->stream);
    CALL(cuEventRecord, slot->event, slot->stream);
  } else {
    move(memory, slot->memory, length_of(chunk));
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

static void through_slot(void) {
  struct slot *slot = &slots[0];
  if (is_upload) {
    memcpy(slot->memory, host, bytes);
    CALL(cuMemcpyHtoDAsync, device, slot->memory, bytes, slot->stream);
  } else {
    CALL(cuMemcpyDtoHAsync, slot->memory, device, bytes, slot->stream);
  }
  CALL(cuEventRecord, slot->event, slot->stream);
  poll_event(slot->event);
  if (!is_upload) {
    memcpy(host, slot->memory, bytes);
  }
}

/* A call that uploads returns before the device has all; one that reads back does not. */
static void by_one_call(void) {
  if (is_upload) {
    CALL(cuMemcpyHtoDAsync, device, host, bytes, stream);
    CALL(cuStreamSynchronize, stream);
  } else {
    CALL(cuMemcpyDtoH, host, device, bytes);
  }
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

typedef void transfer(void);

/* How a case transfers, or NULL if it is none of these; sets the number of threads of a ring. */
static transfer *transfer_of(const char *name, int *ring) {
  if (strcmp(name, "plain-upload") == 0 || strcmp(name, "plain-readback") == 0) {
    return by_one_call;
  }
  if (strcmp(name, "slot-upload") == 0 || strcmp(name, "slot-readback") == 0) {
    return through_slot;
  }
  is_streaming = strncmp(name, "streaming-", 10) == 0;
  const char *rest = is_streaming ? name + 10 : strncmp(name, "ring-", 5) == 0 ? name + 5 : "";
  return sscanf(rest, "upload-%d", ring) == 1 || sscanf(rest, "readback-%d", ring) == 1 ? through_ring : NULL;
}

int pageable_case(const char *name, size_t wanted, int steps, long long *times) {
  static unsigned seed;
  int ring = 1;
  transfer *transfer = transfer_of(name, &ring);
  if (transfer == NULL) {
    return 0;
  }
  if (wanted < sizeof(unsigned) || wanted % sizeof(unsigned) != 0 || ring < 1 || ring > MOST_THREADS ||
      (transfer == through_slot && wanted > SLOT_BYTES)) {
    die("%s of %zu bytes: a multiple of %zu, 1 to %d threads, and up to %d bytes in a slot, are possible", name, wanted,
        sizeof(unsigned), MOST_THREADS, SLOT_BYTES);
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
  if (transfer != by_one_call) {
    make_ring(ring);
  }
  set_source(++seed);
  for (int i = 0; i < steps; i++) {
    long long start = now();
    transfer();
    times[i] = now() - start;
  }
  check_target(seed);
  return 1;
}
