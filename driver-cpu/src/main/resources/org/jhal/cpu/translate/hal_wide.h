// SPDX-License-Identifier: Apache-2.0
// Subscripts in 64 bits. The sum in `a[y * n + x + 1]` has 32 bits and may wrap around, so a compiler cannot see that
// neighbouring items read neighbouring elements. Here it has 64 bits. The two differ only where a sum of int overflows, which
// C++ leaves undefined. Sums of unsigned may wrap around, and stay as they are, unless they count items. One that becomes an
// int, as `int x = threadIdx.x + n` does, is defined beyond INT_MAX: it is negative. But no item of a row is taken to pass that,
// since a compiler that must look cannot see neighbours (in two forms of each loop it could, which are twice as much code).
//
// The operands of a subscript get these types, so that the rules of C++ for mixed types apply to them.
#pragma once
#include "hal_types.h"

// An int.
struct hal_wide_int { long long value; };
struct hal_wide_literal { int value; }; // not negative
struct hal_wide_thread_int { long long value; }; // threadIdx.x
// An unsigned.
struct hal_wide_unsigned { unsigned value; };
struct hal_wide_block { unsigned value; }; // blockIdx.x, and its products with the following and with literals
struct hal_wide_size { unsigned value; }; // blockDim.x
struct hal_wide_shift { unsigned value; }; // the product of blockIdx.x and an int
// An unsigned that is greater by one for the next item of a row: that of the first item, and how far this one is behind it.
// `most`: what it is made of decides whether it may wrap around between two items of a row.
template <int most> struct hal_wide_row { unsigned first, behind; };
struct hal_wide_thread { unsigned first, behind; }; // threadIdx.x
enum { HAL_WRAPS, HAL_WRAPS_AS_UNSIGNED /* as an int it does only beyond INT_MAX */, HAL_COUNTS /* only beyond 32 bits */ };

// What is not computed again, since that may have effects.
struct hal_wide_opaque {};

enum hal_wide_kind { HAL_ANY, HAL_OPAQUE, HAL_INT, HAL_UNSIGNED, HAL_ROW, HAL_LONG };
template <hal_wide_kind k, int m> struct hal_wide_is { static constexpr hal_wide_kind kind = k; static constexpr int most = m; };
template <class Hal_T> struct hal_wide_of : hal_wide_is<HAL_ANY, HAL_WRAPS> {};
template <> struct hal_wide_of<hal_wide_int> : hal_wide_is<HAL_INT, HAL_WRAPS_AS_UNSIGNED> {};
template <> struct hal_wide_of<hal_wide_literal> : hal_wide_is<HAL_INT, HAL_COUNTS> {};
template <> struct hal_wide_of<hal_wide_unsigned> : hal_wide_is<HAL_UNSIGNED, HAL_WRAPS> {};
template <> struct hal_wide_of<hal_wide_size> : hal_wide_is<HAL_UNSIGNED, HAL_COUNTS> {};
template <> struct hal_wide_of<hal_wide_shift> : hal_wide_is<HAL_UNSIGNED, HAL_WRAPS_AS_UNSIGNED> {};
template <> struct hal_wide_of<hal_wide_block> : hal_wide_is<HAL_UNSIGNED, HAL_COUNTS> {};
template <> struct hal_wide_of<hal_wide_thread_int> : hal_wide_is<HAL_INT, HAL_WRAPS_AS_UNSIGNED> {};
template <> struct hal_wide_of<hal_wide_thread> : hal_wide_is<HAL_ROW, HAL_COUNTS> {};
template <int m> struct hal_wide_of<hal_wide_row<m>> : hal_wide_is<HAL_ROW, m> {};
template <> struct hal_wide_of<hal_wide_opaque> : hal_wide_is<HAL_OPAQUE, HAL_WRAPS> {};
template <> struct hal_wide_of<long> : hal_wide_is<HAL_LONG, HAL_WRAPS> {};
template <> struct hal_wide_of<unsigned long> : hal_wide_is<HAL_LONG, HAL_WRAPS> {};
template <> struct hal_wide_of<long long> : hal_wide_is<HAL_LONG, HAL_WRAPS> {};
template <> struct hal_wide_of<unsigned long long> : hal_wide_is<HAL_LONG, HAL_WRAPS> {};
template <class Hal_T> static constexpr bool hal_is_operand = hal_wide_of<hal_bare<Hal_T>>::kind == HAL_INT || hal_wide_of<hal_bare<Hal_T>>::kind == HAL_OPAQUE ||
    hal_wide_of<hal_bare<Hal_T>>::kind == HAL_UNSIGNED || hal_wide_of<hal_bare<Hal_T>>::kind == HAL_ROW;
