// SPDX-License-Identifier: Apache-2.0
// A grid that runs, and the fibers on which its threads run.
#ifndef GPUSIM_GRID_H
#define GPUSIM_GRID_H

#include "fiber_switch.h"
#include "internal.h"
#include "report.h"

enum { WORD = 64 };  // bits

typedef struct fiber {
  gpusim_thread self;  // the first field: the kernel gives it back
  gs_place place;
  void* stack;
  struct fiber* next;  // in the list of those that wait, or of those that are free
  struct fiber* other;  // in the list of all of a grid
  unsigned long long mask, value;  // what it gives to its warp
  unsigned place_of_call;          // without a mask, it meets those that come to the same place
  unsigned lane;
  gpusim_exchanged* result;  // null if it waits for none
} fiber;

typedef struct {
  gpusim_run* run;
  void** arguments;
  gpusim_index grid, block;
  gpusim_index at_block, at_thread;  // the next thread to begin
  int begun_all;                     // no thread of this block is left to begin
  int over;                          // no block is left
  unsigned suspended;                // threads that have begun and wait at a barrier
  fiber *waiting, *waiting_last, *idle, *all;
  fiber *ready, **ready_end;  // those that may go on
  fiber* running;
  unsigned lanes;                                  // of a warp
  unsigned exchanging;                             // threads that wait for others of their warp
  fiber* warps[GS_MAX_THREADS / 32];               // those, by warp
  unsigned long long ended[GS_MAX_THREADS / WORD];  // a bit for each thread of the block
  unsigned round;                                  // of the barrier
  int counted[2];                                  // by the threads that have come to it
  gs_text printed;
  void* shared;
  unsigned shared_size;
  gs_place main;
  gs_crew* crew;  // of a cooperative launch, of which this is one block; else null
} grid;

extern __thread grid* gs_grid_current __attribute__((visibility("hidden")));

// A fiber that waited may go on.
void gs_grid_ready(grid* g, fiber* f);
// Ends the grid with a code. Does not return.
void gs_grid_trap(gpusim_thread* self, int code);

// See gpusim_thread.
void gs_warp_exchange(gpusim_thread* self, unsigned lanes, unsigned long long mask, unsigned place,
                      unsigned long long value, gpusim_exchanged* result);
// A thread ends: the others of its warp no longer wait for it.
void gs_warp_leave(grid* g, const gpusim_thread* self);
// No thread can go on: those go on that wait for whoever comes. Returns 0 if there are none.
int gs_warp_settle(grid* g);

#endif
