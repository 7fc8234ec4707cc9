// SPDX-License-Identifier: Apache-2.0
// The interface between a library of compiled kernels and the runtime that calls it.
#ifndef HAL_ABI_H
#define HAL_ABI_H

// Raised with each change of this file that affects compiled libraries or the runtime.
#define HAL_ABI_VERSION 3

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned x, y, z;
} hal_index;

// One dispatch, as a thread that runs some of its workgroups sees it.
typedef struct hal_launch hal_launch;
struct hal_launch {
  void* const* arguments;  // where the value of each parameter is
  hal_index grid;          // in workgroups
  void* shared;            // dynamic shared memory, aligned to 64 bytes; this thread's own
  void (*stop)(int why, const char* text);  // ends the dispatch with a failure; does not return. `text`: a literal, or null
  void* (*stack)(unsigned index, unsigned long size);  // a stack of this thread for a fiber
  void* (*memory)(unsigned long size);  // memory of this thread, aligned to 64 bytes, until the kernel returns
  void (*print)(const char* text, unsigned long length);  // shown when the dispatch is over, if there is room
  void (*meet)(void);  // waits for the other workgroups of the dispatch, each on a thread of its own; null if they are not
};

enum { HAL_TRAPPED = 1, HAL_ASSERTED = 2, HAL_STUCK = 3, HAL_NOT_COOPERATIVE = 4, HAL_NO_MEMORY = 20 };

// Runs the workgroups from `first` on, counted along the first axis first.
typedef void hal_run(const hal_launch* launch, unsigned long long first, unsigned long long count);

typedef struct {
  unsigned size, align, is_pointer;
} hal_parameter;

// A library exports hal_kernel_0, hal_kernel_1 and so on, one for each of its kernels.
typedef struct {
  hal_run* run;
  unsigned count;
  const hal_parameter* parameters;
  const char* note;  // how it is run, and why not faster; for people
} hal_kernel;

// Likewise hal_global_0 and so on, for the variables that the host may access.
typedef struct {
  void* address;
  unsigned long size;
} hal_global;

#ifdef __cplusplus
}
#endif
#endif