template <bool is> struct hal_if {};
template <> struct hal_if<true> { typedef int type; };

template <class Hal_T> static constexpr inline Hal_T&& hal_wide_leaf(Hal_T&& other) { return static_cast<Hal_T&&>(other); }
#define HAL_LEAF(type, leaf) static constexpr inline leaf hal_wide_leaf(type x) { return {x}; }
HAL_LEAF(bool, hal_wide_int)
HAL_LEAF(char, hal_wide_int)
HAL_LEAF(signed char, hal_wide_int)
HAL_LEAF(unsigned char, hal_wide_int)
HAL_LEAF(short, hal_wide_int)
HAL_LEAF(unsigned short, hal_wide_int)
HAL_LEAF(int, hal_wide_int)
HAL_LEAF(unsigned, hal_wide_unsigned)
#undef HAL_LEAF

static constexpr inline hal_wide_literal hal_literally(int x) { return {x}; }
static constexpr inline hal_wide_thread hal_item_x(unsigned x) { return {0, x}; }
static constexpr inline hal_wide_block hal_block_x(unsigned x) { return {x}; }
static constexpr inline hal_wide_size hal_size_x(unsigned x) { return {x}; }

// An operand of an expression that the source computes, too.
template <class Hal_T> static constexpr inline auto hal_wide_again(Hal_T&& x) {
  if constexpr (hal_number<hal_bare<Hal_T>>::value) return hal_wide_leaf((hal_bare<Hal_T>)x);
  else return hal_wide_opaque{};
}

// As the source computes it.
static constexpr inline int hal_wide_value(hal_wide_int x) { return (int)x.value; }
static constexpr inline int hal_wide_value(hal_wide_literal x) { return x.value; }
static constexpr inline int hal_wide_value(hal_wide_thread_int x) { return (int)x.value; }
static constexpr inline unsigned hal_wide_value(hal_wide_thread x) { return x.first + x.behind; }
static constexpr inline unsigned hal_wide_value(hal_wide_unsigned x) { return x.value; }
static constexpr inline unsigned hal_wide_value(hal_wide_size x) { return x.value; }
static constexpr inline unsigned hal_wide_value(hal_wide_shift x) { return x.value; }
static constexpr inline unsigned hal_wide_value(hal_wide_block x) { return x.value; }
template <int m> static constexpr inline unsigned hal_wide_value(hal_wide_row<m> x) { return x.first + x.behind; }
template <class Hal_T> static constexpr inline Hal_T&& hal_wide_value(Hal_T&& x) { return static_cast<Hal_T&&>(x); }

#define HAL_OPERANDS template <class Hal_A, class Hal_B, typename hal_if<hal_is_operand<Hal_A> || hal_is_operand<Hal_B>>::type = 0>
#define HAL_KINDS                                                                       \
  typedef hal_wide_of<hal_bare<Hal_A>> a_of;                                                 \
  typedef hal_wide_of<hal_bare<Hal_B>> b_of;                                                 \
  constexpr bool is_small_a = a_of::kind == HAL_INT || a_of::kind == HAL_UNSIGNED;      \
  constexpr bool is_small_b = b_of::kind == HAL_INT || b_of::kind == HAL_UNSIGNED;      \
  constexpr int most = a_of::most < b_of::most ? a_of::most : b_of::most;               \
  constexpr int less = most < HAL_WRAPS_AS_UNSIGNED ? most : HAL_WRAPS_AS_UNSIGNED;     \
  constexpr bool is_object = a_of::kind == HAL_OPAQUE || b_of::kind == HAL_OPAQUE;      \
  (void)is_small_a, (void)is_small_b, (void)less, (void)is_object;
