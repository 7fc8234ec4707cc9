// SPDX-License-Identifier: Apache-2.0
#include "fiber_switch.h"

#include <stdint.h>

#ifdef __x86_64__

// The registers that the System V ABI lets a function expect unchanged. The modes of floating-point arithmetic, which
// belong to them, are the same everywhere here.
__asm__(
    ".text\n"
    ".globl gs_place_switch\n"
    ".hidden gs_place_switch\n"
    ".type gs_place_switch, @function\n"
    "gs_place_switch:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq (%rsi), %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".size gs_place_switch, . - gs_place_switch\n");

void gs_place_begin(gs_place* place, void* stack, size_t size, void (*function)(void)) {
  void** top = (void**)(((uintptr_t)stack + size) & ~(uintptr_t)15);
  *--top = NULL;               // where the function would return to; it begins as if it had been called
  *--top = (void*)function;    // where the switch returns to
  for (int i = 0; i < 6; i++) *--top = NULL;
  *place = top;
}

#else

void gs_place_switch(gs_place* from, gs_place* to) { swapcontext(from, to); }

void gs_place_begin(gs_place* place, void* stack, size_t size, void (*function)(void)) {
  getcontext(place);
  place->uc_stack.ss_sp = stack;
  place->uc_stack.ss_size = size;
  makecontext(place, function, 0);
}

#endif
