// SPDX-License-Identifier: Apache-2.0
// What the files of the simulated HIP runtime share. It exports what org.jhal.hip.jna maps, under the same names, and
// behaves like that of ROCm 7, which it calls itself unless another version is asked for; result codes are hipError_t's.
#ifndef HIP_FACE_H
#define HIP_FACE_H

#include <stdio.h>
#include <string.h>

#include "gpusim.h"

typedef uint64_t hipDeviceptr_t;

#define HIP GS_EXPORT int

#define HIP_ARCHITECTURE "gfx90a:sramecc+:xnack-"

enum { HIP_VERSION = 70051831, HIP_LDS = 64 << 10 };

// Gives something back: the work is done, and a failed device answers with its code all the same.
#define RELEASE(statement)     \
  GS_CALL(GS_DEVICE_RELEASE)   \
  int released_ = statement;   \
  return frame.sticky ? frame.sticky : released_

#define NOT_NULL(pointer) \
  if (!(pointer)) return GS_INVALID_VALUE

// Reads a list of packed arguments; all is null and zero if there is none.
int hip_packed(void** arguments, void** extra, const void** packed, size_t* size);
// What a kind of copy says of its addresses.
int hip_sides(int kind, enum gs_side* to, enum gs_side* from);

#endif
