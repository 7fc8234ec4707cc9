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
template <class Hal_T> using hal_word = typename hal_word_of<sizeof(Hal_T)>::type;

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
template <class Hal_T, class Hal_F> static inline Hal_T hal_update(Hal_T* at, Hal_F change) {
  hal_word<Hal_T>* word = (hal_word<Hal_T>*)at;
  hal_word<Hal_T> seen = *(volatile hal_word<Hal_T>*)word;
  for (;;) {
    const hal_word<Hal_T> found = hal_exchange(word, seen, hal_bits<hal_word<Hal_T>>(change(hal_bits<Hal_T>(seen))));
    if (found == seen) return hal_bits<Hal_T>(found);
    seen = found;
  }
}
#define HAL_ATOMIC(name, expression)                                                                                         \
  template <class Hal_T> static inline Hal_T name(Hal_T* at, typename hal_same<Hal_T>::type value) {                         \
    return hal_update(at, [=](Hal_T seen) -> Hal_T { return (expression); });                                                \
  }                                                                                                                          \
  template <class Hal_T> static inline Hal_T name##_system(Hal_T* at, typename hal_same<Hal_T>::type value) { return name(at, value); } \
  template <class Hal_T> static inline Hal_T name##_block(Hal_T* at, typename hal_same<Hal_T>::type value) { return name(at, value); }
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
HAL_ATOMIC(atomicAnd, (Hal_T)(seen & value))
HAL_ATOMIC(atomicOr, (Hal_T)(seen | value))
HAL_ATOMIC(atomicXor, (Hal_T)(seen ^ value))
HAL_ATOMIC(atomicExch, ((void)seen, value))
HAL_ATOMIC(atomicInc, seen >= value ? 0 : seen + 1)
HAL_ATOMIC(atomicDec, seen == 0 || seen > value ? value : seen - 1)
template <class Hal_T>
static inline Hal_T atomicCAS(Hal_T* at, typename hal_same<Hal_T>::type expected, typename hal_same<Hal_T>::type value) {
  return hal_bits<Hal_T>(
      hal_exchange((hal_word<Hal_T>*)at, hal_bits<hal_word<Hal_T>>((Hal_T)expected), hal_bits<hal_word<Hal_T>>((Hal_T)value)));
}
template <class Hal_T>
static inline Hal_T atomicCAS_system(Hal_T* at, typename hal_same<Hal_T>::type expected, typename hal_same<Hal_T>::type value) {
  return atomicCAS(at, expected, value);
}
template <class Hal_T>
static inline Hal_T atomicCAS_block(Hal_T* at, typename hal_same<Hal_T>::type expected, typename hal_same<Hal_T>::type value) {
  return atomicCAS(at, expected, value);
}
#endif
