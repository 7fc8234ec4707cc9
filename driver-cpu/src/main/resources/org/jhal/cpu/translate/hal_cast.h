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

template <class Hal_X> struct hal_is_object {
  static constexpr bool value = __is_class(hal_bare<Hal_X>) || __is_union(hal_bare<Hal_X>);
};
template <bool> struct hal_only_if {};
template <> struct hal_only_if<true> { typedef int type; };
#define HAL_VALUE class Hal_X, typename hal_only_if<!hal_is_object<Hal_X>::value>::type = 0
#define HAL_OBJECT class Hal_X, typename hal_only_if<hal_is_object<Hal_X>::value>::type = 0

template <class Hal_T, HAL_VALUE> HAL_INLINE Hal_T hal_cast(Hal_X x) {
  if constexpr (__is_same(Hal_X, float) || __is_same(Hal_X, double)) {
    return hal_whole_of<Hal_T>(x);
  } else {
    return (Hal_T)x;
  }
}
template <class Hal_T, HAL_OBJECT> HAL_INLINE Hal_T hal_cast(Hal_X&& x) { return (Hal_T) static_cast<Hal_X&&>(x); }

// The translator writes int i = x as int i = hal_into<int>() = x.
template <class Hal_T> struct hal_into {
  template <HAL_VALUE> HAL_INLINE Hal_T operator=(Hal_X x) { return hal_cast<Hal_T>(x); }
  template <HAL_OBJECT> HAL_INLINE Hal_T operator=(Hal_X&& x) { return static_cast<Hal_X&&>(x); }
};

template <class Hal_F> struct hal_cast_function {};

// The functions, each of which has `of(x)`.
template <class Hal_T> struct hal_to_integer {
  template <HAL_VALUE> static HAL_INLINE Hal_T of(Hal_X x) { return hal_cast<Hal_T>(x); }
  template <HAL_OBJECT> static HAL_INLINE Hal_T of(Hal_X&& x) { return hal_cast<Hal_T>(static_cast<Hal_X&&>(x)); }
};
template <class Hal_T> struct hal_to_any {
  template <class Hal_X> static HAL_INLINE Hal_T of(Hal_X x) { return (Hal_T)x; }  // of an integer
};
template <class Hal_F, class Hal_G> struct hal_after {
  template <HAL_VALUE> static HAL_INLINE auto of(Hal_X x) { return Hal_F::of(Hal_G::of(x)); }
  template <HAL_OBJECT> static HAL_INLINE auto of(Hal_X&& x) { return Hal_F::of(Hal_G::of(static_cast<Hal_X&&>(x))); }
};
#define HAL_SIGN(name, sign)                                                  \
  struct name {                                                               \
    template <class Hal_X> static HAL_INLINE auto of(Hal_X x) { return sign x; } \
  };                                                                          \
  template <class Hal_F> HAL_INLINE auto operator sign(hal_cast_function<Hal_F>) { \
    return hal_cast_function<hal_after<name, Hal_F>>();                       \
  }
HAL_SIGN(hal_minus, -)
HAL_SIGN(hal_plus, +)
HAL_SIGN(hal_not, !)
HAL_SIGN(hal_complement, ~)

template <class Hal_T> using hal_to = hal_cast_function<hal_to_integer<hal_bare<Hal_T>>>;
template <class Hal_T> using hal_as = hal_cast_function<hal_to_any<Hal_T>>;

template <class Hal_F, HAL_VALUE> HAL_INLINE auto operator->*(hal_cast_function<Hal_F>, Hal_X x) { return Hal_F::of(x); }
template <class Hal_F, HAL_OBJECT> HAL_INLINE auto operator->*(hal_cast_function<Hal_F>, Hal_X&& x) {
  return Hal_F::of(static_cast<Hal_X&&>(x));
}
template <class Hal_F, class Hal_G> HAL_INLINE auto operator->*(hal_cast_function<Hal_F>, hal_cast_function<Hal_G>) {
  return hal_cast_function<hal_after<Hal_F, Hal_G>>();
}
