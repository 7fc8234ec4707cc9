/* Small work of many steps, each behind the one before it; the host waits at the end. */
#include "raw.h"

#include <string.h>

enum { RING = 1024 }; /* events of a chain: about as many as a stream takes commands */

static long long launches(int steps) {
  static CUevent ring[RING];
  for (int i = 0; i < RING; i++) {
    CALL(cuEventCreate, &ring[i], CU_EVENT_DISABLE_TIMING);
  }
  write_word(target, 0);
  long long start = now();
  for (int i = 0; i < steps; i++) {
    launch(target, VALUE);
    CALL(cuEventRecord, ring[i % RING], stream);
  }
  CALL(cuEventSynchronize, ring[(steps - 1) % RING]);
  long long time = now() - start;
  expect_word(target, VALUE);
  for (int i = 0; i < RING; i++) {
    CALL(cuEventDestroy, ring[i]);
  }
  return time;
}

static long long allocations(size_t bytes, int steps) {
  CUevent allocated;
  CUevent freed;
  CALL(cuEventCreate, &allocated, CU_EVENT_DISABLE_TIMING);
  CALL(cuEventCreate, &freed, CU_EVENT_DISABLE_TIMING);
  long long start = now();
  for (int i = 0; i < steps; i++) {
    CUdeviceptr memory;
    CALL(cuMemAllocAsync, &memory, bytes, stream);
    CALL(cuEventRecord, allocated, stream);
    CALL(cuMemFreeAsync, memory, stream);
    CALL(cuEventRecord, freed, stream);
  }
  CALL(cuEventSynchronize, freed);
  long long time = now() - start;
  CALL(cuEventDestroy, allocated);
  CALL(cuEventDestroy, freed);
  return time;
}

int chain_case(const char *name, size_t bytes, int steps, long long *sum) {
  if (strcmp(name, "chain") == 0) {
    *sum = launches(steps);
  } else if (strcmp(name, "alloca") == 0) {
    *sum = allocations(bytes, steps);
  } else {
    return 0;
  }
  return 1;
}
