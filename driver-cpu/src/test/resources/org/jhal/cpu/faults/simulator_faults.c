// SPDX-License-Identifier: Apache-2.0
// Faults on a thread of the GPU simulator, which has a handler of its own for them.
#include <pthread.h>

#include "internal.h"

static volatile int* volatile nowhere;

static int writes_nowhere(void* argument) {
  (void)argument;
  *nowhere = 1;
  return GS_OK;
}

static void* run(void* count) {
  gs_guard_install();
  int left = *(int*)count;
  while (left > 0 && gs_guarded(writes_nowhere, NULL) == GS_ILLEGAL_ADDRESS) left--;
  *(int*)count = left;
  gs_grid_thread_end();
  return NULL;
}

// Returns how many of so many faults did not become codes.
GS_EXPORT int simulator_faults(int count) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, &count);
  pthread_join(thread, NULL);
  return count;
}
