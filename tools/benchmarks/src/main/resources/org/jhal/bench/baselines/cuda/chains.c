// SPDX-License-Identifier: Apache-2.0
/*
 * Small work of many steps, each behind the one before it. SIZE is a number of bytes, or 0:
 *
 *   chain, node-chain        kernels in a stream with an event behind each
 *   hop, node-hop            kernels in two streams in turn; each stream waits for the other one's event
 *   indirect                 kernels whose grid the one before has written; the host copies it and polls for that
 *   copy-chain               copies on the device with an event behind each
 *   alloca                   allocations and their freeing, with an event behind each
 *   polling, node-polling    a kernel and an event; the host asks for the event until it has occurred
 *
 * "node" cases do not launch kernels: they set the only node of a graph's instance, and launch that. The host waits at the
 * end, or polls for each step.
 */
#include "graphs.h"

#include <string.h>

enum { RING = 1024 }; /* events of a chain: about as many as a stream takes commands */

/* A stream with the word that its kernels write to. */
struct lane {
  CUstream stream;
  CUdeviceptr word;
  struct shape node;
  CUevent ring[RING];
};

static void open_lane(struct lane *lane, CUstream own, int is_node) {
  lane->stream = own;
  CALL(cuMemAlloc, &lane->word, sizeof(unsigned));
  for (int i = 0; i < RING; i++) {
    CALL(cuEventCreate, &lane->ring[i], CU_EVENT_DISABLE_TIMING);
  }
  if (is_node) {
    lane->node.kernels = lane->node.chains = 1;
    make_graph(&lane->node, lane->word, lane->ring[0]);
  }
  write_word(lane->word, 0);
}

static void close_lane(struct lane *lane, int is_node, unsigned expected) {
  CALL(cuStreamSynchronize, lane->stream);
  expect_word(lane->word, expected);
  if (is_node) {
    destroy_graph(&lane->node);
  }
  for (int i = 0; i < RING; i++) {
    CALL(cuEventDestroy, lane->ring[i]);
  }
  CALL(cuMemFree, lane->word);
}

static void submit(struct lane *lane, int is_node) {
  if (is_node) {
    set_kernel(&lane->node, 0, lane->word);
    CALL(cuGraphLaunch, lane->node.instance, lane->stream);
  } else {
    launch(lane->stream, lane->word, VALUE);
  }
}

/* Kernels of so many streams in turn. */
static long long kernels(int count, int is_node, int steps) {
  static struct lane lanes[2];
  static CUstream second;
  if (second == NULL) {
    CALL(cuStreamCreate, &second, CU_STREAM_NON_BLOCKING);
  }
  for (int i = 0; i < count; i++) {
    open_lane(&lanes[i], i == 0 ? stream : second, is_node);
  }
  CUevent before = NULL;
  long long start = now();
  for (int i = 0; i < steps; i++) {
    struct lane *lane = &lanes[i % count];
    if (count > 1 && before != NULL) {
      CALL(cuStreamWaitEvent, lane->stream, before, 0);
    }
    submit(lane, is_node);
    before = lane->ring[i / count % RING];
    CALL(cuEventRecord, before, lane->stream);
  }
  CALL(cuEventSynchronize, before);
  long long time = now() - start;
  for (int i = 0; i < count; i++) {
    close_lane(&lanes[i], is_node, i < steps ? VALUE : 0);
  }
  return time;
}

static void round_trips(int is_node, int steps, long long *times) {
  static struct lane lane;
  open_lane(&lane, stream, is_node);
  for (int i = 0; i < steps; i++) {
    long long start = now();
    submit(&lane, is_node);
    CALL(cuEventRecord, lane.ring[0], stream);
    poll_event(lane.ring[0]);
    times[i] = now() - start;
  }
  close_lane(&lane, is_node, VALUE);
}

/* Kernels that each write the first number of the grid of the next one. */
static long long dependent(int steps) {
  static struct lane lane; /* for its events */
  unsigned first[3] = {2, 1, 1};
  unsigned *grid;
  unsigned groups = 1;
  CUdeviceptr numbers;
  void *parameters[] = {&numbers, &groups};
  open_lane(&lane, stream, 0);
  CALL(cuMemHostAlloc, (void **)&grid, sizeof first, 0);
  CALL(cuMemAlloc, &numbers, sizeof first);
  memcpy(grid, first, sizeof first);
  CALL(cuMemcpyHtoDAsync, numbers, grid, sizeof first, stream);
  CALL(cuStreamSynchronize, stream);
  long long start = now();
  for (int i = 0; i < steps; i++) {
    CALL(cuMemcpyDtoHAsync, grid, numbers, sizeof first, stream);
    CALL(cuEventRecord, lane.ring[0], stream);
    poll_event(lane.ring[0]);
    CALL(cuLaunchKernel, touch, grid[0], grid[1], grid[2], 1, 1, 1, 0, stream, parameters, NULL);
    CALL(cuEventRecord, lane.ring[1 + i % (RING - 1)], stream);
  }
  CALL(cuStreamSynchronize, stream);
  long long time = now() - start;
  expect_word(numbers, groups);
  CALL(cuMemFree, numbers);
  CALL(cuMemFreeHost, grid);
  close_lane(&lane, 0, 0);
  return time;
}

static long long copies(size_t bytes, int steps) {
  static struct lane lane; /* for its events */
  CUdeviceptr source;
  CUdeviceptr copy;
  size_t last = bytes - sizeof(unsigned);
  if (bytes < sizeof(unsigned) || bytes % sizeof(unsigned) != 0) {
    die("%zu bytes: a multiple of %zu is needed", bytes, sizeof(unsigned));
  }
  open_lane(&lane, stream, 0);
  CALL(cuMemAlloc, &source, bytes);
  CALL(cuMemAlloc, &copy, bytes);
  write_word(source + last, VALUE);
  write_word(copy + last, 0);
  long long start = now();
  for (int i = 0; i < steps; i++) {
    CALL(cuMemcpyDtoDAsync, copy, source, bytes, stream);
    CALL(cuEventRecord, lane.ring[i % RING], stream);
  }
  CALL(cuEventSynchronize, lane.ring[(steps - 1) % RING]);
  long long time = now() - start;
  expect_word(copy + last, VALUE);
  CALL(cuMemFree, source);
  CALL(cuMemFree, copy);
  close_lane(&lane, 0, 0);
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

int chain_case(const char *name, size_t bytes, int steps, long long *times, long long *sum) {
  int is_node = strncmp(name, "node-", 5) == 0;
  const char *plain = is_node ? name + 5 : name;
  if (strcmp(plain, "chain") == 0) {
    *sum = kernels(1, is_node, steps);
  } else if (strcmp(plain, "hop") == 0) {
    *sum = kernels(2, is_node, steps);
  } else if (strcmp(plain, "polling") == 0) {
    round_trips(is_node, steps, times);
  } else if (strcmp(name, "indirect") == 0) {
    *sum = dependent(steps);
  } else if (strcmp(name, "copy-chain") == 0) {
    *sum = copies(bytes, steps);
  } else if (strcmp(name, "alloca") == 0) {
    *sum = allocations(bytes, steps);
  } else {
    return 0;
  }
  return 1;
}
