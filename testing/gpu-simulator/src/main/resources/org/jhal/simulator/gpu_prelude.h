// SPDX-License-Identifier: Apache-2.0
// The language of GPU kernels for the host's C++ compiler. The compiler of the simulator puts this in
// front of a kernel's source, and replaces the markers __gpusim_global__ and __gpusim_shared__.
#pragma GCC diagnostic ignored "-Wattributes"
#include "hal_types.h"
#include "hal_math.h"
#include "hal_special.h"
#include "hal_device.h"
#include "hal_half.h"
#include "hal_atomic.h"
#include "hal_standard_math.h"
#include "gpusim_kernel.h"

#ifndef GPUSIM_WARP_SIZE
#define GPUSIM_WARP_SIZE 32
#endif
#ifdef GPUSIM_ARCHITECTURE
extern "C" {
extern const char gpusim_architecture[] __attribute__((visibility("default")));
const char gpusim_architecture[] = GPUSIM_ARCHITECTURE;
}
#endif

#ifdef GPUSIM_TOOLKIT
#ifndef GPUSIM_TEXT
#define GPUSIM_TEXT 0
#endif
extern "C" {
extern const int gpusim_toolkit __attribute__((visibility("default")));
const int gpusim_toolkit = GPUSIM_TOOLKIT;
extern const int gpusim_text __attribute__((visibility("default")));
const int gpusim_text = GPUSIM_TEXT;
}
#endif

#define __global__ __gpusim_global__
#define __shared__ __gpusim_shared__
#define __device__ __attribute__((visibility("default")))
#undef __constant__
#define __constant__ __device__

// The GPU thread that the calling one is at the moment.
static thread_local gpusim_thread* gpusim_self;

#define threadIdx (gpusim_self->thread)
#define blockIdx (gpusim_self->block)
#define blockDim (gpusim_self->block_dim)
#define gridDim (gpusim_self->grid_dim)
static constexpr int warpSize = GPUSIM_WARP_SIZE;

static inline void __syncthreads() {
  gpusim_thread* self = gpusim_self;
  self->sync(self);
  gpusim_self = self;
}
// What the dialect has for grids: see hal_member.h of hal-gpu.
static inline bool hal_grid_can_sync() { return gpusim_self->sync_grid != nullptr; }
static inline void hal_grid_sync() {
  gpusim_thread* self = gpusim_self;
  if (!self->sync_grid) self->trap(self, 719);
  self->sync_grid(self);
  gpusim_self = self;
}
static inline int __syncthreads_count(int yes) {
  gpusim_thread* self = gpusim_self;
  int count = self->count(self, yes);
  gpusim_self = self;
  return count;
}
static inline int __syncthreads_or(int yes) { return __syncthreads_count(yes) > 0; }
static inline int __syncthreads_and(int yes) { return __syncthreads_count(!yes) == 0; }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __nanosleep(unsigned) {}
static inline void __trap() { gpusim_self->trap(gpusim_self, 719); }

extern "C" int snprintf(char* to, size_t size, const char* format, ...) noexcept __attribute__((format(printf, 3, 4)));
template <class... Hal_A> static inline int printf(const char* format, Hal_A... values) {
  char line[1024];
  int length = snprintf(line, sizeof line, format, values...);
  gpusim_self->print(gpusim_self, line, length < (int)sizeof line ? (unsigned long)length : sizeof line - 1);
  return length;
}
static inline void gpusim_assert_fail(const char* condition, const char* file, int line) {
  printf("%s:%d: '%s' is false\n", file, line, condition);
  gpusim_self->trap(gpusim_self, 710);
}
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : gpusim_assert_fail(#condition, __FILE__, __LINE__))
#endif

static inline long long clock64() {
#ifdef __x86_64__
  return (long long)__builtin_ia32_rdtsc();
#else
  static long long calls;
  return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
#endif
}
typedef long clock_t;
static inline clock_t clock() { return (clock_t)clock64(); }

#include "gpusim_warp.h"

// ---- what the simulator is told of a kernel ----

template <class Hal_T> struct gpusim_is_pointer { static const unsigned value = 0; };
template <class Hal_T> struct gpusim_is_pointer<Hal_T*> { static const unsigned value = 1; };

template <class Hal_F> struct gpusim_table;
template <class... Hal_A> struct gpusim_table<void (*)(Hal_A...)> {
  unsigned count;
  gpusim_arg arg[sizeof...(Hal_A) + 1];
  constexpr gpusim_table() : count(sizeof...(Hal_A)), arg() {
    const unsigned sizes[] = {unsigned(sizeof(Hal_A))..., 0};
    const unsigned alignments[] = {unsigned(alignof(Hal_A))..., 1};
    const unsigned pointers[] = {gpusim_is_pointer<Hal_A>::value..., 0};
    unsigned offset = 0;
    for (unsigned i = 0; i <= count; i++) {
      offset = (offset + alignments[i] - 1) / alignments[i] * alignments[i];
      arg[i].offset = offset;
      arg[i].size = sizes[i];
      arg[i].pointer = pointers[i];
      offset += sizes[i];
    }
  }
};

template <unsigned... Hal_I> struct gpusim_indices {};
template <unsigned Hal_N, unsigned... Hal_I> struct gpusim_count : gpusim_count<Hal_N - 1, Hal_N - 1, Hal_I...> {};
template <unsigned... Hal_I> struct gpusim_count<0, Hal_I...> { typedef gpusim_indices<Hal_I...> type; };

template <class... Hal_A, unsigned... Hal_I>
static inline void gpusim_spread(void (*kernel)(Hal_A...), void** arguments, gpusim_indices<Hal_I...>) {
  (void)arguments;
  kernel(*(Hal_A*)arguments[Hal_I]...);
}
template <class... Hal_A> static inline void gpusim_call(void (*kernel)(Hal_A...), void** arguments) {
  gpusim_spread(kernel, arguments, typename gpusim_count<sizeof...(Hal_A)>::type());
}
