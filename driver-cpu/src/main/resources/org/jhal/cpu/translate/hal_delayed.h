// SPDX-License-Identifier: Apache-2.0
// Additions to memory that take effect when a thread has run its workgroups; see DelayedAdds.
#pragma once
#include "hal_atomic.h"

// For the first elements behind `base`, as many as are asked for; all others are added to at once, as are numbers of other types.
template <class T> struct hal_delayed {
  static constexpr bool is = hal_equal<T, int>::value || hal_equal<T, unsigned>::value || hal_equal<T, unsigned long long>::value;
  static constexpr unsigned long most = is ? (16 << 10) / sizeof(T) : 1;
  T* base;
  unsigned long may;       // elements that may be delayed
  unsigned long used = 0;  // those that may have a sum
  T sums[most];

  // `items`: that will run. What is delayed takes time for each element, too.
  hal_delayed(T* base, unsigned long long items) : base(base), may(items / 4 < most ? (unsigned long)(items / 4) : most) {}
  ~hal_delayed() {
    for (unsigned long i = 0; i < used; i++) {
      if (sums[i] != 0) atomicAdd(base + i, sums[i]);
    }
  }
  inline void add(T* at, typename hal_same<T>::type value) {
    if constexpr (is) {
      const unsigned long index = ((unsigned long)at - (unsigned long)base) / sizeof(T);
      if (__builtin_expect(index < used, 1)) sums[index] += value;
      else other(at, index, value);
    } else {
      atomicAdd(at, value);
    }
  }

 private:
  __attribute__((noinline)) void other(T* at, unsigned long index, T value) {
    if (index >= may || base + index != at) {
      atomicAdd(at, value);
      return;
    }
    unsigned long more = used < 64 ? 64 : 2 * used;
    while (more <= index) more *= 2;
    more = more < may ? more : may;
    for (; used < more; used++) sums[used] = 0;
    sums[index] += value;
  }
};
