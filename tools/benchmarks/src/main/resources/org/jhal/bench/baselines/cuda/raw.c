// SPDX-License-Identifier: Apache-2.0
/*
 * What the cases of `hal bench` for CUDA devices are compared with: the same work as raw calls of the driver API.
 *
 *   raw PTX_FILE PCI_ADDRESS|- [PCI_ADDRESS]
 *
 * for a device, and perhaps a second one,
 *
 * prints "ready", then reads requests from stdin, a line each, until its end:
 *
 *   CASE SIZE STEPS
 *
 * and answers each with a line
 *
 *   result CASE SIZE STEPS P25 P50 P75
 *
 * in nanoseconds: the quartiles of the single steps where the host waits for each, and three times the mean of a step
 * where it waits at the end. The size is that of a step: in bytes, or for graphs in kernels. If anything goes wrong it
 * prints "error WHAT" and exits; if something is not there on this machine, "absent WHAT".
 */
#define _POSIX_C_SOURCE 200809L

#include "raw.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

CUdevice first_device;
CUstream stream;
CUcontext context;
CUfunction touch;
const char *kernel_text;
const char *other_address;
CUdeviceptr target;

static CUdeviceptr device_memory[2];
static void *pinned_memory;
static size_t memory_bytes;

long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000LL * time.tv_sec + time.tv_nsec;
}

/* ---- the kernel ---- */

void launch(CUstream into, CUdeviceptr address, unsigned value) {
  void *parameters[] = {&address, &value};
  CALL(cuLaunchKernel, touch, 1, 1, 1, 1, 1, 1, 0, into, parameters, NULL);
}

void poll_event(CUevent event) {
  CUresult result;
  do {
    result = cuEventQuery_(event);
  } while (result == CUDA_ERROR_NOT_READY);
  check(result, "cuEventQuery");
}

void write_word(CUdeviceptr address, unsigned word) {
  CALL(cuMemsetD32Async, address, word, 1, stream);
  CALL(cuStreamSynchronize, stream);
}

void expect_word(CUdeviceptr address, unsigned expected) {
  unsigned word = ~expected;
  CALL(cuStreamSynchronize, stream);
  CALL(cuMemcpyDtoH, &word, address, sizeof word);
  if (word != expected) {
    die("the device's memory has %u where %u should be", word, expected);
  }
}

/* ---- cases of this file, in which the host waits for each step ---- */

