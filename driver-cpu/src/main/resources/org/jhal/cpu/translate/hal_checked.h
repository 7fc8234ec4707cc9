// SPDX-License-Identifier: Apache-2.0
// What is different in kernels that are checked: the hooks know the item, and kernels ask them. To read the item's index does not
// call a hook: compilers take what the assembly returns for a value that never changes, as it does not within an item.
#pragma once
#include "hal_check.h"

extern "C" __attribute__((visibility("hidden"))) const unsigned long hal_self_offset;

static inline const hal_checked* hal_self_checked() {
  const hal_checked* self;
#if defined(__x86_64__)
  __asm__("movq %%fs:(%1), %0" : "=r"(self) : "r"(hal_self_offset));
#else
  char* thread;
  __asm__("mrs %0, tpidr_el0" : "=r"(thread));
  __asm__("ldr %0, [%1]" : "=r"(self) : "r"(thread + hal_self_offset));
#endif
  return self;
}
template <unsigned long at> static inline unsigned hal_word() {
  unsigned value;
#if defined(__x86_64__)
  __asm__("movl %c2(%1), %0" : "=r"(value) : "r"(hal_self_checked()), "i"(at));
#else
  __asm__("ldr %w0, [%1, %2]" : "=r"(value) : "r"(hal_self_checked()), "i"(at));
#endif
  return value;
}
template <unsigned long at> static inline uint3 hal_index_at() { return {hal_word<at>(), hal_word<at + 4>(), hal_word<at + 8>()}; }
#define threadIdx (hal_index_at<__builtin_offsetof(hal_checked, thread)>())
#define blockIdx (hal_index_at<__builtin_offsetof(hal_checked, block)>())
#define blockDim (hal_index_at<__builtin_offsetof(hal_checked, size)>())
#define gridDim (hal_index_at<__builtin_offsetof(hal_checked, grid)>())

static HAL_RAW inline hal_item hal_item_of(const hal_launch& launch, const hal_checked& self) {
  hal_item item(launch, {self.block.x, self.block.y, self.block.z}, {self.size.x, self.size.y, self.size.z});
  item.hal_thread = {self.thread.x, self.thread.y, self.thread.z};
  return item;
}
// The present item of the thread. Where items never meet it is made when it is needed.
static HAL_RAW inline hal_item& hal_now() {
  static thread_local hal_item made;
  if (hal_current) return *hal_current;
  made = hal_item_of(*hal_launched, *hal_self_checked());
  return made;
}
// Keeps a compiler from moving what is constant in an item out of the loop over the items.
template <class Hal_F> static HAL_RAW inline Hal_F hal_hidden(Hal_F function) {
  __asm__("" : "+r"(function));
  return function;
}
__attribute__((used)) HAL_RAW static inline void hal_become(hal_item& item) { hal_current = &item; }

// In a function by which items meet: where it is called.
#if defined(__clang__)
#define HAL_NOTED __attribute__((noinline, nomerge))
#else
#define HAL_NOTED __attribute__((noinline))
#endif
#define HAL_NOTE hal_checked_note(__builtin_return_address(0));