HAL_OPERANDS static constexpr inline __attribute__((always_inline)) auto operator+(Hal_A&& a, Hal_B&& b) {
  HAL_KINDS
  constexpr bool is_block_a = hal_equal<hal_bare<Hal_A>, hal_wide_block>::value, is_block_b = hal_equal<hal_bare<Hal_B>, hal_wide_block>::value;
  if constexpr (is_object) return hal_wide_opaque{};
  else if constexpr (a_of::kind == HAL_INT && b_of::kind == HAL_INT) return hal_wide_int{(long long)a.value + b.value};
  else if constexpr (a_of::kind == HAL_ROW && is_small_b) return hal_wide_row<most>{a.first + (unsigned)b.value, a.behind};
  else if constexpr (is_small_a && b_of::kind == HAL_ROW) return hal_wide_row<most>{(unsigned)a.value + b.first, b.behind};
  else if constexpr (is_block_a && hal_equal<hal_bare<Hal_B>, hal_wide_thread_int>::value) return hal_wide_row<HAL_COUNTS>{a.value, (unsigned)b.value};
  else if constexpr (hal_equal<hal_bare<Hal_A>, hal_wide_thread_int>::value && is_block_b) return hal_wide_row<HAL_COUNTS>{b.value, (unsigned)a.value};
  else if constexpr (a_of::kind == HAL_INT && b_of::kind == HAL_LONG) return (hal_bare<Hal_B>)a.value + b;
  else if constexpr (a_of::kind == HAL_LONG && b_of::kind == HAL_INT) return a + (hal_bare<Hal_A>)b.value;
  else return hal_wide_leaf(hal_wide_value(a) + hal_wide_value(b));
}
HAL_OPERANDS static constexpr inline __attribute__((always_inline)) auto operator-(Hal_A&& a, Hal_B&& b) {
  HAL_KINDS
  if constexpr (is_object) return hal_wide_opaque{};
  else if constexpr (a_of::kind == HAL_INT && b_of::kind == HAL_INT) return hal_wide_int{(long long)a.value - b.value};
  else if constexpr (a_of::kind == HAL_ROW && is_small_b) return hal_wide_row<less>{a.first - (unsigned)b.value, a.behind};
  else if constexpr (a_of::kind == HAL_INT && b_of::kind == HAL_LONG) return (hal_bare<Hal_B>)a.value - b;
  else if constexpr (a_of::kind == HAL_LONG && b_of::kind == HAL_INT) return a - (hal_bare<Hal_A>)b.value;
  else return hal_wide_leaf(hal_wide_value(a) - hal_wide_value(b));
}
HAL_OPERANDS static constexpr inline __attribute__((always_inline)) auto operator*(Hal_A&& a, Hal_B&& b) {
  HAL_KINDS
  constexpr bool is_block = hal_equal<hal_bare<Hal_A>, hal_wide_block>::value || hal_equal<hal_bare<Hal_B>, hal_wide_block>::value;
  if constexpr (is_object) return hal_wide_opaque{};
  else if constexpr (a_of::kind == HAL_INT && b_of::kind == HAL_INT) return hal_wide_int{(long long)a.value * b.value};
  else if constexpr (is_block && is_small_a && is_small_b && most == HAL_COUNTS) return hal_wide_block{(unsigned)a.value * (unsigned)b.value};
  else if constexpr (is_block && is_small_a && is_small_b && most == HAL_WRAPS_AS_UNSIGNED) return hal_wide_shift{(unsigned)a.value * (unsigned)b.value};
  else if constexpr (a_of::kind == HAL_INT && b_of::kind == HAL_LONG) return (hal_bare<Hal_B>)a.value * b;
  else if constexpr (a_of::kind == HAL_LONG && b_of::kind == HAL_INT) return a * (hal_bare<Hal_A>)b.value;
  else return hal_wide_leaf(hal_wide_value(a) * hal_wide_value(b));
}
#undef HAL_OPERANDS
#undef HAL_KINDS

// The subscript itself.
template <class Hal_T> static constexpr inline __attribute__((always_inline)) decltype(auto) hal_subscript(Hal_T&& x) {
  typedef hal_wide_of<hal_bare<Hal_T>> of;
  if constexpr (of::kind == HAL_INT) return (long long)x.value;
  else if constexpr (of::kind == HAL_ROW && of::most == HAL_COUNTS) return (long long)x.first + x.behind;
  else return hal_wide_value(static_cast<Hal_T&&>(x));
}

// A variable of type T that never changes, and the expression that it has the value of.
template <class Hal_T, class Hal_E> static constexpr inline __attribute__((always_inline)) auto hal_wide_variable(Hal_E x, const Hal_T& variable) {
  typedef hal_wide_of<Hal_E> of;
  if constexpr (hal_equal<Hal_T, int>::value) {
    if constexpr (hal_equal<Hal_E, hal_wide_thread>::value) return hal_wide_thread_int{x.behind};
    else if constexpr (of::kind == HAL_ROW && of::most != HAL_WRAPS) return hal_wide_int{(long long)(int)x.first + x.behind};
    else if constexpr (hal_equal<Hal_E, hal_wide_thread_int>::value) return x;
    else if constexpr (of::kind == HAL_INT) return hal_wide_int{x.value};
    else return hal_wide_int{variable};
  } else if constexpr (hal_equal<Hal_T, unsigned>::value) {
    if constexpr (of::kind == HAL_ROW || hal_equal<Hal_E, hal_wide_block>::value || hal_equal<Hal_E, hal_wide_shift>::value) return x;
    else return hal_wide_unsigned{variable};
  } else {
    return variable;
  }
}
