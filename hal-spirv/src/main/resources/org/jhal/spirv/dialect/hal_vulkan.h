// SPDX-License-Identifier: Apache-2.0
// The dialect for Clang's target spirv64. Included before each source. Functions without attributes are of the device.
#pragma clang force_cuda_host_device begin
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
struct uint3;

// What the translator to Vulkan provides.
extern "C" {
__attribute__((const)) unsigned hal_local_id(unsigned dimension);
__attribute__((const)) unsigned hal_group_id(unsigned dimension);
__attribute__((const)) unsigned hal_group_size(unsigned dimension);
__attribute__((const)) unsigned hal_grid_size(unsigned dimension);
__attribute__((convergent)) void hal_barrier();
__attribute__((convergent)) void hal_warp_barrier(unsigned mask);
__attribute__((convergent)) unsigned hal_shuffle(unsigned value, unsigned lane, unsigned mask);
__attribute__((convergent)) unsigned hal_ballot(unsigned yes, unsigned mask);
__attribute__((convergent)) unsigned hal_active();
unsigned hal_compare_exchange_32(void* at, unsigned expected, unsigned value);
unsigned long long hal_compare_exchange_64(void* at, unsigned long long expected, unsigned long long value);
void hal_fence();
void hal_group_fence();
__attribute__((noreturn)) void hal_trap_at(unsigned line);
int printf(const char* format, ...);
}
#define HAL_C(type, name, parameters)                       \
  extern "C" type hal_c_##name parameters __asm__(#name);   \
  extern "C" __device__ type hal_c_##name parameters
#include "hal_libm.h"
#define HAL_KEPT extern "C" __device__ __attribute__((used, noinline))
// In double the quotient is so near that it is rounded to the right number. Vulkan's quotients of double are taken as they are.
// No float has such a factor: without it, Clang makes a division of floats of it, as they are converted before and after.
HAL_KEPT float hal_divide_f32(float x, float y) { return (float)((double)x * 0x1p200 / (double)y * 0x1p-200); }
HAL_KEPT float hal_remainder_f32(float x, float y) { return (float)hal_m_fmod((double)x, (double)y); }
HAL_KEPT double hal_remainder_f64(double x, double y) { return hal_m_fmod(x, y); }
// Which kind of number: a bit for signalling and quiet NaN, then for negative infinity, normal and subnormal numbers and
// zero, and for the positive ones. LLVM's own function for that, which has these bits, is none that its target has.
HAL_M unsigned hal_class(unsigned long long bits, int digits, unsigned exponents) {
  const unsigned exponent = (unsigned)(bits >> digits) & exponents;
  const unsigned long long rest = bits & ((1ull << digits) - 1);
  if (exponent == exponents && rest) return rest >> (digits - 1) ? 2 : 1;
  const int size = exponent == exponents ? 3 : exponent ? 2 : rest ? 1 : 0;
  return bits >> digits > exponents ? 1u << (5 - size) : 1u << (6 + size);
}
HAL_KEPT bool hal_is_class_f32(float x, unsigned mask) { return (hal_class(hal_m_word(x), 23, 255) & mask) != 0; }
HAL_KEPT bool hal_is_class_f64(double x, unsigned mask) { return (hal_class(hal_m_bits(x), 52, 2047) & mask) != 0; }

#define __builtin_frexp hal_c_frexp // LLVM's target has none
#define __builtin_frexpf hal_c_frexpf
#include "hal_types.h"
#include "hal_math.h"
#include "hal_special.h"
#include "hal_device.h"
#include "hal_vulkan_atomic.h"
#include "hal_half.h"
#include "hal_standard_math.h"
#undef __constant__
#define __constant__ __attribute__((constant))
#undef __managed__
#undef __builtin_trap
#define __builtin_trap() hal_trap_at(__LINE__)

#define HAL_INDEX(name, function)                                      \
  struct hal_##name {                                                  \
    static unsigned hal_x() { return function(0); }                    \
    static unsigned hal_y() { return function(1); }                    \
    static unsigned hal_z() { return function(2); }                    \
    __declspec(property(get = hal_x)) unsigned x;                      \
    __declspec(property(get = hal_y)) unsigned y;                      \
    __declspec(property(get = hal_z)) unsigned z;                      \
    operator dim3() const { return dim3(hal_x(), hal_y(), hal_z()); }  \
    operator uint3() const { return uint3{hal_x(), hal_y(), hal_z()}; }\
  };                                                                   \
  extern const __device__ __attribute__((weak)) hal_##name name;
