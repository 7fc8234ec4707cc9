// SPDX-License-Identifier: Apache-2.0
// What the translation of a kernel takes for granted, as conditions that the compiler checks.
#pragma once
#include "hal_cooperative.h"
#include "hal_types.h"

// Types whose operators are those of the language: numbers, pointers, arrays, and enumerations unless the source has
// operators of its own.
template <class Hal_T> struct hal_number { static constexpr bool value = false; };
#define HAL_NUMBER(...) template <> struct hal_number<__VA_ARGS__> { static constexpr bool value = true; };
HAL_NUMBER(bool)
HAL_NUMBER(char)
HAL_NUMBER(signed char)
HAL_NUMBER(unsigned char)
HAL_NUMBER(wchar_t)
HAL_NUMBER(char16_t)
HAL_NUMBER(char32_t)
HAL_NUMBER(short)
HAL_NUMBER(unsigned short)
HAL_NUMBER(int)
HAL_NUMBER(unsigned)
HAL_NUMBER(long)
HAL_NUMBER(unsigned long)
HAL_NUMBER(long long)
HAL_NUMBER(unsigned long long)
HAL_NUMBER(__int128)
HAL_NUMBER(unsigned __int128)
HAL_NUMBER(float)
HAL_NUMBER(double)
HAL_NUMBER(long double)
HAL_NUMBER(decltype(nullptr))
#undef HAL_NUMBER

template <class Hal_T> struct hal_constant { static constexpr bool value = false; };
template <class Hal_T> struct hal_constant<const Hal_T> { static constexpr bool value = true; };
template <class Hal_T, class Hal_U> struct hal_equal { static constexpr bool value = false; };
template <class Hal_T> struct hal_equal<Hal_T, Hal_T> { static constexpr bool value = true; };

// What is the decltype of an expression that stands for no variable.
template <class Hal_T> struct hal_is_value { static constexpr bool value = true; };
template <class Hal_T> struct hal_is_value<Hal_T&> { static constexpr bool value = false; };
template <class Hal_T> struct hal_is_value<Hal_T&&> { static constexpr bool value = false; };

template <class Hal_T, bool enums> struct hal_built_in {
  static constexpr bool value = hal_number<Hal_T>::value || (enums && __is_enum(Hal_T));
};
template <class Hal_T, bool enums> struct hal_built_in<const Hal_T, enums> : hal_built_in<Hal_T, enums> {};
template <class Hal_T, bool enums> struct hal_built_in<Hal_T*, enums> { static constexpr bool value = true; };
template <class Hal_T, bool enums> struct hal_built_in<Hal_T* const, enums> { static constexpr bool value = true; };
template <class Hal_T, bool enums> struct hal_built_in<Hal_T* __restrict, enums> { static constexpr bool value = true; };
template <class Hal_T, bool enums> struct hal_built_in<Hal_T* const __restrict, enums> { static constexpr bool value = true; };
template <class Hal_T, bool enums, size_t Hal_N> struct hal_built_in<Hal_T[Hal_N], enums> { static constexpr bool value = true; };
template <class Hal_T, bool enums, size_t Hal_N> struct hal_built_in<const Hal_T[Hal_N], enums> { static constexpr bool value = true; };
template <class Hal_T, bool enums> struct hal_built_in<Hal_T[], enums> { static constexpr bool value = true; };

// `(x) + hal_any()` is a value of the type x, or says what kind of value x is.
struct hal_any {
  template <class Hal_T> operator Hal_T() const;
  hal_any operator+() const;
};
template <class Hal_T> struct hal_value {};
template <class Hal_T> hal_value<Hal_T&&> operator+(Hal_T&&, hal_any);

// A variable that is a copy of an expression of the same type, or a number.
template <class Hal_T, class Hal_E> struct hal_copy {
  static constexpr bool value = hal_built_in<Hal_T, true>::value || hal_equal<hal_bare<Hal_T>, hal_bare<Hal_E>>::value;
};
template <class Hal_T, class Hal_E> struct hal_copy<Hal_T&, Hal_E> { static constexpr bool value = false; };
template <class Hal_T, class Hal_E> struct hal_copy<Hal_T&&, Hal_E> { static constexpr bool value = false; };

