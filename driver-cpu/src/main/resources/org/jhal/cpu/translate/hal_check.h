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
  HAL_OUTSIDE = 1,     // of all that the dispatch may use
  HAL_READ_ONLY = 2,   // a buffer was written that the kernel only reads, as the bundle says
  HAL_MISALIGNED = 3,
  HAL_RACE = 4,        // with another item, unordered
  HAL_UNWRITTEN = 5,   // nothing has written what is read
  HAL_DIVERGED = 6,    // two items wait at different barriers
  HAL_ENDED = 7,       // an item has ended, and others wait at a barrier
  HAL_ABSENT = 8,      // lanes that a warp function names never come
  HAL_SHIFT = 9,       // by as many bits as the type has, or more
  HAL_DIVISION = 10,   // of an integer, by zero
  HAL_CONVERSION = 11, // to an integer that is too small for the number
};

enum {
  HAL_SITES = 4096,        // accesses in the code that compare addresses themselves, see hal_site
  HAL_RANGES = 128,        // of a dispatch
  HAL_PARTS = 2,           // of a form's memory: what it knows of items, and of warps
  HAL_FINDINGS = 256,
  HAL_VARIABLES = 256,     // of a thread; most of them in shared memory
  HAL_SHARED = 1000,       // the number of the first one
  HAL_DYNAMIC = 999,       // the number of the dynamic shared memory
  HAL_MOST_ITEMS = 1024,
  HAL_SERIAL_BITS = 21,
  HAL_ITEM_BITS = 10,
  HAL_NODES = 1024,
  HAL_FORM = 16 << 10,
};
enum { HAL_IS_READ_ONLY = 1, HAL_IS_SHARED = 2 };  // flags of ranges
enum { HAL_IS_WRITE = 1, HAL_IS_ATOMIC = 2, HAL_IS_VOLATILE = 4 };  // what an access does
enum { HAL_IS_SAME = 8 };  // of a race: both write the same value

// An access to some of four bytes. Who it was is the serial number of the interval between two meetings in which it was, and the
// item. What it was, hal_hooks.c says. Both change at once: threads that see who it was must see which bytes it was, too.
typedef struct {
  unsigned who, what;
} __attribute__((aligned(8))) hal_access;

// The accesses to four bytes: the last write, and a read.
typedef struct {
  hal_access write, read;
} hal_cell;

// Memory that a dispatch may use.
typedef struct hal_range hal_range;
struct hal_range {
  char* base;
  unsigned long long size;
  int number;  // of the parameter, HAL_DYNAMIC, or that of a shared variable
  unsigned flags;
  char* origin;             // of what follows
  hal_cell* cells;          // null if races are not looked for
  unsigned char* written;   // a bit for each byte; null if all are
  // The first access by which the dispatch has written bytes that nothing had written; 0 if there is none.
  unsigned long long first_at, first_group;  // as those of a finding
  unsigned first_item;
};

// Where an access in the code was last: in the range from `base` on, at one of `room` addresses. If only memory is checked, code
// compares its address with these, and calls a hook only if it is another one, see CheckedAssembly.
typedef struct {
  const char* base;
  unsigned long long room;
  hal_range* range;
  hal_cell* cells;         // these as those of the range
  unsigned char* written;
  unsigned long long from; // of what these are for to `base`, in bytes
  unsigned place;          // of the code, as an access has it
  unsigned is_alone;       // no other thread uses the range
  unsigned long long unused;
} hal_site;

typedef struct {
  unsigned kind, access, size;  // of the access, in bytes
  int range;                    // the nearest one, by its number; -1 if there is none
  unsigned long long at;        // of the code, from the start of the library
  unsigned long long address;
  long long offset;             // from the start of the range
  unsigned long long group;     // counted along x first, like items
  unsigned item;
  unsigned long long other_at;  // 0 if it is not known
  unsigned long long other_group;
  long long other_item;         // -1 if it is not known
  unsigned other_access;
  unsigned long long mask;      // of lanes
  unsigned long long count;     // of accesses like this one
} hal_finding;

// A place in memory by which work is published: fences and atomic operations that a workgroup has done before an atomic
// operation there.
typedef struct {
  unsigned group, before, own;  // accesses of the group with a lesser serial number, and those of one item
} hal_release;
typedef struct {
  char* at;
  unsigned count, room, hint;
  hal_release* releases;
} hal_node;

