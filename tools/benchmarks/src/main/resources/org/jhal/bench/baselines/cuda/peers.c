// SPDX-License-Identifier: Apache-2.0
/*
 * Work of two devices: the first is that of the other cases, the second is named when the program is started. SIZE is the
 * number of bytes, or 0:
 *
 *   peer-copy     from the first device to the second, and the host waits for each
 *   peer-both     in both directions at once, and the host waits for both
 *   peer-hop      kernels on the two devices in turn, each behind the one before; the host waits at the end
 *
 * All memory is from the pools that the devices have by default.
 */
#include "peers.h"

#include <string.h>

enum { RING = 1024 }; /* events of a chain: about as many as a stream takes commands */

struct side sides[2];

/* What a side has for the cases of this file. */
static struct {
  CUdeviceptr word;
  CUdeviceptr source; /* of what the other device gets */
  CUdeviceptr target; /* of what it gets from there */
  CUevent ring[RING];
} own[2];

static size_t memory_bytes; /* of each source and target */
static int is_open;

void enter(const struct side *side) { CALL(cuCtxSetCurrent, side->context); }

void share_pool(CUmemoryPool pool, const struct side *user) {
  CUmemAccessDesc access;
  memset(&access, 0, sizeof access);
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = user->device;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CALL(cuMemPoolSetAccess, pool, &access, 1);
}

/* Lets the second one use the memory of the first, of its context and of its pool. */
static void enable(const struct side *owner, const struct side *user) {
  int can_access = 0;
  CUmemoryPool pool;
  CALL(cuDeviceCanAccessPeer, &can_access, user->device, owner->device);
  if (!can_access) {
    die("the two devices cannot access each other's memory");
  }
  enter(user);
  CALL(cuCtxEnablePeerAccess, owner->context, 0);
  CALL(cuDeviceGetDefaultMemPool, &pool, owner->device);
  share_pool(pool, user);
}

void open_sides(void) {
  if (is_open) {
    return;
  }
  if (other_address == NULL) {
    die("no second device was named");
  }
  sides[0].device = first_device;
  sides[0].context = context;
  sides[0].stream = stream;
  sides[0].touch = touch;
  struct side *other = &sides[1];
  CALL(cuDeviceGetByPCIBusId, &other->device, other_address);
  CALL(cuDevicePrimaryCtxRetain, &other->context, other->device);
  enter(other);
  CUmodule module;
  CALL(cuStreamCreate, &other->stream, CU_STREAM_NON_BLOCKING);
  CALL(cuModuleLoadData, &module, kernel_text);
  CALL(cuModuleGetFunction, &other->touch, module, "touch");
  for (int i = 0; i < 2; i++) {
    struct side *side = &sides[i];
    enable(side, &sides[1 - i]);
    enter(side);
    CALL(cuMemAllocAsync, &own[i].word, sizeof(unsigned), side->stream);
    CALL(cuEventCreate, &side->event, CU_EVENT_DISABLE_TIMING);
    for (int j = 0; j < RING; j++) {
      CALL(cuEventCreate, &own[i].ring[j], CU_EVENT_DISABLE_TIMING);
    }
  }
  is_open = 1;
}

/* Memory is kept and only grows. */
static void need_memory(size_t bytes) {
  if (bytes <= memory_bytes) {
    return;
  }
  for (int i = 0; i < 2; i++) {
    struct side *side = &sides[i];
    enter(side);
    if (memory_bytes > 0) {
      CALL(cuMemFreeAsync, own[i].source, side->stream);
      CALL(cuMemFreeAsync, own[i].target, side->stream);
    }
    CALL(cuMemAllocAsync, &own[i].source, bytes, side->stream);
    CALL(cuMemAllocAsync, &own[i].target, bytes, side->stream);
    CALL(cuStreamSynchronize, side->stream);
  }
  memory_bytes = bytes;
}

void set_words(const struct side *side, CUdeviceptr address, unsigned word, size_t count) {
  enter(side);
  CALL(cuMemsetD32Async, address, word, count, side->stream);
  CALL(cuStreamSynchronize, side->stream);
}

void expect_on(const struct side *side, CUdeviceptr address, unsigned expected) {
  unsigned word = ~expected;
  enter(side);
  CALL(cuStreamSynchronize, side->stream);
  CALL(cuMemcpyDtoH, &word, address, sizeof word);
  if (word != expected) {
    die("memory of the device has %u where %u should be", word, expected);
  }
}

/* The devices copy as many as there are directions, each from its own memory on its own stream. */
static void copies(int directions, size_t bytes, int steps, long long *times) {
  size_t last = bytes - sizeof(unsigned);
  if (bytes < sizeof(unsigned) || bytes % sizeof(unsigned) != 0) {
    die("%zu bytes: a multiple of %zu is needed", bytes, sizeof(unsigned));
  }
  need_memory(bytes);
  for (int i = 0; i < 2; i++) {
    set_words(&sides[i], own[i].source + last, VALUE, 1);
    set_words(&sides[i], own[i].target + last, 0, 1);
  }
  for (int i = 0; i < steps; i++) {
    long long start = now();
    for (int j = 0; j < directions; j++) {
      enter(&sides[j]);
      CALL(cuMemcpyAsync, own[1 - j].target, own[j].source, bytes, sides[j].stream);
      CALL(cuEventRecord, sides[j].event, sides[j].stream);
    }
    for (int j = 0; j < directions; j++) {
      CALL(cuEventSynchronize, sides[j].event);
    }
    times[i] = now() - start;
  }
  expect_on(&sides[1], own[1].target + last, VALUE);
  expect_on(&sides[0], own[0].target + last, directions == 2 ? VALUE : 0);
}

static long long hops(int steps) {
  unsigned value = VALUE;
  set_words(&sides[0], own[0].word, 0, 1);
  set_words(&sides[1], own[1].word, 0, 1);
  CUevent before = NULL;
  long long start = now();
  for (int i = 0; i < steps; i++) {
    struct side *side = &sides[i % 2];
    void *parameters[] = {&own[i % 2].word, &value};
    enter(side);
    if (before != NULL) {
      CALL(cuStreamWaitEvent, side->stream, before, 0);
    }
    CALL(cuLaunchKernel, side->touch, 1, 1, 1, 1, 1, 1, 0, side->stream, parameters, NULL);
    before = own[i % 2].ring[i / 2 % RING];
    CALL(cuEventRecord, before, side->stream);
  }
  CALL(cuEventSynchronize, before);
  long long time = now() - start;
  expect_on(&sides[0], own[0].word, VALUE);
  expect_on(&sides[1], own[1].word, steps > 1 ? VALUE : 0);
  return time;
}

int peer_case(const char *name, size_t bytes, int steps, long long *times, long long *sum) {
  int directions = strcmp(name, "peer-copy") == 0 ? 1 : strcmp(name, "peer-both") == 0 ? 2 : 0;
  if (directions == 0 && strcmp(name, "peer-hop") != 0) {
    return 0;
  }
  open_sides();
  if (directions > 0) {
    copies(directions, bytes, steps, times);
  } else {
    *sum = hops(steps);
  }
  enter(&sides[0]); /* as the other cases expect it */
  return 1;
}
