// SPDX-License-Identifier: Apache-2.0
// Casts to integers that saturate, as those of GPUs do. The translator writes (int)x as hal_to<int>() ->* x, since ->*
// is an operator that binds nearly as tightly as a cast. What would bind to hal_to<int>() instead, signs and casts before
// it, makes one function of both: -(int)x is the negation of the cast, applied to x.
//
// An operand that is no class is passed by value, so that a constant is used as a value only, and that it may be a field of
// bits or an array. A class is passed on as it is: constant or not, and as a temporary if it is one.
#pragma once
#include "hal_math.h"

#define HAL_INLINE inline constexpr __attribute__((always_inline))

template <class X> struct hal_is_object {
  static constexpr bool value = __is_class(hal_bare<X>) || __is_union(hal_bare<X>);
};
template <bool> struct hal_only_if {};
template <> struct hal_only_if<true> { typedef int type; };
#define HAL_VALUE class X, typename hal_only_if<!hal_is_object<X>::value>::type = 0
#define HAL_OBJECT class X, typename hal_only_if<hal_is_object<X>::value>::type = 0

template <class T, HAL_VALUE> HAL_INLINE T hal_cast(X x) {
  if constexpr (__is_same(X, float) || __is_same(X, double)) {
    return hal_whole_of<T>(x);
  } else {
    return (T)x;
  }
}
template <class T, HAL_OBJECT> HAL_INLINE T hal_cast(X&& x) { return (T) static_cast<X&&>(x); }

// The translator writes int i = x as int i = hal_into<int>() = x.
template <class T> struct hal_into {
  template <HAL_VALUE> HAL_INLINE T operator=(X x) { return hal_cast<T>(x); }
  template <HAL_OBJECT> HAL_INLINE T operator=(X&& x) { return static_cast<X&&>(x); }
};

template <class F> struct hal_cast_function {};

// The functions, each of which has `of(x)`.
template <class T> struct hal_to_integer {
  template <HAL_VALUE> static HAL_INLINE T of(X x) { return hal_cast<T>(x); }
  template <HAL_OBJECT> static HAL_INLINE T of(X&& x) { return hal_cast<T>(static_cast<X&&>(x)); }
};
template <class T> struct hal_to_any {
  template <class X> static HAL_INLINE T of(X x) { return (T)x; }  // of an integer
};
template <class F, class G> struct hal_after {
  template <HAL_VALUE> static HAL_INLINE auto of(X x) { return F::of(G::of(x)); }
  template <HAL_OBJECT> static HAL_INLINE auto of(X&& x) { return F::of(G::of(static_cast<X&&>(x))); }
};
#define HAL_SIGN(name, sign)                                                  \
  struct name {                                                               \
    template <class X> static HAL_INLINE auto of(X x) { return sign x; }      \
  };                                                                          \
  template <class F> HAL_INLINE auto operator sign(hal_cast_function<F>) {    \
    return hal_cast_function<hal_after<name, F>>();                           \
  }
HAL_SIGN(hal_minus, -)
HAL_SIGN(hal_plus, +)
HAL_SIGN(hal_not, !)
HAL_SIGN(hal_complement, ~)

template <class T> using hal_to = hal_cast_function<hal_to_integer<hal_bare<T>>>;
template <class T> using hal_as = hal_cast_function<hal_to_any<T>>;

template <class F, HAL_VALUE> HAL_INLINE auto operator->*(hal_cast_function<F>, X x) { return F::of(x); }
template <class F, HAL_OBJECT> HAL_INLINE auto operator->*(hal_cast_function<F>, X&& x) {
  return F::of(static_cast<X&&>(x));
}
template <class F, class G> HAL_INLINE auto operator->*(hal_cast_function<F>, hal_cast_function<G>) {
  return hal_cast_function<hal_after<F, G>>();
}
