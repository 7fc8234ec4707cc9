// What a compiled kernel and the simulator tell each other. A kernel NAME comes with NAME__args, a
// gpusim_args, and NAME__run, a gpusim_run; NAME__shared, an unsigned, may give its static shared memory.
#ifndef GPUSIM_KERNEL_H
#define GPUSIM_KERNEL_H

typedef struct {
  unsigned x, y, z;
} gpusim_index;

// One thread of a grid, as the kernel sees itself.
typedef struct gpusim_thread gpusim_thread;
struct gpusim_thread {
  gpusim_index thread, block, block_dim, grid_dim;
  void* shared;                                // the dynamic shared memory of the block
  void (*sync)(gpusim_thread*);                // waits for the block's other threads
  void (*trap)(gpusim_thread*, int code);      // ends the whole grid
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
