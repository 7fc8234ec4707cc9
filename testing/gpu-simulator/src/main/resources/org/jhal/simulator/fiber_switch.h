// SPDX-License-Identifier: Apache-2.0
// Where a thread goes on: its registers and its stack.
#ifndef GPUSIM_FIBER_SWITCH_H
#define GPUSIM_FIBER_SWITCH_H

#include <stddef.h>

#ifdef __x86_64__
typedef void* gs_place;  // the stack pointer; the registers that a call keeps lie above it
#else
#include <ucontext.h>
typedef ucontext_t gs_place;
#endif

// A place where `function` begins on a stack of its own. The function must not return.
void gs_place_begin(gs_place* place, void* stack, size_t size, void (*function)(void));

// Keeps the caller's place in `from`, and goes on at `to`. Returns when another thread of control switches back. Unlike
// swapcontext(), it makes no system call on x86-64, where the mask of signals stays as it is.
void gs_place_switch(gs_place* from, gs_place* to);

#endif
