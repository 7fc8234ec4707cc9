// SPDX-License-Identifier: Apache-2.0
// Green contexts: parts of a device's multiprocessors. A device has 18 of them to divide, at least four at a time.
#include <stdlib.h>

#include "cuda_face.h"

enum { MULTIPROCESSORS = 18, LEAST = 4, TYPE_SM = 1, DEFAULT_STREAM = 1, SPLITS = 1 << 20 };

typedef struct {
  int type;
  struct {
    uint64_t units;      // one bit each
    unsigned split;      // by which it was made, or 0 for the whole device
    int device;
    char rest[92 - 16];  // so that the next member is where cuda.h has it
  } __attribute__((packed, aligned(4))) own;
  struct {
    unsigned count, least, alignment;
  } sm;
  char oversize[48 - 12];
} CUdevResource;

_Static_assert(sizeof(CUdevResource) == 144 && offsetof(CUdevResource, sm) == 96, "the layout of cuda.h");

typedef struct {
  uint64_t units;
  int device;
} description;

static unsigned splits;

static void describe(CUdevResource* resource, int device, uint64_t units, unsigned split) {
  memset(resource, 0, sizeof *resource);
  resource->type = units ? TYPE_SM : 0;
  resource->own.units = units;
  resource->own.split = split;
  resource->own.device = device;
  resource->sm.count = (unsigned)__builtin_popcountll(units);
  resource->sm.least = resource->sm.alignment = LEAST;
}

CU cuDeviceGetDevResource(CUdevice device, CUdevResource* resource, int type) {
  GS_CALL(GS_INIT)
  if (!resource || type != TYPE_SM) return GS_INVALID_VALUE;
  if (device < 0 || device >= gs_device_count()) return GS_INVALID_DEVICE;
  describe(resource, device, (1u << MULTIPROCESSORS) - 1, 0);
  return GS_OK;
}

CU cuDevSmResourceSplitByCount(CUdevResource* result, unsigned* groups, const CUdevResource* input, CUdevResource* remaining,
                               unsigned flags, unsigned least) {
  GS_CALL(GS_INIT)
  if (!groups || !input || flags || input->type != TYPE_SM || least > input->sm.count) return GS_INVALID_VALUE;
  if (input->own.split) {
    gs_misuse("the result of a split is split again");
    return GS_INVALID_VALUE;
  }
  unsigned size = least < LEAST ? LEAST : (least + LEAST - 1) / LEAST * LEAST;
  unsigned most = input->sm.count / size;
  if (!result || *groups > most) *groups = most;
  if (!result) return GS_OK;
  unsigned split = ++splits % SPLITS + 1;
  for (unsigned i = 0; i < *groups; i++) describe(&result[i], input->own.device, ((1ull << size) - 1) << (i * size), split);
  if (remaining) describe(remaining, input->own.device, input->own.units >> (*groups * size) << (*groups * size), split);
  return GS_OK;
}

CU cuDevResourceGenerateDesc(description** desc, const CUdevResource* resources, unsigned count) {
  GS_CALL(GS_INIT)
  if (!desc || !resources || !count) return GS_INVALID_VALUE;
  description made = {0, resources->own.device};
  for (unsigned i = 0; i < count; i++) {
    const CUdevResource* one = &resources[i];
    int fits = one->type == TYPE_SM && one->own.device == made.device && one->own.split == resources->own.split;
    if (!fits || made.units & one->own.units) {
      gs_misuse("the resources do not belong together");
      return GS_INVALID_VALUE;
    }
    made.units |= one->own.units;
  }
  *desc = malloc(sizeof made);  // no function frees one
  **desc = made;
  return GS_OK;
}

CU cuGreenCtxCreate(gs_handle* context, const description* desc, CUdevice device, unsigned flags) {
  GS_CALL(GS_CURRENT)
  if (!context || !desc || flags != DEFAULT_STREAM) return GS_INVALID_VALUE;
  if (desc->device != device || gs_context_device(frame.context) != device) return GS_INVALID_DEVICE;
  return gs_place_create(frame.context, desc->units, context);
}

CU cuGreenCtxDestroy(gs_handle context) { RELEASE(gs_place_destroy(context)); }

CU cuGreenCtxStreamCreate(gs_handle* stream, gs_handle context, unsigned flags, int priority) {
  GS_CALL(GS_CURRENT)
  if (!stream || flags != 1) return GS_INVALID_VALUE;
  return gs_place_stream(context, flags, priority > 0 ? 0 : priority < -5 ? -5 : priority, stream);
}

CU cuCtxFromGreenCtx(gs_handle* context, gs_handle green) {
  GS_CALL(GS_INIT)
  uint64_t units;
  if (!context || !gs_place_find(green, &units)) return GS_INVALID_VALUE;
  *context = green;
  return GS_OK;
}
