// SPDX-License-Identifier: Apache-2.0
// Atomic operations on memory that no other thread knows, with the results of those in hal_atomic.h.
#pragma once
#include "hal_types.h"

#define HAL_OWNED(name, expression)                                                      \
  template <class Hal_T> static inline void hal_owned_##name(Hal_T* at, typename hal_same<Hal_T>::type value) { \
    Hal_T seen = *at;                                                                    \
    *at = (expression);                                                                  \
  }
HAL_OWNED(atomicAdd, seen + value)
HAL_OWNED(atomicSub, seen - value)
HAL_OWNED(atomicMin, seen < value ? seen : value)
HAL_OWNED(atomicMax, seen > value ? seen : value)
HAL_OWNED(atomicAnd, (Hal_T)(seen & value))
HAL_OWNED(atomicOr, (Hal_T)(seen | value))
#undef HAL_OWNED

// Replaces an element, or writes what it has; see ConditionalStores. Compilers make branches of ?, and none of this.
template <int SIZE> struct hal_raw_bits { typedef unsigned type; };
template <> struct hal_raw_bits<1> { typedef unsigned char type; };
template <> struct hal_raw_bits<2> { typedef unsigned short type; };
template <> struct hal_raw_bits<8> { typedef unsigned long long type; };
template <class Hal_T> static inline __attribute__((always_inline)) void hal_replace(
    bool is_taken, Hal_T& at, typename hal_same<Hal_T>::type value) {
  typename hal_raw_bits<sizeof(Hal_T)>::type was, other;
  __builtin_memcpy(&was, &at, sizeof was);
  __builtin_memcpy(&other, &value, sizeof other);
  was ^= (was ^ other) & -(is_taken ? 1 : 0);
  __builtin_memcpy(&at, &was, sizeof was);
}
