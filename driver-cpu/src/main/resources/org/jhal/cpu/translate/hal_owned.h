// SPDX-License-Identifier: Apache-2.0
// Atomic operations on memory that no other thread knows, with the results of those in hal_atomic.h.
#pragma once
#include "hal_types.h"

#define HAL_OWNED(name, expression)                                                      \
  template <class T> static inline void hal_owned_##name(T* at, typename hal_same<T>::type value) { \
    T seen = *at;                                                                        \
    *at = (expression);                                                                  \
  }
HAL_OWNED(atomicAdd, seen + value)
HAL_OWNED(atomicSub, seen - value)
HAL_OWNED(atomicMin, seen < value ? seen : value)
HAL_OWNED(atomicMax, seen > value ? seen : value)
HAL_OWNED(atomicAnd, (T)(seen & value))
HAL_OWNED(atomicOr, (T)(seen | value))
#undef HAL_OWNED

// Replaces an element, or writes what it has; see ConditionalStores. Compilers make branches of ?, and none of this.
template <int SIZE> struct hal_raw_bits { typedef unsigned type; };
template <> struct hal_raw_bits<1> { typedef unsigned char type; };
template <> struct hal_raw_bits<2> { typedef unsigned short type; };
template <> struct hal_raw_bits<8> { typedef unsigned long long type; };
template <class T> static inline __attribute__((always_inline)) void hal_replace(
    bool is_taken, T& at, typename hal_same<T>::type value) {
  typename hal_raw_bits<sizeof(T)>::type was, other;
  __builtin_memcpy(&was, &at, sizeof was);
  __builtin_memcpy(&other, &value, sizeof other);
  was ^= (was ^ other) & -(is_taken ? 1 : 0);
  __builtin_memcpy(&at, &was, sizeof was);
}
