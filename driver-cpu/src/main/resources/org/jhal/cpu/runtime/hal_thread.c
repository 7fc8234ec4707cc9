// SPDX-License-Identifier: Apache-2.0
// Memory of a thread that runs kernels: it grows with what kernels ask for, and stays until the thread ends.
#include "hal_runtime.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { FIBERS = 1024 };  // the most items of a workgroup

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

// The allocator may find the heap damaged. That fault must not leave it in the middle of its work, with its lock held.
static void* allocate(hal_thread* thread, size_t size) {
  int was_inside = thread->is_inside;
  thread->is_inside = 0;
  void* memory = aligned_alloc(64, size);
  thread->is_inside = was_inside;
  return memory;
}

static void release(hal_thread* thread, void* memory) {
  int was_inside = thread->is_inside;
  thread->is_inside = 0;
  free(memory);
  thread->is_inside = was_inside;
}

// Makes room for `size` bytes, whose former content is lost. Returns 0 if there is no memory.
static int grow(hal_thread* thread, char** memory, size_t* present, size_t size) {
  if (size <= *present) return 1;
  release(thread, *memory);
  *present = (size + 4095) / 4096 * 4096;
  *memory = allocate(thread, *present);
  if (!*memory) *present = 0;
  return *memory != NULL;
}

int hal_reserve_shared(hal_thread* thread, size_t size) {
  return grow(thread, &thread->shared, &thread->shared_size, size);
}

// Memory that a kernel asks for comes from blocks, each part behind the one before. The next kernel gets it again, in one
// block if this one has needed several.
struct hal_block {
  hal_block* before;
  size_t size, used;
  _Alignas(64) char memory[];
};

static void free_blocks(hal_thread* thread) {
  while (thread->blocks) {
    hal_block* block = thread->blocks;
    thread->blocks = block->before;
    release(thread, block);
  }
}

void hal_memory_begin(hal_thread* thread) {
  if (!thread->blocks) return;
  if (thread->blocks->before) {
    thread->block_size = 0;
    for (hal_block* block = thread->blocks; block; block = block->before) thread->block_size += block->used;
    free_blocks(thread);
  } else {
    thread->blocks->used = 0;
  }
}

void* hal_kernel_memory(unsigned long size) {
  hal_thread* thread = hal_current();
  size_t rounded = (size + 63) / 64 * 64;
  hal_block* block = thread->blocks;
  if (!block || block->size - block->used < rounded) {
    size_t room = rounded < thread->block_size ? thread->block_size : rounded;
    block = allocate(thread, sizeof *block + room);
    if (!block) hal_stop(HAL_NO_MEMORY, "their variables");
    *block = (hal_block){thread->blocks, room, 0};
    thread->blocks = block;
    thread->block_size = 0;
  }
  void* memory = block->memory + block->used;
  block->used += rounded;
  return memory;
}

static void free_stacks(hal_thread* thread) {
  if (thread->stacks) munmap(thread->stacks, thread->stacks_size);
  thread->stacks = NULL;
  thread->stack_size = thread->stack_count = 0;
}

// All stacks lie in one range, each above its guard. Where the system can, guards are marked inside the range. Elsewhere each
// stack is a mapping of its own, of which a process may have some 30,000; so those that are not used stay closed.
static int make_stacks(hal_thread* thread, size_t size) {
  free_stacks(thread);
  thread->stacks_size = (size + HAL_GUARD) * FIBERS;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char* all = mmap(NULL, thread->stacks_size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (all == MAP_FAILED) return 0;
  thread->stacks = all;
  thread->stack_size = size;
  unsigned marked = 0;
  while (marked < FIBERS && !madvise(all + marked * (size + HAL_GUARD), HAL_GUARD, MADV_GUARD_INSTALL)) marked++;
  if (marked == FIBERS) {
    thread->stack_count = FIBERS;
  } else if (mprotect(all, thread->stacks_size, PROT_NONE)) {
    free_stacks(thread);
    return 0;
  }
  return 1;
}

// A workgroup asks for its stacks in order, so none is in use when the first one is asked for.
void* hal_fiber_stack(unsigned index, unsigned long size) {
  hal_thread* thread = hal_current();
  if (thread->stack_size != size && !make_stacks(thread, size)) hal_stop(HAL_NO_MEMORY, "their stacks");
  char* stack = thread->stacks + index * (size + HAL_GUARD) + HAL_GUARD;
  if (index >= thread->stack_count) {
    if (index >= FIBERS || mprotect(stack, size, PROT_READ | PROT_WRITE)) {
      hal_stop(HAL_NO_MEMORY, "their stacks, whose number vm.max_map_count limits");
    }
    thread->stack_count = index + 1;
  }
  return stack;
}

int hal_is_below_stack(const hal_thread* thread, const char* address) {
  if (thread->low && address >= thread->low - HAL_GUARD && address < thread->low) return 1;
  if (!thread->stacks || address < thread->stacks || address >= thread->stacks + thread->stacks_size) return 0;
  return (size_t)(address - thread->stacks) % (thread->stack_size + HAL_GUARD) < HAL_GUARD;
}

int hal_thread_make(hal_thread* thread) {
  thread->signal_stack = malloc(HAL_SIGNAL_STACK);
  return thread->signal_stack != NULL;
}

void hal_thread_free(hal_thread* thread) {
  free(thread->signal_stack);
  free(thread->shared);
  free(thread->checked);
  free_blocks(thread);
  free_stacks(thread);
  hal_print_free(thread);
}
