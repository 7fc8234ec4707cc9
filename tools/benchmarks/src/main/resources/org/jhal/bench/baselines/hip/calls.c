// SPDX-License-Identifier: Apache-2.0
/*
 * What the bindings of HIP are compared with: the same calls, with the same handles, in a loop. Each function makes
 * COUNT calls of the library's function CALL and returns the nanoseconds that they took together, or, as a negative
 * number, a result that is no success.
 */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000LL * time.tv_sec + time.tv_nsec;
}

#define LOOP(...)                     \
  long long start = now();            \
  for (int i = 0; i < count; i++) {   \
    int result = call(__VA_ARGS__);   \
    if (result != 0) return -result;  \
  }                                   \
  return now() - start

long long loop_hipGetDevice(int (*call)(int *), int count) {
  int device;
  LOOP(&device);
}

long long loop_hipEventQuery(int (*call)(void *), int count, void *event) { LOOP(event); }

long long loop_hipEventRecord(int (*call)(void *, void *), int count, void *event, void *stream) {
  LOOP(event, stream);
}

/* EXTRA describes the packed arguments. */
long long loop_hipModuleLaunchKernel(int (*call)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                                 unsigned, void *, void **, void **),
                                     int count, void *function, void *stream, void **extra) {
  LOOP(function, 1, 1, 1, 1, 1, 1, 0, stream, (void **)0, extra);
}