HAL_INDEX(threadIdx, hal_local_id)
HAL_INDEX(blockIdx, hal_group_id)
HAL_INDEX(blockDim, hal_group_size)
HAL_INDEX(gridDim, hal_grid_size)
static constexpr int warpSize = 32;

#define __trap() hal_trap_at(__LINE__)
static inline void hal_check(bool holds, unsigned line) {
  if (!holds) hal_trap_at(line);
}
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) hal_check(condition, __LINE__)
#endif
static inline void __nanosleep(unsigned) {}
static inline void __threadfence() { hal_fence(); }
static inline void __threadfence_system() { hal_fence(); }
static inline void __threadfence_block() { hal_group_fence(); }
typedef long clock_t;
static inline long long clock64() { return 0; } // Vulkan 1.2 has no clock
static inline clock_t clock() { return 0; }

static inline void __syncthreads() { hal_barrier(); }
static __shared__ unsigned hal_count_of_votes;
static inline int __syncthreads_count(int yes) {
  hal_barrier();
  if (hal_local_id(0) == 0 && hal_local_id(1) == 0 && hal_local_id(2) == 0) hal_count_of_votes = 0;
  hal_barrier();
  if (yes) __atomic_fetch_add(&hal_count_of_votes, 1u, __ATOMIC_RELAXED);
  hal_barrier();
  return (int)hal_count_of_votes;
}
static inline int __syncthreads_or(int yes) { return __syncthreads_count(yes) > 0; }
static inline int __syncthreads_and(int yes) { return __syncthreads_count(!yes) == 0; }

// ---- warps ----

