// SPDX-License-Identifier: Apache-2.0
// Entering functions: counting, delays, holds, faults on purpose; and remembering misuse.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "report.h"

enum { NAME = 64, MISUSES = 256 };

enum kind { FAULT, DELAY, HOLD };

// What somebody asked for.
typedef struct rule rule;
struct rule {
  rule* next;
  enum kind kind;
  char name[NAME];
  int left;  // uses until it strikes
  int code, for_good;
  uint64_t delay;
};

static rule* rules;
static gs_site* sites;
static char* misuses[MISUSES];
static int misuse_count;
static __thread const char* current_call = "";

void gs_call_begin(const char* name) { current_call = name; }
const char* gs_call_name(void) { return current_call; }

int gs_fault(const char* name, int* for_good) {
  for (rule** at = &rules; *at;) {
    rule* r = *at;
    if (r->kind == FAULT && !strcmp(r->name, name) && --r->left == 0) {
      int code = r->code;
      *for_good = r->for_good;
      *at = r->next;
      free(r);
      return code;
    }
    at = &r->next;
  }
  return GS_OK;
}

uint64_t gs_delay_of(const char* name) {
  uint64_t nanos = 0;
  for (rule* r = rules; r; r = r->next) {
    if (r->kind == DELAY && !strcmp(r->name, name)) nanos = r->delay;
  }
  return nanos;
}

static int is_held(const char* name) {
  for (rule* r = rules; r; r = r->next) {
    if (r->kind == HOLD && !strcmp(r->name, name)) return 1;
  }
  return 0;
}

void gs_hold(gs_context* context, const char* name) {
  int is_here = 0;
  for (rule* r = rules; r; r = r->next) {
    if (r->kind != HOLD || strcmp(r->name, name)) continue;
    if (r->left > 1) {
      r->left--;
    } else {
      is_here = 1;
    }
  }
  while (is_here && !context->sticky && is_held(name)) gs_wait_change(UINT64_MAX);
}

void gs_faults_clear(void) {
  while (rules) {
    rule* r = rules;
    rules = r->next;
    free(r);
  }
  for (gs_site* site = sites; site; site = site->next) site->calls = 0;
  for (int i = 0; i < misuse_count && i < MISUSES; i++) free(misuses[i]);
  misuse_count = 0;
}

void gs_misuse(const char* format, ...) {
  char text[512];
  int length = snprintf(text, sizeof text, "%s: ", current_call);
  va_list list;
  va_start(list, format);
  vsnprintf(text + length, sizeof text - (size_t)length, format, list);
  va_end(list);
  if (misuse_count < MISUSES) misuses[misuse_count] = strdup(text);
  misuse_count++;
}

static int need_context(gs_frame* frame, enum gs_need need) {
  if (!frame->context) {
    gs_misuse("no context is current on this thread");
    return GS_INVALID_CONTEXT;
  }
  if (frame->context->destroyed) {
    gs_misuse("the current context was destroyed");
    return GS_CONTEXT_DESTROYED;
  }
  frame->sticky = frame->context->sticky;
  return need == GS_CURRENT || need == GS_DEVICE ? frame->sticky : GS_OK;
}

int gs_enter(gs_site* site, gs_frame* frame, enum gs_need need) {
  pthread_mutex_lock(&gs.lock);
  frame->locked = 1;
  frame->outer = current_call;
  current_call = site->name;
  if (!site->registered) {
    site->registered = 1;
    site->next = sites;
    sites = site;
  }
  site->calls++;
  uint64_t delay = gs_delay_of(site->name);
  if (delay) {
    pthread_mutex_unlock(&gs.lock);
    gs_sleep(delay);
    pthread_mutex_lock(&gs.lock);
  }
  int has_device = need == GS_DEVICE || need == GS_DEVICE_RELEASE;
  frame->context = has_device && gs.devices ? gs_device_context() : gs_current_context();
  int for_good = 0;
  int code = gs_fault(site->name, &for_good);
  if (for_good) {
    for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
      gs_context* context = (gs_context*)o;
      if (o->kind == GS_CONTEXT && (!frame->context || context == frame->context)) {
        gs_context_kill(context, code);
      }
    }
  }
  if (code) return code;
  if (need == GS_NOTHING) return GS_OK;
  if (has_device) return gs.devices ? need_context(frame, need) : GS_NO_DEVICE;
  if (!gs.initialised) return GS_NOT_INITIALIZED;
  return need == GS_INIT ? GS_OK : need_context(frame, need);
}

void gs_leave(gs_frame* frame) {
  if (!frame->locked) return;
  current_call = frame->outer;
  pthread_mutex_unlock(&gs.lock);
}

static void add(enum kind kind, const char* name, int nth, int code, int for_good, uint64_t delay) {
  rule* r = calloc(1, sizeof *r);
  r->kind = kind;
  snprintf(r->name, NAME, "%s", name);
  r->left = nth;
  r->code = code;
  r->for_good = for_good;
  r->delay = delay;
  r->next = rules;
  rules = r;
}

GS_EXPORT void gpusim_fail(const char* name, int nth, int code, int for_good) {
  pthread_mutex_lock(&gs.lock);
  add(FAULT, name, nth, code, for_good, 0);
  pthread_mutex_unlock(&gs.lock);
}

// Removes all of a kind that is about a name.
static void drop(enum kind kind, const char* name) {
  for (rule** at = &rules; *at;) {
    rule* r = *at;
    if (r->kind == kind && !strcmp(r->name, name)) {
      *at = r->next;
      free(r);
    } else {
      at = &r->next;
    }
  }
}

// Takes back the faults that have not struck.
GS_EXPORT void gpusim_pass(const char* name) {
  pthread_mutex_lock(&gs.lock);
  drop(FAULT, name);
  pthread_mutex_unlock(&gs.lock);
}

GS_EXPORT void gpusim_delay(const char* name, uint64_t nanos) {
  pthread_mutex_lock(&gs.lock);
  drop(DELAY, name);
  if (nanos) add(DELAY, name, 0, 0, 0, nanos);
  pthread_mutex_unlock(&gs.lock);
}

// Holds the nth work from now on, and all later work, before it runs; 0 lets go of it.
GS_EXPORT void gpusim_hold(const char* name, int nth) {
  pthread_mutex_lock(&gs.lock);
  drop(HOLD, name);
  if (nth) add(HOLD, name, nth, 0, 0, 0);
  gs_changed();
  pthread_mutex_unlock(&gs.lock);
}

void gs_report_calls(gs_text* text) {
  for (gs_site* site = sites; site; site = site->next) {
    if (site->calls) gs_text_add(text, "%s %llu\n", site->name, (unsigned long long)site->calls);
  }
}

void gs_report_misuses(gs_text* text) {
  for (int i = 0; i < misuse_count && i < MISUSES; i++) gs_text_add(text, "%s\n", misuses[i]);
  if (misuse_count > MISUSES) gs_text_add(text, "and %d more\n", misuse_count - MISUSES);
}
