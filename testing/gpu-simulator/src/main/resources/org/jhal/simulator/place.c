// SPDX-License-Identifier: Apache-2.0
// Places: parts of a device's compute units. A stream of one runs its kernels there; the kernels of a graph run in the places
// that their nodes were made for, whatever the stream. It counts which kernels were given to which units.
#include <stdlib.h>

#include "internal.h"
#include "report.h"

enum { MOST = 256 };

typedef struct {
  gs_object object;
  uint64_t units;  // one bit each
} gs_place;

static struct {
  uint64_t units, kernels;
} counts[MOST];
static int kinds;

static void place_free(gs_object* object) { free(object); }

int gs_place_create(gs_context* context, uint64_t units, gs_handle* handle) {
  gs_place* place = calloc(1, sizeof *place);
  place->units = units;
  gs_object_add(&place->object, GS_PLACE, context, place_free);
  *handle = place->object.id;
  return GS_OK;
}

int gs_is_place(gs_handle handle) { return (int)(handle >> 4 & 15) == GS_PLACE; }

gs_context* gs_place_find(gs_handle handle, uint64_t* units) {
  gs_place* place = gs_find(handle, GS_PLACE);
  if (!place) return NULL;
  *units = place->units;
  return place->object.context;
}

int gs_place_destroy(gs_handle handle) {
  gs_place* place = gs_find(handle, GS_PLACE);
  if (!place) return GS_INVALID_HANDLE;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->kind == GS_STREAM && ((gs_stream*)o)->place == handle) gs_misuse("a stream is left in the place that is destroyed");
  }
  gs_object_remove(&place->object);
  return GS_OK;
}

int gs_place_stream(gs_handle handle, unsigned flags, int priority, gs_handle* stream) {
  uint64_t units;
  gs_context* context = gs_place_find(handle, &units);
  if (!context) return GS_INVALID_HANDLE;
  int code = gs_stream_create(context, flags, priority, stream);
  if (code) return code;
  gs_stream* made = gs_stream_find(*stream);
  made->place = handle;
  made->units = units;
  return GS_OK;
}

int gs_stream_place(gs_handle handle, uint64_t units) {
  gs_stream* stream = gs_stream_find(handle);
  if (!stream) return GS_INVALID_HANDLE;
  stream->units = units;
  return GS_OK;
}

void gs_work_place(gs_work* work, uint64_t units) { work->units = units; }

void gs_place_count(uint64_t units) {
  int i = 0;
  while (i < kinds && counts[i].units != units) i++;
  if (i == MOST) return;
  if (i == kinds) counts[kinds++].units = units;
  counts[i].kernels++;
}

void gs_places_reset(void) {
  for (int i = 0; i < kinds; i++) counts[i].kernels = 0;
}

void gs_report_places(gs_text* text) {
  for (int i = 0; i < kinds; i++) {
    if (counts[i].kernels)
      gs_text_add(text, "%#llx %llu\n", (unsigned long long)counts[i].units, (unsigned long long)counts[i].kernels);
  }
}