// What a device's dispatches are checked by, one at a time.
typedef struct hal_check hal_check;
struct hal_check {
  unsigned what;  // is checked
  int is_alone;   // one thread runs all
  unsigned count;
  hal_range ranges[HAL_RANGES];
  unsigned variables;  // of a thread; those in shared memory first
  struct { unsigned offset, size, is_shared; } variable[HAL_VARIABLES];
  unsigned anchor;     // where hal_anchor is among them
  unsigned first;      // serial number of the dispatch
  unsigned next;       // one that is free
  unsigned* groups;    // by serial number
  unsigned nodes;
  hal_node* node;
  int has_lost_nodes;
  void (*report)(hal_check* check, const hal_finding* finding);
  void (*lock)(hal_check* check, int locks);
  void* (*grow)(void* memory, unsigned long size);
};

// A thread that runs checked workgroups.
typedef struct hal_checked hal_checked;
typedef struct { hal_node* node; unsigned count; } hal_acquired;
struct hal_checked {
  hal_site site[HAL_SITES];  // the first member: code has their places
  hal_index thread, block, size, grid;  // those of the present item; kernels read them from here
  unsigned item, items;
  unsigned own;          // who the present item is in a cell; 0 if nothing is recorded
  unsigned old;          // less than that is of a dispatch before
  unsigned old_shared;   // likewise, of a workgroup before
  unsigned since;        // the serial number since the last barrier
  unsigned fence;        // since then, the item has executed a fence
  unsigned long long group;
  hal_check* check;
  long offset;           // of the pointer to this, from the thread pointer
  char *low, *high;      // the stack of the present item
  char *thread_low, *thread_high;
  char *form_low, *form_high;  // the part of the thread's stack that the form uses
  int is_inside;         // an item runs
  void (*abandon)(void); // ends the present item; does not return
  void* out[5];          // where items that never meet are abandoned to
  const void* place;     // of the call by which items meet
  unsigned ranges;
  hal_range shared[HAL_VARIABLES + 1];
  char* shared_written;
  unsigned long shared_bytes;  // of these
  char* dynamic;
  unsigned long dynamic_size;
  unsigned acquired;
  hal_acquired acquire[HAL_NODES];
  unsigned serials[HAL_MOST_ITEMS];
  unsigned fences[HAL_MOST_ITEMS];
  const void* places[HAL_MOST_ITEMS];  // where items wait at a barrier; null if they do not
  unsigned char ended[HAL_MOST_ITEMS];  // 1, or 2 after a finding
  unsigned has_ended;
  unsigned clocks[HAL_MOST_ITEMS][32];  // what each item knows of the lanes of its warp
  int has_clocks;
  int is_abandoned;
  struct { const char *low, *high; } part[HAL_PARTS];  // memory of the form
  unsigned parts;
  hal_finding pending;   // a race of two writes, whose values will be compared
  int has_pending;
  char before[16];       // what was there before the second one
};

// Where the variables of the calling thread are counted from.
static inline char* hal_thread_pointer(void) {
  char* pointer;
#if defined(__x86_64__)
  __asm__("movq %%fs:0, %0" : "=r"(pointer));
#else
  __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
  return pointer;
}

// What a checked kernel is launched with.
typedef struct {
  hal_launch launch;  // the first member
  hal_checked* checked;
} hal_checked_launch;

#ifdef __cplusplus
extern "C" {
#endif
// hal_hooks.c
void hal_checked_begin(const hal_launch* launch, hal_index size);
void hal_checked_end(void);
void hal_checked_items(const hal_launch* launch, unsigned long long first, unsigned long long count,
                       void (*one)(const hal_launch* launch, const hal_checked* self));
void hal_checked_group(unsigned long long group, hal_index block);
void hal_checked_become(unsigned item, hal_index thread, char* low, char* high, void (*abandon)(void));
void hal_checked_leave(unsigned item);
void hal_checked_note(const void* place);
void hal_checked_private(const void* low, const void* high);
void* hal_checked_allocated(void* made, unsigned long size);
const void* hal_checked_arrive(unsigned item, int is_barrier);
void hal_checked_barrier(void);
void hal_checked_meet(unsigned warp, unsigned mask);
void hal_checked_stuck(unsigned item, unsigned long long mask);
#ifdef __cplusplus
}
#endif
#endif
