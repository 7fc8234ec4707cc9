// SPDX-License-Identifier: Apache-2.0
// What the files of the runtime share. Kernels run on threads that the runtime makes itself, and on those that launch them, but
// on the runtime's own stacks. Each file has one job:
// hal_faults.c turns faults of kernels into failures, hal_thread.c has the memory of a thread, hal_print.c what kernels
// print, hal_pool.c spreads workgroups over the threads, hal_crew.c runs those that wait for each other, hal_library.c has compiled kernels, hal_checks.c what is found in checked ones, hal_memory.c the memory of devices.
#ifndef HAL_RUNTIME_H
#define HAL_RUNTIME_H

#undef _FORTIFY_SOURCE  // with it, a kernel could not stop on a stack above its thread's own
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "hal_abi.h"
#include "hal_check.h"

#define HAL_EXPORT __attribute__((visibility("default")))

// Why a dispatch failed, in addition to the reasons in hal_abi.h.
enum {
  HAL_ILLEGAL_ADDRESS = 16,
  HAL_ARITHMETIC = 17,
  HAL_ILLEGAL_INSTRUCTION = 18,
  HAL_STACK_OVERFLOW = 19,
};

enum {
  HAL_GUARD = 64 << 10,         // bytes below each stack
  HAL_SIGNAL_STACK = 64 << 10,  // on which the handler runs
  HAL_TEXT = 256,               // of the details about a failure
  HAL_RESIDENT = 64,            // workgroups that can wait for each other; HalRuntime.java has it, too
};

// What is launched: a kernel, and what a workgroup of it has taken lately, in nanoseconds; 0 if none has run.
typedef struct {
  hal_run* run;
  _Atomic long long group_nanos;
  hal_check* check;  // NULL unless the kernel was compiled to be checked
  int is_cooperative;  // its workgroups may wait for each other
} hal_function;

// A dispatch. Grids in Java writes it, field by field.
typedef struct {
  hal_function* function;
  void* const* arguments;
  hal_index size;
  unsigned shared_size;
} hal_grid;

typedef struct hal_block hal_block;
typedef struct hal_memory hal_memory;

// A thread that runs kernels. Only that thread uses it.
typedef struct {
  // Failures.
  sigjmp_buf out;
  sigset_t mask;              // the signals that it blocks
  volatile int is_inside;     // it runs a kernel, and a fault is the kernel's
  volatile int reason;        // why the kernel failed
  const char* volatile said;  // the kernel's own details about that, or NULL
  void* volatile address;     // of the memory that it tried to access
  volatile int has_address;
  void* signal_stack;
  stack_t signal_stack_before;
  char* low;                  // the end of the stack that it runs kernels on; null if it is not known

  // Memory for kernels, which grows and stays.
  char* shared;
  size_t shared_size;
  hal_block* blocks;          // of what a kernel asks for, the last one first
  size_t block_size;          // of the next one
  char* stacks;               // of fibers
  size_t stacks_size, stack_size;
  unsigned stack_count;       // how many of them can be used

  // What its workgroups have printed.
  char* printed;
  size_t printed_length;
  _Atomic long* print_room;   // how many bytes the dispatch may still print
  _Atomic long* unprinted;    // how many calls had no room

  char* high;                 // behind the thread's own stack; null if it is not known
  hal_checked* checked;       // for kernels that are checked; NULL before the first
} hal_thread;

// hal_faults.c. A thread enters itself before it runs kernels, and leaves afterwards.
int hal_faults_install(void);  // for good; 0 if that fails
void hal_faults_enter(hal_thread* thread);
void hal_faults_leave(void);
hal_thread* hal_current(void);
// Runs workgroups. Returns why they have failed, or 0.
int hal_call(hal_thread* thread, hal_run* run, const hal_launch* launch, unsigned long long first, unsigned long long count);
// Ends the calling thread's kernel with a failure. `text` may be NULL. It must stay valid until hal_describe has copied it, so it
// cannot lie on the kernel's stack.
_Noreturn void hal_stop(int why, const char* text);
// Writes details about the failure that hal_call has just returned; empty if there are none.
void hal_describe(const hal_thread* thread, char text[HAL_TEXT]);
// Blocks all signals but those of faults for the calling thread, so that they reach the program's own threads.
void hal_block_signals(sigset_t* before);

// hal_checks.c
int hal_check_enter(hal_thread* thread);  // which is the calling one; 0 if there is no memory

// hal_thread.c
int hal_thread_make(hal_thread* thread);  // 0 if there is no memory
void hal_thread_free(hal_thread* thread);
int hal_reserve_shared(hal_thread* thread, size_t size);  // 0 if there is no memory
int hal_is_below_stack(const hal_thread* thread, const char* address);
void hal_memory_begin(hal_thread* thread);  // a kernel begins, and has asked for no memory yet
// What kernels call: these end the kernel if there is no memory.
void* hal_fiber_stack(unsigned index, unsigned long size);
void* hal_kernel_memory(unsigned long size);

// hal_print.c. What the workgroups of one dispatch print, until it is over.
typedef struct hal_printed hal_printed;
typedef struct {
  _Atomic(hal_printed*) pieces;
  _Atomic long room, unprinted;
} hal_output;
void hal_output_begin(hal_output* output);
int hal_has_output(hal_output* output);
void hal_output_write(hal_output* output);  // and ends it
void hal_print_begin(hal_thread* thread, hal_output* output);
void hal_print(const char* text, unsigned long length);
void hal_print_end(hal_thread* thread, hal_output* output, unsigned long long first);
void hal_print_free(hal_thread* thread);

// Why a grid has failed.
typedef struct {
  int why;  // 0 if it has not
  char text[HAL_TEXT];
  void* address;  // that it was about, or NULL
} hal_failure;

// hal_pool.c
void hal_failure_set(hal_failure* failure, int why, const hal_thread* thread);
// Starts a thread that may run kernels; 0 if that fails. `name`: 15 characters at most.
int hal_thread_start(pthread_t* id, void* (*body)(void*), void* argument, const char* name);
// Waits a little for `word` to change from `old`.
void hal_watch(_Atomic unsigned* word, unsigned old);
// Runs workgroups of a grid on the calling thread. Returns why they have failed, or 0. `meet`: see hal_launch.
int hal_run_groups(hal_thread* thread, const hal_grid* grid, hal_output* output, unsigned long long first,
                   unsigned long long count, void (*meet)(void));

// hal_crew.c
typedef struct hal_crew hal_crew;
hal_crew* hal_crew_open(int threads, const char* name);  // NULL if there is no memory
void hal_crew_limit(hal_crew* crew, int most);           // as hal_pool_limit
void hal_crew_close(hal_crew* crew);                     // which runs nothing; NULL is allowed
// Runs a grid of `count` workgroups that wait for each other, and waits for its end.
void hal_crew_run(hal_crew* crew, int rank, const hal_grid* grid, unsigned count, hal_output* output, hal_failure* failure);

#endif
