// SPDX-License-Identifier: Apache-2.0
// What a test asks of collectives, and the functions that are about the library as a whole.
#include <stdio.h>
#include <string.h>

#include "collective.h"

enum { HANGS = 8, NAME = 32 };

static struct {
  char name[NAME];
  uint64_t until;  // by gs_nanos
} hangs[HANGS];
static unsigned stalled;  // ranks, one bit each
static char last_error[128];

static int find_hang(const char* name) {
  for (int i = 0; i < HANGS; i++) {
    if (!strcmp(hangs[i].name, name)) return i;
  }
  return -1;
}

int gs_collective_hang(const char* name) {
  uint64_t generation = gs.generation;
  for (;;) {
    int index = find_hang(name);
    if (index < 0) break;
    uint64_t now = gs_nanos();
    if (hangs[index].until <= now) hangs[index].name[0] = 0;
    if (gs.generation != generation) break;
    gs_wait_change(hangs[index].until > now ? hangs[index].until - now : 1);
  }
  return gs.generation == generation ? GS_CO_OK : GS_CO_SYSTEM_ERROR;
}

int gs_collective_hangs(const char* name) {
  int index = find_hang(name);
  return index >= 0 && hangs[index].until > gs_nanos();
}

int gs_collective_stalls(int rank) { return stalled >> rank & 1; }

int gs_collective_enter(gs_site* site, gs_frame* frame) {
  int code = gs_enter(site, frame, GS_NOTHING);
  if (code) snprintf(last_error, sizeof last_error, "%s failed on purpose, with %d", site->name, code);
  return code ? code : gs_collective_hang(site->name);
}

// For so long, or with UINT64_MAX until it is let go with 0.
GS_EXPORT void gpusim_collective_hang(const char* name, uint64_t nanos) {
  pthread_mutex_lock(&gs.lock);
  int index = find_hang(name);
  if (index < 0) index = find_hang("");
  if (index >= 0) {
    snprintf(hangs[index].name, NAME, "%s", nanos ? name : "");
    hangs[index].until = nanos == UINT64_MAX ? nanos : gs_nanos() + nanos;
  }
  gs_changed();
  pthread_mutex_unlock(&gs.lock);
}

GS_EXPORT void gpusim_collective_stall(int rank, int stalls) {
  pthread_mutex_lock(&gs.lock);
  stalled = stalls ? stalled | 1u << rank : stalled & ~(1u << rank);
  gs_changed();
  pthread_mutex_unlock(&gs.lock);
}

GS_EXPORT uint64_t gpusim_collective_aborted(void) {
  pthread_mutex_lock(&gs.lock);
  uint64_t count = gs_parts_aborted();
  pthread_mutex_unlock(&gs.lock);
  return count;
}

GS_EXPORT uint64_t gpusim_collective_reached(void) {
  pthread_mutex_lock(&gs.lock);
  uint64_t count = gs_parts_reached();
  pthread_mutex_unlock(&gs.lock);
  return count;
}

void gs_collectives_release(void) {
  memset(hangs, 0, sizeof hangs);
  stalled = 0;
}

void gs_collectives_reset(void) {
  gs_collectives_release();
  last_error[0] = 0;
  gs_comms_reset();
  gs_meetings_forget();
  gs_parts_reset();
  gs_groups_reset();
  memset(gs.half, 0, sizeof gs.half);
}

GS_EXPORT const char* gpusim_ncclGetErrorString(int code) {
  static const char* const texts[] = {"no error",         "unhandled device error",    "unhandled system error",
                                      "internal error",   "invalid argument",          "invalid usage",
                                      "remote process exited or there was a network error", "operation in progress"};
  return code >= 0 && code <= GS_CO_IN_PROGRESS ? texts[code] : "unknown result code";
}

GS_EXPORT const char* gpusim_ncclGetLastError(gs_handle comm) {
  static __thread char text[sizeof last_error];
  (void)comm;
  pthread_mutex_lock(&gs.lock);
  memcpy(text, last_error, sizeof text);
  pthread_mutex_unlock(&gs.lock);
  return text;
}
