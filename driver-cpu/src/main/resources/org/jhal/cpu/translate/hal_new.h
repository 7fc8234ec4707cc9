// SPDX-License-Identifier: Apache-2.0
// The memory of `new`. Compilers take it that `new` never returns null, so a kernel ends if there is none.
#pragma once
#include "hal_item.h"

// Hidden: kernels use these functions, and the rest of the process its own. An attribute cannot hide them, since compilers
// declare them before any source does.
__asm__(".hidden _Znwm, _Znam, _ZdlPv, _ZdaPv, _ZdlPvm, _ZdaPvm");

static inline void* hal_allocated(void* memory) {
  if (!memory) hal_stop(HAL_NO_MEMORY, "their calls of new");
  return memory;
}
#ifdef HAL_CHECKED
#define malloc(size) hal_checked_allocated(__builtin_malloc(size), size)
#else
#define hal_checked_allocated(memory, size) memory
#endif
void* operator new(size_t size) { return hal_allocated(hal_checked_allocated(__builtin_malloc(size), size)); }
void* operator new[](size_t size) { return hal_allocated(hal_checked_allocated(__builtin_malloc(size), size)); }
void operator delete(void* at) noexcept { __builtin_free(at); }
void operator delete[](void* at) noexcept { __builtin_free(at); }
void operator delete(void* at, size_t) noexcept { __builtin_free(at); }
void operator delete[](void* at, size_t) noexcept { __builtin_free(at); }

#if defined(__cpp_aligned_new)  // for types that are aligned to more than 16 bytes
__asm__(".hidden _ZnwmSt11align_val_t, _ZnamSt11align_val_t, _ZdlPvSt11align_val_t, _ZdaPvSt11align_val_t");
__asm__(".hidden _ZdlPvmSt11align_val_t, _ZdaPvmSt11align_val_t");
namespace std {
enum class align_val_t : size_t;
}
extern "C" void* aligned_alloc(size_t align, size_t size) noexcept;
void* operator new(size_t size, std::align_val_t align) { return hal_allocated(hal_checked_allocated(aligned_alloc((size_t)align, size), size)); }
void* operator new[](size_t size, std::align_val_t align) { return hal_allocated(hal_checked_allocated(aligned_alloc((size_t)align, size), size)); }
void operator delete(void* at, std::align_val_t) noexcept { __builtin_free(at); }
void operator delete[](void* at, std::align_val_t) noexcept { __builtin_free(at); }
void operator delete(void* at, size_t, std::align_val_t) noexcept { __builtin_free(at); }
void operator delete[](void* at, size_t, std::align_val_t) noexcept { __builtin_free(at); }
#endif
