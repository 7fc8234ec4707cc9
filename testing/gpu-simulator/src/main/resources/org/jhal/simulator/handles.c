// SPDX-License-Identifier: Apache-2.0
// Handles: numbers that are never given twice, so that the use of a destroyed one is found.
#include <stdlib.h>

#include "internal.h"

enum { BUCKETS = 4096 };

static gs_object* table[BUCKETS];
static uint64_t given;

static const uint64_t BASE = 0x600000000000;  // looks like an address, but is none

static unsigned bucket(gs_handle handle) { return (unsigned)(handle >> 8) % BUCKETS; }

const char* gs_kind_name(int count) {
  static const char* const names[GS_COUNTS] = {"context",     "stream",       "event",    "module", "function",
                                               "pool",        "graph",        "graph node", "graph exec", "communicator", "place",
                                               "memory",      "host memory",  "registration", "operation"};
  return names[count];
}

int gs_is_part(gs_object* object) { return object->kind == GS_FUNCTION || object->kind == GS_GRAPH_NODE; }

void gs_object_add(gs_object* object, enum gs_kind kind, gs_context* context, void (*destroy)(gs_object*)) {
  object->id = BASE | ++given << 8 | (uint64_t)kind << 4;
  object->kind = kind;
  object->context = context;
  object->refs = 1;
  object->destroy = destroy;
  if (context && &context->object != object) gs_ref(&context->object);
  gs_object** at = &table[bucket(object->id)];
  object->next = *at;
  *at = object;
}

void gs_object_remove(gs_object* object) {
  for (gs_object** at = &table[bucket(object->id)]; *at; at = &(*at)->next) {
    if (*at == object) {
      *at = object->next;
      gs_unref(object);
      return;
    }
  }
}

void gs_ref(gs_object* object) { object->refs++; }

void gs_unref(gs_object* object) {
  if (--object->refs > 0) return;
  gs_context* context = object->context;
  int own = context && &context->object == object;
  object->destroy(object);
  if (context && !own) gs_unref(&context->object);
}

void* gs_find(gs_handle handle, enum gs_kind kind) {
  for (gs_object* o = table[bucket(handle)]; o; o = o->next) {
    if (o->id == handle) {
      if (o->kind == kind) return o;
      gs_misuse("%#llx is a %s, not a %s", (unsigned long long)handle, gs_kind_name(o->kind), gs_kind_name(kind));
      return NULL;
    }
  }
  uint64_t number = (handle & ~BASE) >> 8;
  int was = (handle & BASE) == BASE && number >= 1 && number <= given;
  gs_misuse(was ? "the %s %#llx was destroyed" : "the %s %#llx does not exist", gs_kind_name(kind),
            (unsigned long long)handle);
  return NULL;
}

gs_object* gs_first(gs_object* after) {
  if (after && after->next) return after->next;
  for (unsigned i = after ? bucket(after->id) + 1 : 0; i < BUCKETS; i++) {
    if (table[i]) return table[i];
  }
  return NULL;
}
