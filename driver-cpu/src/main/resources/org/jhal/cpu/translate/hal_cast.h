// SPDX-License-Identifier: Apache-2.0
// Casts to integers that saturate, as those of GPUs do. The translator writes (int)x as hal_to<int>() ->* x, since ->*
// is an operator that binds nearly as tightly as a cast. What would bind to hal_to<int>() instead, signs and casts before
// it, makes one function of both: -(int)x is the negation of the cast, applied to x. An operand is taken by reference, as
// it may be an array, a class or a field of bits.
#pragma once
#include "hal_math.h"

#define HAL_INLINE inline constexpr __attribute__((always_inline))

template <class T, class X> HAL_INLINE T hal_cast(const X& x) {
  if constexpr (__is_same(hal_bare<X>, float) || __is_same(hal_bare<X>, double)) {
    return hal_whole_of<T, hal_bare<X>>(x);
  } else {
    return (T)const_cast<X&>(x);
  }
}

// The translator writes int i = x as int i = hal_into<int>() = x.
template <class T> struct hal_into {
  template <class X> HAL_INLINE T operator=(const X& x) { return hal_cast<T>(x); }
};

template <class F> struct hal_cast_function {};

// The functions, each of which has `of(x)`.
template <class T> struct hal_to_integer {
  template <class X> static HAL_INLINE T of(const X& x) { return hal_cast<T>(x); }
};
template <class T> struct hal_to_any {
  template <class X> static HAL_INLINE T of(const X& x) { return (T)const_cast<X&>(x); }
};
template <class F, class G> struct hal_after {
  template <class X> static HAL_INLINE auto of(const X& x) { return F::of(G::of(x)); }
};
#define HAL_SIGN(name, sign)                                                  \
  struct name {                                                               \
    template <class X> static HAL_INLINE auto of(const X& x) { return sign x; }      \
  };                                                                          \
  template <class F> HAL_INLINE auto operator sign(hal_cast_function<F>) {    \
    return hal_cast_function<hal_after<name, F>>();                           \
  }
HAL_SIGN(hal_minus, -)
HAL_SIGN(hal_plus, +)
HAL_SIGN(hal_not, !)
HAL_SIGN(hal_complement, ~)

template <class T> using hal_to = hal_cast_function<hal_to_integer<T>>;
template <class T> using hal_as = hal_cast_function<hal_to_any<T>>;

template <class F, class X> HAL_INLINE auto operator->*(hal_cast_function<F>, const X& x) { return F::of(x); }
template <class F, class G> HAL_INLINE auto operator->*(hal_cast_function<F>, hal_cast_function<G>) {
  return hal_cast_function<hal_after<F, G>>();
}
