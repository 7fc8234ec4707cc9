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
