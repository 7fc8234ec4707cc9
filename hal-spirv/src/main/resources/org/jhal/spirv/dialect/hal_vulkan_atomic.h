// SPDX-License-Identifier: Apache-2.0
// Atomic operations of the dialect. LLVM's own exchange of a value that is compared makes structs that its target spirv64 does
// not take everywhere, so it is a function of the translator.
#ifndef HAL_VULKAN_ATOMIC_H
#define HAL_VULKAN_ATOMIC_H
#include "hal_types.h"

// The integer of as many bytes.
template <unsigned long bytes> struct hal_word_of {};
template <> struct hal_word_of<2> { typedef unsigned short type; };
template <> struct hal_word_of<4> { typedef unsigned type; };
template <> struct hal_word_of<8> { typedef unsigned long long type; };
template <class T> using hal_word = typename hal_word_of<sizeof(T)>::type;

// Exchanges an integer if it is the expected one, and returns the one before.
static inline unsigned hal_exchange(unsigned* at, unsigned expected, unsigned value) {
  return hal_compare_exchange_32(at, expected, value);
}
static inline unsigned long long hal_exchange(unsigned long long* at, unsigned long long expected, unsigned long long value) {
  return hal_compare_exchange_64(at, expected, value);
}
static inline unsigned short hal_exchange(unsigned short* at, unsigned short expected, unsigned short value) {
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
template <class T, class F> static inline T hal_update(T* at, F change) {
  hal_word<T>* word = (hal_word<T>*)at;
  hal_word<T> seen = *(volatile hal_word<T>*)word;
  for (;;) {
    const hal_word<T> found = hal_exchange(word, seen, hal_bits<hal_word<T>>(change(hal_bits<T>(seen))));
    if (found == seen) return hal_bits<T>(found);
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
  return hal_bits<T>(
      hal_exchange((hal_word<T>*)at, hal_bits<hal_word<T>>((T)expected), hal_bits<hal_word<T>>((T)value)));
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
