// SPDX-License-Identifier: Apache-2.0
// The state of the whole, and the functions by which a test controls it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"
#include "report.h"

gs_state gs = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

uint64_t gs_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t gs_device_nanos(void) {
  uint64_t now = gs_nanos();
  double since = (double)(int64_t)(now - gs.clock_start);
  return now + gs.clock_offset + (uint64_t)(int64_t)(since * 1e-9 * (double)gs.clock_drift);
}

uint64_t gs_random(uint64_t* state) {
  uint64_t x = *state += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

void gs_sleep(uint64_t nanos) {
  struct timespec left = {.tv_sec = (time_t)(nanos / 1000000000u), .tv_nsec = (long)(nanos % 1000000000u)};
  while (nanosleep(&left, &left) && errno == EINTR) {
  }
}

void gs_wait_change(uint64_t nanos) {
  if (nanos > 3600000000000u) {
    pthread_cond_wait(&gs.changed, &gs.lock);
    return;
  }
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  uint64_t end = (uint64_t)until.tv_nsec + nanos;
  until.tv_sec += (time_t)(end / 1000000000u);
  until.tv_nsec = (long)(end % 1000000000u);
  pthread_cond_timedwait(&gs.changed, &gs.lock, &until);
}

void gs_changed(void) { pthread_cond_broadcast(&gs.changed); }

static uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void configure(void) {
  gs.devices = (int)setting("GPUSIM_DEVICES", 1);
  if (gs.devices > GS_MAX_DEVICES) gs.devices = GS_MAX_DEVICES;
  gs.memory = setting("GPUSIM_MEMORY", 16ull << 30);
  gs.driver_version = (int)setting("GPUSIM_DRIVER_VERSION", 0);
  gs.instances = (int)setting("GPUSIM_MIG", 0);
  gs.seed = setting("GPUSIM_SEED", 0);
  gs.graph_faults = (unsigned)setting("GPUSIM_GRAPH_FAULTS", 0);
  gs.waits_for_quiet = (int)setting("GPUSIM_QUIET", 0);
  gs.hardware_queues = (int)setting("GPUSIM_HARDWARE_QUEUES", 0);
  gs.opened = 0;
  gs.paused = 0;
  memset(gs.apart, 0, sizeof gs.apart);
  gs.clock_start = gs_nanos();
  gs.clock_offset = 0;
  gs.clock_drift = 0;
}

__attribute__((constructor)) static void begin(void) { configure(); }

void gs_initialise(void) { gs.initialised = 1; }
int gs_device_count(void) { return gs.devices; }
int gs_driver_version(int otherwise) { return gs.driver_version ? gs.driver_version : otherwise; }
uint64_t gs_device_memory(void) { return gs.memory; }
void gs_device_name(char* text, size_t size, int device) { snprintf(text, size, "Simulated GPU %d", device); }

void gs_device_uuid(char bytes[16], int device) {
  memcpy(bytes, "JHAL-simulated\0", 16);
  bytes[15] = (char)(device + 1);
}

// All devices are instances of one GPU, if so asked.
void gs_gpu_uuid(char bytes[16], int device) {
  gs_device_uuid(bytes, device);
  if (gs.instances) bytes[15] = 0x7F;
}

#define LOCKED(statements)         \
  pthread_mutex_lock(&gs.lock);    \
  statements;                      \
  pthread_mutex_unlock(&gs.lock)

GS_EXPORT void gpusim_devices(int devices) { LOCKED(gs.devices = devices < GS_MAX_DEVICES ? devices : GS_MAX_DEVICES); }
GS_EXPORT void gpusim_memory(uint64_t bytes) { LOCKED(gs.memory = bytes); }
GS_EXPORT void gpusim_driver_version(int version) { LOCKED(gs.driver_version = version); }
GS_EXPORT void gpusim_seed(uint64_t seed) { LOCKED(gs.seed = seed); }
GS_EXPORT void gpusim_graph_faults(unsigned faults) { LOCKED(gs.graph_faults = faults); }
GS_EXPORT void gpusim_quiet(int waits) { LOCKED(gs.waits_for_quiet = waits); }
GS_EXPORT void gpusim_hardware_queues(int queues) { LOCKED(gs.hardware_queues = queues; gs.opened = 0); }

// Sets the devices' clock ahead, and makes it run fast or slow from now on.
GS_EXPORT void gpusim_clock(int64_t ahead, int64_t drift) {
  LOCKED(gs.clock_start = gs_nanos(); gs.clock_offset = (uint64_t)ahead; gs.clock_drift = drift);
}

static void wake_streams(void) {
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->kind == GS_STREAM) pthread_cond_signal(&((gs_stream*)o)->wake);
  }
}

