// What the files of the simulated HIP runtime share. It exports what org.jhal.hip.jna maps, under the same names, and
// behaves like that of ROCm 6 unless another version is asked for; result codes are hipError_t's.
#ifndef HIP_FACE_H
#define HIP_FACE_H

#include <stdio.h>
#include <string.h>

#include "gpusim.h"

typedef uint64_t hipDeviceptr_t;

#define HIP GS_EXPORT int

#define HIP_ARCHITECTURE "gfx90a:sramecc+:xnack-"

enum { HIP_VERSION = 60342131, HIP_LDS = 64 << 10 };

// Gives something back: the work is done, and a failed device answers with its code all the same.
#define RELEASE(statement)     \
  GS_CALL(GS_DEVICE_RELEASE)   \
  int released_ = statement;   \
  return frame.sticky ? frame.sticky : released_

#define NOT_NULL(pointer) \
  if (!(pointer)) return GS_INVALID_VALUE

static inline int hip_major(void) { return gs_driver_version(HIP_VERSION) / 10000000; }

#endif
