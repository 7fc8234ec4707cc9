// SPDX-License-Identifier: Apache-2.0
// What a compiled kernel and the simulator tell each other. A kernel NAME comes with NAME__args, a
// gpusim_args, and NAME__run, a gpusim_run; NAME__shared, an unsigned, may give its static shared memory.
#ifndef GPUSIM_KERNEL_H
#define GPUSIM_KERNEL_H

#ifdef __cplusplus
typedef uint3 gpusim_index;
#else
typedef struct {
  unsigned x, y, z;
} gpusim_index;
#endif

// What the threads of a warp have given each other.
typedef struct {
  unsigned long long given;  // by which lanes
  unsigned long long values[64];
} gpusim_exchanged;

// One thread of a grid, as the kernel sees itself.
typedef struct gpusim_thread gpusim_thread;
struct gpusim_thread {
  gpusim_index thread, block, block_dim, grid_dim;
  void* shared;                                // the dynamic shared memory of the block
  void (*sync)(gpusim_thread*);                // waits for the block's other threads
  void (*trap)(gpusim_thread*, int code);      // ends the whole grid
  int (*count)(gpusim_thread*, int yes);       // waits as sync does, and returns how many have said yes
  // Gives a value to the other threads of a warp, which has so many lanes, and waits for those that the mask names and
  // that have not ended; with mask 0, for those that come before all threads wait.
  void (*exchange)(gpusim_thread*, unsigned lanes, unsigned long long mask, unsigned place, unsigned long long value,
                   gpusim_exchanged*);
  void (*print)(gpusim_thread*, const char* text, unsigned long length);  // seen when the grid has ended
  void (*sync_grid)(gpusim_thread*);  // waits for all threads of all blocks; null unless the launch is cooperative
};

typedef struct {
  unsigned offset, size, pointer;
} gpusim_arg;

typedef struct {
  unsigned count;
  gpusim_arg arg[1];  // count of them, and one more whose offset is the size of all
} gpusim_args;

// A module may have gpusim_architecture, a string: what it was made for; and the ints gpusim_toolkit, the version of the
// driver that came with its compiler, and gpusim_text, whether it stands for text that the driver compiles.
typedef void gpusim_run(void** arguments, gpusim_thread* self);

#endif
