// SPDX-License-Identifier: Apache-2.0
// Additions to memory that take effect when a thread has run its workgroups; see DelayedAdds.
#pragma once
#include "hal_atomic.h"

// The memory for the sums of a thread. It is no member of what follows, so that compilers keep those in registers.
template <class Hal_T> struct hal_sums {
  static constexpr bool is = hal_equal<Hal_T, int>::value || hal_equal<Hal_T, unsigned>::value || hal_equal<Hal_T, unsigned long long>::value;
  static constexpr unsigned long most = is ? (16 << 10) / sizeof(Hal_T) : 1;
  Hal_T sums[most];
};

// For the first elements behind `base`, as many as are asked for; all others are added to at once, as are numbers of other types.
template <class Hal_T> struct hal_delayed {
  Hal_T* const base;
  Hal_T* const sums;
  const unsigned long may;  // elements that may be delayed
  unsigned long used = 0;   // those that may have a sum

  // `items`: that will run. What is delayed takes time for each element, too.
  inline __attribute__((always_inline)) hal_delayed(Hal_T* base, hal_sums<Hal_T>& memory, unsigned long long items)
      : base(base), sums(memory.sums), may(items / 4 < memory.most ? (unsigned long)(items / 4) : memory.most) {}
  inline __attribute__((always_inline)) ~hal_delayed() {
    for (unsigned long i = 0; i < used; i++) {
      if (sums[i] != 0) atomicAdd(base + i, sums[i]);
    }
  }
  inline __attribute__((always_inline)) void add(Hal_T* at, typename hal_same<Hal_T>::type value) {
    if constexpr (hal_sums<Hal_T>::is) {
      const unsigned long index = ((unsigned long)at - (unsigned long)base) / sizeof(Hal_T);
      if (__builtin_expect(index < used, 1)) sums[index] += value;
      else used = other(base, sums, may, used, at, value);
    } else {
      atomicAdd(at, value);
    }
  }

 private:
  // The new `used`.
  static __attribute__((noinline)) unsigned long other(
      Hal_T* base, Hal_T* sums, unsigned long may, unsigned long used, Hal_T* at, Hal_T value) {
    const unsigned long index = ((unsigned long)at - (unsigned long)base) / sizeof(Hal_T);
    if (index >= may || base + index != at) {
      atomicAdd(at, value);
      return used;
    }
    unsigned long more = used < 64 ? 64 : 2 * used;
    while (more <= index) more *= 2;
    more = more < may ? more : may;
    for (; used < more; used++) sums[used] = 0;
    sums[index] += value;
    return used;
  }
};