// Stops or starts a stream, or with stream 0 all of a device; what runs goes on to its end.
GS_EXPORT int gpusim_pause(int device, gs_handle handle, int paused) {
  int known = 1;
  pthread_mutex_lock(&gs.lock);
  if (handle) {
    known = 0;
    for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
      if (o->id == handle && o->kind == GS_STREAM) {
        ((gs_stream*)o)->paused = paused;
        known = 1;
      }
    }
  } else {
    unsigned bit = 1u << device;
    gs.paused = paused ? gs.paused | bit : gs.paused & ~bit;
    for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
      if (!paused && o->kind == GS_STREAM && o->context->device == device) ((gs_stream*)o)->paused = 0;
    }
  }
  wake_streams();
  pthread_mutex_unlock(&gs.lock);
  return known;
}

static void report_live(gs_text* text) {
  uint64_t counts[GS_COUNTS] = {0}, bytes = 0;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->kind == GS_CONTEXT) {
      counts[GS_CONTEXT] += (uint64_t)((gs_context*)o)->retains;
    } else if (!gs_is_part(o) && !(o->kind == GS_POOL && ((gs_pool*)o)->is_default)) {
      counts[o->kind]++;
    }
  }
  gs_block* block;
  for (size_t i = 0; (block = gs_block_each(i)); i++) {
    if (block->state == GS_FREED || block->kind == GS_GLOBAL_MEMORY) continue;
    counts[GS_COUNT_MEMORY + (int)block->kind]++;
    if (block->kind == GS_DEVICE_MEMORY) bytes += block->size;
  }
  for (int i = 0; i < GS_COUNTS; i++) {
    if (counts[i]) gs_text_add(text, "%s %llu\n", gs_kind_name(i), (unsigned long long)counts[i]);
  }
  if (bytes) gs_text_add(text, "memory bytes %llu\n", (unsigned long long)bytes);
}

static void report_abandoned(gs_text* text) {
  for (int i = 0; i < GS_COUNTS; i++) {
    if (gs.abandoned[i]) gs_text_add(text, "%s %llu\n", gs_kind_name(i), (unsigned long long)gs.abandoned[i]);
  }
}

// Writes as much of a report as fits, with a zero at the end, and returns its whole length.
GS_EXPORT size_t gpusim_report(int which, char* buffer, size_t size) {
  gs_text text = {0};
  pthread_mutex_lock(&gs.lock);
  if (which == 0) gs_report_calls(&text);
  if (which == 1) gs_report_misuses(&text);
  if (which == 2) report_live(&text);
  if (which == 3) report_abandoned(&text);
  if (which == 4) gs_report_places(&text);
  pthread_mutex_unlock(&gs.lock);
  size_t copied = text.length < size ? text.length : size ? size - 1 : 0;
  if (copied) memcpy(buffer, text.chars, copied);
  if (size) buffer[copied] = 0;
  free(text.chars);
  return text.length;
}

// Back to the beginning: all contexts end, all that was asked for is forgotten. What a thread has as
// its current context is none, and no handle from before is valid.
GS_EXPORT void gpusim_reset(void) {
  pthread_mutex_lock(&gs.lock);
  gs.paused = 0;
  gs_collectives_release();
  gs_contexts_reset();
  gs_pools_reset();
  gs.generation++;
  gs_collectives_reset();
  gs_changed();
  gs_faults_clear();
  gs_places_reset();
  memset(gs.abandoned, 0, sizeof gs.abandoned);
  configure();
  pthread_mutex_unlock(&gs.lock);
}
