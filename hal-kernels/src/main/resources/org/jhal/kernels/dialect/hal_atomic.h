// SPDX-License-Identifier: Apache-2.0
// Atomic operations. Those on shared memory are the same: a pointer does not say which it is.
#ifndef HAL_ATOMIC_H
#define HAL_ATOMIC_H
#include "hal_types.h"

template <class Hal_T> static inline Hal_T hal_load(Hal_T* at) {
  Hal_T value;
  __atomic_load(at, &value, __ATOMIC_RELAXED);
  return value;
}
template <class Hal_T, class Hal_F> static inline Hal_T hal_update(Hal_T* at, Hal_F change) {
  Hal_T seen = hal_load(at);
  Hal_T wanted = change(seen);
  while (!__atomic_compare_exchange(at, &seen, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    wanted = change(seen);
  }
  return seen;
}
#define HAL_ATOMIC(name, expression)                                                            \
  template <class Hal_T> static inline Hal_T name(Hal_T* at, typename hal_same<Hal_T>::type value) { \
    return hal_update(at, [=](Hal_T seen) -> Hal_T { return (expression); });                   \
  }                                                                                             \
  template <class Hal_T> static inline Hal_T name##_system(Hal_T* at, typename hal_same<Hal_T>::type value) { \
    return name(at, value);                                                                     \
  }                                                                                             \
  template <class Hal_T> static inline Hal_T name##_block(Hal_T* at, typename hal_same<Hal_T>::type value) { \
    return name(at, value);                                                                     \
  }
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
static inline int atomicAdd(int* at, int value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
static inline unsigned atomicAdd(unsigned* at, unsigned value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <class Hal_T>
static inline Hal_T atomicCAS(Hal_T* at, typename hal_same<Hal_T>::type expected, typename hal_same<Hal_T>::type value) {
  Hal_T seen = expected;
  __atomic_compare_exchange(at, &seen, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return seen;
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