// Something that an expression is computed from, which may be a type.
template <class Hal_T, bool enums> struct hal_operand : hal_built_in<Hal_T, enums> {};
template <class Hal_T, bool enums> struct hal_operand<hal_value<Hal_T&>, enums> : hal_built_in<Hal_T, enums> {};
template <class Hal_T, bool enums> struct hal_operand<hal_value<Hal_T&&>, enums> : hal_built_in<Hal_T, enums> {};
// The same, outside the kernel: it never changes.
template <class Hal_T, bool enums> struct hal_outside : hal_built_in<Hal_T, enums> {};
template <class Hal_T, bool enums> struct hal_outside<hal_value<Hal_T&&>, enums> : hal_built_in<Hal_T, enums> {};
template <class Hal_T, bool enums> struct hal_outside<hal_value<Hal_T&>, enums> {
  static constexpr bool value = hal_constant<Hal_T>::value && hal_built_in<Hal_T, enums>::value;
};
template <class Hal_T, bool enums, size_t Hal_N> struct hal_outside<hal_value<Hal_T (&)[Hal_N]>, enums> { static constexpr bool value = true; };

// Cooperative groups. Those that derive from them may have other methods of the same names.
namespace cooperative_groups {
struct hal_namespace {};
}
template <class Hal_T> struct hal_is_tile { static constexpr bool value = false; };
template <unsigned size, class Hal_P> struct hal_is_tile<cooperative_groups::thread_block_tile<size, Hal_P>> { static constexpr bool value = true; };
template <class Hal_T> struct hal_has_barrier : hal_is_tile<Hal_T> {};
template <> struct hal_has_barrier<cooperative_groups::thread_block> { static constexpr bool value = true; };
template <> struct hal_has_barrier<cooperative_groups::thread_group> { static constexpr bool value = true; };
template <> struct hal_has_barrier<cooperative_groups::coalesced_group> { static constexpr bool value = true; };
template <class Hal_T> struct hal_is_grid { static constexpr bool value = false; };
template <> struct hal_is_grid<cooperative_groups::grid_group> { static constexpr bool value = true; };
template <class Hal_T> struct hal_is_group : hal_has_barrier<Hal_T> {};
template <> struct hal_is_group<cooperative_groups::grid_group> { static constexpr bool value = true; };

// An index with all its axes.
template <class Hal_T> struct hal_axes { static constexpr bool value = hal_equal<Hal_T, uint3>::value || hal_equal<Hal_T, dim3>::value; };
template <class Hal_T> struct hal_axes<const Hal_T> : hal_axes<Hal_T> {};
template <class Hal_T> struct hal_axes<Hal_T&> : hal_axes<Hal_T> {};

template <class Hal_T> struct hal_kept_of { typedef Hal_T type; };
template <class Hal_T> struct hal_kept_of<Hal_T&> { typedef Hal_T type; };
template <class Hal_T> struct hal_kept_of<Hal_T&&> { typedef Hal_T type; };
// A type that keeps its const and its volatile.
template <class Hal_T> using hal_kept = typename hal_kept_of<Hal_T>::type;
template <class Hal_T> struct hal_no_reference { static constexpr bool value = true; };
template <class Hal_T> struct hal_no_reference<Hal_T&> { static constexpr bool value = false; };
template <class Hal_T> struct hal_no_reference<Hal_T&&> { static constexpr bool value = false; };

// What a function that was written out returns, which is assigned to a variable.
template <class Hal_T, class Hal_V> struct hal_result {
  static constexpr bool value = hal_built_in<Hal_T, true>::value || (hal_equal<Hal_T, Hal_V>::value && __has_trivial_assign(Hal_T));
};
