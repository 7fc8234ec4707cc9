// SPDX-License-Identifier: Apache-2.0
// Atomic operations. Those on shared memory are the same: a pointer does not say which it is.
#ifndef HAL_ATOMIC_H
#define HAL_ATOMIC_H
#include "hal_types.h"

template <class T> static inline T hal_load(T* at) {
  T value;
  __atomic_load(at, &value, __ATOMIC_RELAXED);
  return value;
}
template <class T, class F> static inline T hal_update(T* at, F change) {
  T seen = hal_load(at);
  T wanted = change(seen);
  while (!__atomic_compare_exchange(at, &seen, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    wanted = change(seen);
  }
  return seen;
}
#define HAL_ATOMIC(name, expression)                                                            \
  template <class T> static inline T name(T* at, typename hal_same<T>::type value) {            \
    return hal_update(at, [=](T seen) -> T { return (expression); });                           \
  }                                                                                             \
  template <class T> static inline T name##_system(T* at, typename hal_same<T>::type value) {   \
    return name(at, value);                                                                     \
  }                                                                                             \
  template <class T> static inline T name##_block(T* at, typename hal_same<T>::type value) {    \
    return name(at, value);                                                                     \
  }
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
static inline int atomicAdd(int* at, int value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
static inline unsigned atomicAdd(unsigned* at, unsigned value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicCAS(T* at, typename hal_same<T>::type expected, typename hal_same<T>::type value) {
  T seen = expected;
  __atomic_compare_exchange(at, &seen, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return seen;
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
