// SPDX-License-Identifier: Apache-2.0
// Atomic operations of the dialect. LLVM's own exchange of a value that is compared makes structs that its target spirv64 does
// not take everywhere, so it is a function of the translator.
#ifndef HAL_VULKAN_ATOMIC_H
#define HAL_VULKAN_ATOMIC_H
#include "hal_types.h"

// What was there, as the integers of all compilers.
template <class T> static inline T hal_exchange(T* at, T expected, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomic operations are on values of 4 or 8 bytes");
  if constexpr (sizeof(T) == 4) {
    return hal_bits<T>(hal_compare_exchange_32(at, hal_bits<unsigned>(expected), hal_bits<unsigned>(value)));
  } else {
    return hal_bits<T>(
        hal_compare_exchange_64(at, hal_bits<unsigned long long>(expected), hal_bits<unsigned long long>(value)));
  }
}
template <class T> static inline bool hal_same_bits(T a, T b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; }
template <> inline bool hal_same_bits(float a, float b) { return hal_bits<unsigned>(a) == hal_bits<unsigned>(b); }
template <> inline bool hal_same_bits(double a, double b) {
  return hal_bits<unsigned long long>(a) == hal_bits<unsigned long long>(b);
}
template <> inline bool hal_same_bits(int a, int b) { return a == b; }
template <> inline bool hal_same_bits(unsigned a, unsigned b) { return a == b; }
template <> inline bool hal_same_bits(long a, long b) { return a == b; }
template <> inline bool hal_same_bits(unsigned long a, unsigned long b) { return a == b; }
template <> inline bool hal_same_bits(long long a, long long b) { return a == b; }
template <> inline bool hal_same_bits(unsigned long long a, unsigned long long b) { return a == b; }
template <class T, class F> static inline T hal_update(T* at, F change) {
  T seen = *(volatile T*)at;
  for (;;) {
    const T found = hal_exchange(at, seen, change(seen));
    if (hal_same_bits(found, seen)) return found;
    seen = found;
  }
}
#define HAL_ATOMIC(name, expression)                                                                                         \
  template <class T> static inline T name(T* at, typename hal_same<T>::type value) {                                         \
    return hal_update(at, [=](T seen) -> T { return (expression); });                                                        \
  }                                                                                                                          \
  template <class T> static inline T name##_system(T* at, typename hal_same<T>::type value) { return name(at, value); }      \
  template <class T> static inline T name##_block(T* at, typename hal_same<T>::type value) { return name(at, value); }
#define HAL_NATIVE(type, name, function) \
  static inline type name(type* at, type value) { return function(at, value, __ATOMIC_RELAXED); }
#define HAL_NATIVE_FOR(name, function)      \
  HAL_NATIVE(int, name, function)           \
  HAL_NATIVE(unsigned, name, function)      \
  HAL_NATIVE(long long, name, function)     \
  HAL_NATIVE(unsigned long long, name, function)
HAL_NATIVE_FOR(atomicAdd, __atomic_fetch_add)
HAL_NATIVE_FOR(atomicSub, __atomic_fetch_sub)
HAL_NATIVE_FOR(atomicMin, __atomic_fetch_min)
HAL_NATIVE_FOR(atomicMax, __atomic_fetch_max)
HAL_NATIVE_FOR(atomicAnd, __atomic_fetch_and)
HAL_NATIVE_FOR(atomicOr, __atomic_fetch_or)
HAL_NATIVE_FOR(atomicXor, __atomic_fetch_xor)
HAL_NATIVE_FOR(atomicExch, __atomic_exchange_n)
HAL_ATOMIC(atomicAdd, seen + value)
HAL_ATOMIC(atomicSub, seen - value)
HAL_ATOMIC(atomicMin, seen < value ? seen : value)
HAL_ATOMIC(atomicMax, seen > value ? seen : value)
HAL_ATOMIC(atomicAnd, (T)(seen & value))
HAL_ATOMIC(atomicOr, (T)(seen | value))
HAL_ATOMIC(atomicXor, (T)(seen ^ value))
HAL_ATOMIC(atomicExch, ((void)seen, value))
HAL_ATOMIC(atomicInc, seen >= value ? 0 : seen + 1)
HAL_ATOMIC(atomicDec, seen == 0 || seen > value ? value : seen - 1)
template <class T>
static inline T atomicCAS(T* at, typename hal_same<T>::type expected, typename hal_same<T>::type value) {
  return hal_exchange<T>(at, expected, value);
}
static inline unsigned short atomicCAS(unsigned short* at, unsigned short expected, unsigned short value) {
  const unsigned shift = (unsigned)((size_t)at & 2) * 8;
  unsigned* word = (unsigned*)((char*)at - ((size_t)at & 2));
  unsigned before = *(volatile unsigned*)word;
  for (;;) {
    const unsigned short seen = (unsigned short)(before >> shift);
    if (seen != expected) return seen;
    const unsigned found = hal_exchange(word, before, (before & ~(0xFFFFu << shift)) | (unsigned)value << shift);
    if (found == before) return seen;
    before = found;
  }
}
template <class T>
static inline T atomicCAS_system(T* at, typename hal_same<T>::type expected, typename hal_same<T>::type value) {
  return atomicCAS(at, expected, value);
}
template <class T>
static inline T atomicCAS_block(T* at, typename hal_same<T>::type expected, typename hal_same<T>::type value) {
  return atomicCAS(at, expected, value);
}
#endif
