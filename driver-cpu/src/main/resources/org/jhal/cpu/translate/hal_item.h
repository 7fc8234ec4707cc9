// SPDX-License-Identifier: Apache-2.0
// A work item, and what it knows about itself.
#pragma once
#include "hal_types.h"

struct hal_fiber;

// Code of these headers that is not checked with the kernel. Nothing for kernels that are not checked.
#ifdef HAL_CHECKED
#define HAL_RAW __attribute__((no_sanitize("thread"), no_sanitize("undefined")))
#else
#define HAL_RAW
#endif

namespace hal_items {  // of its own, so that calls find no function by the type of the item
struct hal_item {
  uint3 hal_thread, hal_block;
  dim3 hal_size, hal_grid;
  void* hal_shared;            // the workgroup's dynamic shared memory
  const hal_launch* hal_launch_;
  hal_fiber* hal_own;          // where it stops at barriers, if it runs on a stack of its own
  unsigned hal_warp_x;         // threadIdx.x / 32, in the form of loops

  hal_item() = default;
  inline __attribute__((always_inline)) hal_item(const hal_launch& launch, uint3 block, uint3 size)
      : hal_thread{0, 0, 0},
        hal_block(block),
        hal_size(size),
        hal_grid{launch.grid.x, launch.grid.y, launch.grid.z},
        hal_shared(launch.shared),
        hal_launch_(&launch),
        hal_own(nullptr),
        hal_warp_x(0) {}
  inline __attribute__((always_inline)) hal_item(const hal_item& group, unsigned x, unsigned y, unsigned z)
      : hal_item(group, x, y, z, x / 32) {}
  inline __attribute__((always_inline)) hal_item(const hal_item& group, unsigned x, unsigned y, unsigned z, unsigned warp)
      : hal_item(group) {
    hal_thread = {x, y, z};
    hal_warp_x = warp;
  }

  HAL_RAW inline unsigned hal_index() const {
    return (hal_thread.z * hal_size.y + hal_thread.y) * hal_size.x + hal_thread.x;
  }
  HAL_RAW inline unsigned hal_count() const { return hal_size.x * hal_size.y * hal_size.z; }
};
}  // namespace hal_items
using hal_items::hal_item;

// The thread's present item, for code that is not given its item: operators, methods, functions by pointer, and all code of
// kernels in the forms that set it. A kernel in another form must not get here: SourceCompiler finds that out from the names
// of these variables.
static thread_local hal_item* hal_current;
#ifdef HAL_CHECKED
static thread_local const hal_launch* hal_launched;
#include "hal_checked.h"
#else
#define HAL_NOTED inline
#define HAL_NOTE
#define hal_hidden(kernel) kernel
static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static inline hal_item& hal_now() { return *hal_current; }
// Always there: compilers take a variable that nothing sets for a constant.
__attribute__((used)) static inline void hal_become(hal_item& item) {
  hal_current = &item;
  threadIdx = item.hal_thread;
  blockIdx = item.hal_block;
  blockDim = item.hal_size;
  gridDim = item.hal_grid;
}
#endif

// What the thread runs. Variables that stand for the dynamic shared memory are told where it is.
#ifndef HAL_CHECKED
static thread_local const hal_launch* hal_launched;
#endif
struct hal_shared_variable {
  void (*set)(void* shared);
  const hal_shared_variable* next;
  static const hal_shared_variable*& first() {
    static const hal_shared_variable* all;
    return all;
  }
  hal_shared_variable(void (*set)(void*)) : set(set), next(first()) { first() = this; }
};
HAL_RAW static inline void hal_begin(const hal_launch& launch) {
  hal_launched = &launch;
  for (auto* each = hal_shared_variable::first(); each; each = each->next) each->set(launch.shared);
}

static constexpr int warpSize = 32;

[[noreturn]] static inline void hal_stop(int why, const char* text) {
  hal_launched->stop(why, text);
  __builtin_unreachable();
}
[[noreturn]] static inline void __trap() { hal_stop(HAL_TRAPPED, nullptr); }
#if defined(NDEBUG)
#define assert(condition) ((void)0)
#else
#define HAL_TEXT_OF(line) #line
#define HAL_PLACE(file, line) " (" file ":" HAL_TEXT_OF(line) ")"
#define assert(condition) ((condition) ? (void)0 : hal_stop(HAL_ASSERTED, #condition HAL_PLACE(__FILE__, __LINE__)))
#endif
// Stands for inline PTX, which is compiled where no kernel needs it.
#if !defined(__has_attribute) || __has_attribute(error)
__attribute__((error("inline PTX (asm) runs on CUDA alone; other devices need code without it, as in #else of #ifdef __CUDACC_RTC__")))
#endif
void hal_inline_ptx();
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __nanosleep(unsigned) {}
static inline long long clock64() {
#if defined(__x86_64__)
  return (long long)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  unsigned long long ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return (long long)ticks;
#else
  return 0;
#endif
}
typedef long clock_t;
static inline clock_t clock() { return (clock_t)clock64(); }

// Prints through the runtime, which gathers what a workgroup has printed. A text that is too long is cut, and ends with a mark.
extern "C" int snprintf(char* to, size_t size, const char* format, ...) noexcept __attribute__((format(printf, 3, 4)));
template <class... Hal_A> static inline int printf(const char* format, Hal_A... values) {
  char line[1024];
  const int most = sizeof line - 1;
  int length = snprintf(line, sizeof line, format, values...);
  if (length > most) __builtin_memcpy(line + most - 4, "...\n", 4);
  if (length > 0) hal_launched->print(line, (unsigned long)(length > most ? most : length));
  return length;
}
