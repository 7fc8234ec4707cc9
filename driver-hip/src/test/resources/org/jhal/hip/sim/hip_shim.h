// SPDX-License-Identifier: Apache-2.0
// A HIP runtime for NVIDIA devices, so that what is written for HIP runs on real streams, events, pools and kernels where
// there is no AMD device. It forwards each function that org.jhal.hip.jna maps to the CUDA driver API. Not the runtime of
// a device at all, it calls itself 7.0.0, or what JHAL_SHIM_VERSION says; the architecture of a device is sm_90 or the like.
#ifndef HIP_SHIM_H
#define HIP_SHIM_H

#include <stddef.h>
#include <stdint.h>

#define HIP __attribute__((visibility("default"))) int

// Opens the library that an environment variable names, or the first of the names that there is; null if none.
void* shim_open(const char* variable, const char* const* names);

typedef uint64_t handle;

// What HIP calls a result code of CUDA.
int shim_code(int cuda);
// Makes the context of the thread's device current, and tells it.
int shim_enter(handle* context);
// Rewrites a list of packed arguments for CUDA; 0, or HIP's code for a list that is wrong.
enum { SHIM_PACKED_WORDS = 5 };
int shim_packed(void** extra, void* list[SHIM_PACKED_WORDS]);

// Functions of CUDA that are found with the others; a null name ends the list.
typedef struct {
  void** to;
  const char* name;
} shim_function;
extern const shim_function shim_graph_functions[];

#endif
