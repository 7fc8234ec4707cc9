// SPDX-License-Identifier: Apache-2.0
// What the files of the simulated driver library share. It exports what the real one exports, under
// the same names; result codes are CUresult's.
#ifndef CUDA_FACE_H
#define CUDA_FACE_H

#include <stdio.h>
#include <string.h>

#include "gpusim.h"

typedef int CUdevice;
typedef uint64_t CUdeviceptr;

#define CU GS_EXPORT int

// Gives something back: the work is done, and a failed context answers with its code all the same.
#define RELEASE(statement)                    \
  GS_CALL(GS_RELEASE)                         \
  int released_ = statement;                  \
  return frame.sticky ? frame.sticky : released_

#define NOT_NULL(pointer) \
  if (!(pointer)) return GS_INVALID_VALUE

// Reads a list of packed arguments; all is null and zero if there is none.
int cuda_packed(void** arguments, void** extra, const void** packed, size_t* size);

#endif