static void round_trip(int steps, unsigned flags, long long *times) {
  CUevent event;
  CALL(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING | flags);
  write_word(target, 0);
  for (int i = 0; i < steps; i++) {
    long long start = now();
    launch(stream, target, VALUE);
    CALL(cuEventRecord, event, stream);
    CALL(cuEventSynchronize, event);
    times[i] = now() - start;
  }
  expect_word(target, VALUE);
  CALL(cuEventDestroy, event);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static long done; /* under the mutex */

static void CUDA_CB host_function(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  done++;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

static void host_functions(int steps, long long *times) {
  write_word(target, 0);
  done = 0;
  for (int i = 0; i < steps; i++) {
    long long start = now();
    launch(stream, target, VALUE);
    CALL(cuLaunchHostFunc, stream, host_function, NULL);
    pthread_mutex_lock(&mutex);
    while (done <= i) {
      pthread_cond_wait(&condition, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    times[i] = now() - start;
  }
  expect_word(target, VALUE);
}

/* Memory is kept and only grows: pinning a gibibyte takes longer than a sample. */
static void need_memory(size_t bytes) {
  if (bytes <= memory_bytes) {
    return;
  }
  if (memory_bytes > 0) {
    memory_bytes = 0;
    CALL(cuMemFree, device_memory[0]);
    CALL(cuMemFree, device_memory[1]);
    CALL(cuMemFreeHost, pinned_memory);
  }
  CALL(cuMemAlloc, &device_memory[0], bytes);
  CALL(cuMemAlloc, &device_memory[1], bytes);
  CALL(cuMemHostAlloc, &pinned_memory, bytes, 0);
  memory_bytes = bytes;
}

enum transfer { COPY, FILL, UPLOAD, READBACK };

/* What comes last is set before and looked at afterwards. */
static void transfer(enum transfer kind, size_t bytes, int steps, long long *times) {
  CUevent event;
  size_t last = bytes - sizeof(unsigned);
  if (bytes < sizeof(unsigned) || bytes % sizeof(unsigned) != 0) {
    die("%zu bytes: a multiple of %zu is needed", bytes, sizeof(unsigned));
  }
  need_memory(bytes);
  CUdeviceptr a = device_memory[0];
  CUdeviceptr b = device_memory[1];
  unsigned *host = (unsigned *)((char *)pinned_memory + last);
  *host = kind == UPLOAD ? VALUE : 0;
  write_word(a + last, kind == COPY || kind == READBACK ? VALUE : 0);
  write_word(b + last, 0);
  CALL(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
  for (int i = 0; i < steps; i++) {
    long long start = now();
    switch (kind) {
      case COPY: CALL(cuMemcpyDtoDAsync, b, a, bytes, stream); break;
      case FILL: CALL(cuMemsetD32Async, a, VALUE, bytes / sizeof(unsigned), stream); break;
      case UPLOAD: CALL(cuMemcpyHtoDAsync, a, pinned_memory, bytes, stream); break;
      case READBACK: CALL(cuMemcpyDtoHAsync, pinned_memory, a, bytes, stream); break;
    }
    CALL(cuEventRecord, event, stream);
    CALL(cuEventSynchronize, event);
    times[i] = now() - start;
  }
  CALL(cuEventDestroy, event);
  expect_word((kind == COPY ? b : a) + last, VALUE);
  if (*(volatile unsigned *)host != (kind == UPLOAD || kind == READBACK ? VALUE : 0)) {
    die("the pinned memory has %u", *host);
  }
}

/* ---- requests ---- */

static int ascending(const void *left, const void *right) {
  long long a = *(const long long *)left;
  long long b = *(const long long *)right;
  return (a > b) - (a < b);
}

static void answer(const char *name, size_t bytes, int steps) {
  long long *times = calloc((size_t)steps, sizeof *times);
  long long sum = -1;
  if (times == NULL) {
    die("no memory for %d times", steps);
  }
  if (strcmp(name, "spinning") == 0) {
    round_trip(steps, 0, times);
  } else if (strcmp(name, "blocking") == 0) {
    round_trip(steps, CU_EVENT_BLOCKING_SYNC, times);
  } else if (strcmp(name, "host-function") == 0) {
    host_functions(steps, times);
  } else if (strcmp(name, "copy") == 0) {
    transfer(COPY, bytes, steps, times);
  } else if (strcmp(name, "fill") == 0) {
    transfer(FILL, bytes, steps, times);
  } else if (strcmp(name, "upload") == 0) {
    transfer(UPLOAD, bytes, steps, times);
  } else if (strcmp(name, "readback") == 0) {
    transfer(READBACK, bytes, steps, times);
  } else if (!chain_case(name, bytes, steps, times, &sum) && !graph_case(name, bytes, steps, times, &sum) &&
             !pageable_case(name, bytes, steps, times) && !library_case(name, bytes, steps, &sum) &&
             !peer_case(name, bytes, steps, times, &sum) && !collective_case(name, bytes, steps, times, &sum)) {
    die("unknown case '%s'", name);
  }
  double quartiles[3];
  qsort(times, (size_t)steps, sizeof *times, ascending);
  for (int i = 0; i < 3; i++) {
    quartiles[i] = sum < 0 ? (double)times[(long long)(i + 1) * (steps - 1) / 4] : (double)sum / steps;
  }
  printf("result %s %zu %d %.1f %.1f %.1f\n", name, bytes, steps, quartiles[0], quartiles[1], quartiles[2]);
  fflush(stdout);
  free(times);
}

/* The whole file with a zero behind it, as the driver wants text. */
static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    die("cannot open %s", path);
  }
  char *text = NULL;
  size_t length = 0;
  for (;;) {
    text = realloc(text, length + 4096 + 1);
    if (text == NULL) {
      die("no memory for %s", path);
    }
    size_t count = fread(text + length, 1, 4096, file);
    length += count;
    if (count == 0) {
      break;
    }
  }
  if (ferror(file)) {
    die("cannot read %s", path);
  }
  fclose(file);
  text[length] = 0;
  return text;
}

int main(int argc, char **argv) {
  CUmodule module;
  if (argc != 3 && argc != 4) {
    die("usage: raw PTX_FILE PCI_ADDRESS|- [PCI_ADDRESS]");
  }
  other_address = argc == 4 ? argv[3] : NULL;
  load_driver();
  CALL(cuInit, 0);
  if (strcmp(argv[2], "-") == 0) {
    CALL(cuDeviceGet, &first_device, 0);
  } else {
    CALL(cuDeviceGetByPCIBusId, &first_device, argv[2]);
  }
  /* The primary context, with the flags that the driver gives it: as a program without wishes of its own has it. */
  CALL(cuDevicePrimaryCtxRetain, &context, first_device);
  CALL(cuCtxSetCurrent, context);
  CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  kernel_text = read_text(argv[1]);
  CALL(cuModuleLoadData, &module, kernel_text);
  CALL(cuModuleGetFunction, &touch, module, "touch");
  CALL(cuMemAlloc, &target, sizeof(unsigned));
  puts("ready");
  fflush(stdout);

  char line[256];
  while (fgets(line, sizeof line, stdin) != NULL) {
    char name[64];
    size_t bytes;
    int steps;
    if (sscanf(line, "%63s %zu %d", name, &bytes, &steps) != 3 || steps < 1) {
      die("not a request: %s", line);
    }
    answer(name, bytes, steps);
  }
  return 0;
}