static inline unsigned __lane_id() {
  return (hal_local_id(0) + hal_group_size(0) * (hal_local_id(1) + hal_group_size(1) * hal_local_id(2))) & 31;
}
// Of any size: each word is exchanged by itself.
template <class Hal_T> static inline Hal_T hal_of_lane(unsigned long long mask, Hal_T value, unsigned lane) {
  unsigned words[(sizeof(Hal_T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof value);
#pragma unroll
  for (unsigned& word : words) word = hal_shuffle(word, lane, (unsigned)mask);
  Hal_T result;
  __builtin_memcpy(&result, words, sizeof result);
  return result;
}
// The value of another lane, if it is in the part of the warp from `first` on.
template <class Hal_T> static inline Hal_T hal_from_part(unsigned long long mask, Hal_T value, int lane, int first, int width) {
  const Hal_T other = hal_of_lane(mask, value, (unsigned)lane & 31);
  return lane >= first && lane < first + width ? other : value;
}
#define HAL_SHUFFLE(name, argument, other)                                                                         \
  template <class Hal_T>                                                                                           \
  static inline hal_promoted<Hal_T> name##_sync(unsigned long long mask, Hal_T value, argument by, int width = 32) { \
    const int lane = (int)__lane_id(), first = lane & ~(width - 1);                                                \
    return hal_from_part<hal_promoted<Hal_T>>(mask, value, other, first, width);                                   \
  }
HAL_SHUFFLE(__shfl, int, first + (by & (width - 1)))
HAL_SHUFFLE(__shfl_up, unsigned, lane - (int)by)
HAL_SHUFFLE(__shfl_down, unsigned, lane + (int)by)
HAL_SHUFFLE(__shfl_xor, int, lane ^ by)
static inline unsigned __ballot_sync(unsigned long long mask, int yes) { return hal_ballot(yes != 0, (unsigned)mask); }
static inline int __any_sync(unsigned long long mask, int yes) { return __ballot_sync(mask, yes) != 0; }
static inline int __all_sync(unsigned long long mask, int yes) { return __ballot_sync(mask, !yes) == 0; }
static inline unsigned __activemask() { return hal_active(); }
static inline void __syncwarp(unsigned long long mask = ~0ull) { hal_warp_barrier((unsigned)mask); }
// The lanes of a mask that are here.
static inline unsigned hal_present(unsigned long long mask) { return hal_ballot(1, (unsigned)mask); }
template <class Hal_T> static inline unsigned __match_any_sync(unsigned long long mask, Hal_T value) {
  const unsigned present = hal_present(mask);
  unsigned equal = 0;
  for (unsigned i = 0; i < 32; i++) {
    const Hal_T other = hal_of_lane(mask, value, i);
    if ((present >> i & 1) && other == value) equal |= 1u << i;
  }
  return equal;
}
template <class Hal_T> static inline unsigned __match_all_sync(unsigned long long mask, Hal_T value, int* all) {
  const unsigned present = hal_present(mask);
  const Hal_T first = hal_of_lane(mask, value, (unsigned)__builtin_ctz(present | 1u << 31));
  *all = __ballot_sync(mask, !(first == value)) == 0;
  return *all ? present : 0;
}
#define HAL_REDUCE(name, promoted, expression)                                          \
  template <class Hal_T> static inline promoted<Hal_T> name(unsigned long long mask, Hal_T value) { \
    typedef promoted<Hal_T> Hal_R;                                                      \
    const unsigned present = hal_present(mask);                                         \
    bool is_first = true;                                                               \
    Hal_R a = Hal_R();                                                                  \
    for (unsigned i = 0; i < 32; i++) {                                                 \
      const Hal_R b = hal_of_lane(mask, (Hal_R)value, i);                               \
      if (!(present >> i & 1)) continue;                                                \
      a = is_first ? b : (Hal_R)(expression);                                           \
      is_first = false;                                                                 \
    }                                                                                   \
    return a;                                                                           \
  }
HAL_REDUCE(__reduce_add_sync, hal_promoted, a + b)
HAL_REDUCE(__reduce_min_sync, hal_promoted, a < b ? a : b)
HAL_REDUCE(__reduce_max_sync, hal_promoted, a > b ? a : b)
HAL_REDUCE(__reduce_and_sync, hal_promoted_bits, a & b)
HAL_REDUCE(__reduce_or_sync, hal_promoted_bits, a | b)
HAL_REDUCE(__reduce_xor_sync, hal_promoted_bits, a ^ b)

// ---- cooperative groups ----

typedef unsigned hal_lane_mask;
static inline unsigned hal_popcount(hal_lane_mask mask) { return (unsigned)__popc(mask); }
struct hal_member {
  dim3 hal_block() const { return blockIdx; }
  dim3 hal_thread() const { return threadIdx; }
  dim3 hal_size() const { return blockDim; }
  dim3 hal_grid() const { return gridDim; }
  unsigned hal_rank() const {
    return hal_local_id(0) + hal_group_size(0) * (hal_local_id(1) + hal_group_size(1) * hal_local_id(2));
  }
  unsigned hal_items() const { return hal_group_size(0) * hal_group_size(1) * hal_group_size(2); }
  unsigned hal_lane() const { return __lane_id(); }
  void hal_barrier() const { ::hal_barrier(); }
  void hal_meet(hal_lane_mask mask) const { __syncwarp(mask); }
  hal_lane_mask hal_votes(hal_lane_mask mask, int yes) const { return __ballot_sync(mask, yes); }
  template <class Hal_T> hal_lane_mask hal_matches(hal_lane_mask mask, Hal_T value) const { return __match_any_sync(mask, value); }
  template <class Hal_T> Hal_T hal_shfl(hal_lane_mask mask, Hal_T value, int from, int width) const {
    const int first = (int)__lane_id() & ~(width - 1);
    return hal_from_part<Hal_T>(mask, value, first + (from & (width - 1)), first, width);
  }
  template <class Hal_T> Hal_T hal_shfl_up(hal_lane_mask mask, Hal_T value, unsigned by, int width) const {
    const int lane = (int)__lane_id();
    return hal_from_part<Hal_T>(mask, value, lane - (int)by, lane & ~(width - 1), width);
  }
  template <class Hal_T> Hal_T hal_shfl_down(hal_lane_mask mask, Hal_T value, unsigned by, int width) const {
    const int lane = (int)__lane_id();
    return hal_from_part<Hal_T>(mask, value, lane + (int)by, lane & ~(width - 1), width);
  }
  template <class Hal_T> Hal_T hal_shfl_xor(hal_lane_mask mask, Hal_T value, int with, int width) const {
    const int lane = (int)__lane_id();
    return hal_from_part<Hal_T>(mask, value, lane ^ with, lane & ~(width - 1), width);
  }
};
#define HAL_THIS_ITEM(type, name) \
  static inline type name() { return type(); }
#include "hal_cooperative.h"
