// SPDX-License-Identifier: Apache-2.0
// What checked kernels and the runtime share. The compiler's instrumentation calls the hooks of hal_hooks.c for each access
// to memory. They look the address up in the ranges that the dispatch may use, and report what is wrong to the runtime.
// Java writes the ranges and reads the findings.
#ifndef HAL_CHECK_H
#define HAL_CHECK_H
#include "hal_abi.h"

enum { HAL_CHECKS_MEMORY = 1, HAL_CHECKS_RACES = 2, HAL_CHECKS_BARRIERS = 4, HAL_CHECKS_VALUES = 8 };

// Kinds of findings.
enum {
  HAL_OUTSIDE = 1,    // of all that the dispatch may use
  HAL_READ_ONLY = 2,  // a buffer was written that the kernel only reads, as the bundle says
  HAL_MISALIGNED = 3,
};

enum { HAL_RANGES = 128, HAL_FINDINGS = 256 };
enum { HAL_IS_READ_ONLY = 1 };           // flags of ranges
enum { HAL_IS_WRITE = 1, HAL_IS_ATOMIC = 2 };  // what an access does

// Memory that a dispatch may use.
typedef struct {
  char* base;
  unsigned long long size;
  int number;  // of the parameter, or, behind those, of the shared variable
  unsigned flags;
} hal_range;

typedef struct {
  unsigned kind, access, size;  // of the access, in bytes
  int range;                    // the nearest one, by its number; -1 if there is none
  unsigned long long at;        // of the code, from the start of the library
  unsigned long long address;
  long long offset;             // from the start of the range
  unsigned long long group;     // counted along x first, like items
  unsigned item;
  unsigned long long count;     // of accesses like this one
} hal_finding;

// What a device's dispatches are checked by, one at a time.
typedef struct hal_check hal_check;
struct hal_check {
  unsigned what;  // is checked
  unsigned count;
  hal_range ranges[HAL_RANGES];
  void (*report)(hal_check* check, const hal_finding* finding);
};

// A thread that runs checked workgroups.
typedef struct hal_checked hal_checked;
struct hal_checked {
  hal_index thread, block, size, grid;  // those of the present item; kernels read them from here
  unsigned item;
  unsigned long long group;
  hal_check* check;
  long offset;           // of the pointer to this, from the thread pointer
  char *low, *high;      // the stack of the present item
  int is_inside;         // an item runs
  void (*abandon)(void);  // ends the present item; does not return
  void* out[5];           // where items that never meet are abandoned to
};

// What a checked kernel is launched with.
typedef struct {
  hal_launch launch;  // the first member
  hal_checked* checked;
} hal_checked_launch;

#ifdef __cplusplus
extern "C" {
#endif
// hal_hooks.c
void hal_checked_begin(const hal_launch* launch);
void hal_checked_become(unsigned item, hal_index thread);
void hal_checked_items(const hal_launch* launch, unsigned long long first, unsigned long long count, hal_index size,
                       void (*one)(const hal_launch* launch, const hal_checked* self));
#ifdef __cplusplus
}
#endif
#endif
