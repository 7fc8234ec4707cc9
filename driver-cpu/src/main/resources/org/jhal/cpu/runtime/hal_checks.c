// SPDX-License-Identifier: Apache-2.0
// The runtime's part of checked kernels: what a dispatch may use, and what was found. See hal_check.h.
#include "hal_runtime.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static __thread hal_checked* own __attribute__((tls_model("initial-exec")));  // for kernels, by its offset

typedef struct {
  hal_check shared;  // with kernels; the first member
  pthread_mutex_t lock;
  int found;  // these guarded by the lock
  hal_finding findings[HAL_FINDINGS];
} checker;

static int is_same(const hal_finding* a, const hal_finding* b) {
  return a->kind == b->kind && a->at == b->at && a->range == b->range && a->access == b->access;
}

// Each finding once, with a count.
static void report(hal_check* check, const hal_finding* finding) {
  checker* of = (checker*)check;
  pthread_mutex_lock(&of->lock);
  int i = 0;
  while (i < of->found && !is_same(of->findings + i, finding)) i++;
  if (i < of->found) {
    of->findings[i].count++;
  } else if (i < HAL_FINDINGS) {
    of->findings[i] = *finding;
    of->findings[i].count = 1;
    of->found++;
  }
  pthread_mutex_unlock(&of->lock);
}

void hal_check_enter(hal_checked* self, char* low, char* high) {
  char* thread;
#if defined(__x86_64__)
  __asm__("movq %%fs:0, %0" : "=r"(thread));
#else
  __asm__("mrs %0, tpidr_el0" : "=r"(thread));
#endif
  self->offset = (char*)&own - thread;
  self->low = low;
  self->high = high;
  own = self;
}

// ---- for Java ----

// Returns NULL if there is no memory. `what`: the sum of what is checked.
HAL_EXPORT hal_check* hal_check_make(int what) {
  checker* made = calloc(1, sizeof *made);
  if (!made) return NULL;
  pthread_mutex_init(&made->lock, NULL);
  made->shared.what = (unsigned)what;
  made->shared.report = report;
  return &made->shared;
}

HAL_EXPORT void hal_check_free(hal_check* check) {
  if (check) pthread_mutex_destroy(&((checker*)check)->lock);
  free(check);
}

// Begins a dispatch, without ranges.
HAL_EXPORT void hal_check_begin(hal_check* check) {
  check->count = 0;
  ((checker*)check)->found = 0;
}

// Adds memory that the dispatch may use. Returns 0 if there is no room.
HAL_EXPORT int hal_check_range(hal_check* check, char* base, unsigned long long size, int number, int flags) {
  if (check->count == HAL_RANGES) return 0;
  check->ranges[check->count++] = (hal_range){base, size, number, (unsigned)flags};
  return 1;
}

// How many findings there are.
HAL_EXPORT int hal_check_found(hal_check* check) { return ((checker*)check)->found; }

// Writes a finding, each of its fields as a number, in the order of the struct.
HAL_EXPORT void hal_check_finding(hal_check* check, int index, long long* out) {
  const hal_finding* f = ((checker*)check)->findings + index;
  *out++ = f->kind, *out++ = f->access, *out++ = f->size, *out++ = f->range;
  *out++ = (long long)f->at, *out++ = (long long)f->address, *out++ = f->offset;
  *out++ = (long long)f->group, *out++ = f->item, *out++ = (long long)f->count;
}

HAL_EXPORT void hal_function_check(hal_function* function, hal_check* check) { function->check = check; }
