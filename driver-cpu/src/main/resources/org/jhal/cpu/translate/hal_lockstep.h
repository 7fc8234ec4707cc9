// SPDX-License-Identifier: Apache-2.0
// Loops whose items take different numbers of steps, in lockstep: several items go through such a loop together, each variable
// is a vector with an element for each of them, and a mask has those that take part. Lockstep.java writes such loops.
//
// Elements have 32 bits, so that all vectors are as long as the processor's, and compilers divide none.
#pragma once
#include "hal_groups.h"

#if defined(__AVX512F__)
#define HAL_TOGETHER 16
#elif defined(__AVX2__)
#define HAL_TOGETHER 8
#else
#define HAL_TOGETHER 4  // with which some loops take longer than one item after the other
#endif

#define HAL_STEP static inline __attribute__((always_inline))
// GCC makes vectors of such a loop if it has not unrolled it before.
#define HAL_EACH(hal_n) _Pragma("GCC unroll 1") for (unsigned hal_n = 0; hal_n < HAL_TOGETHER; hal_n++)

template <class Hal_T> struct hal_vector_of {
  static_assert(sizeof(Hal_T) == 4, "an element that has not 32 bits");
  typedef Hal_T type __attribute__((vector_size(4 * HAL_TOGETHER)));
};
template <class Hal_T> struct hal_vector {
  typedef typename hal_vector_of<Hal_T>::type type;
  type all;
};
// The items that take part, or those for which something is true: an element is 0 or -1.
struct hal_truth {
  typedef hal_vector_of<int>::type type;
  type all;
  // GCC takes a vector apart element by element, which takes longer than the rest of a short loop.
  HAL_RAW inline __attribute__((always_inline)) bool any() const {
#if HAL_TOGETHER == 16 && defined(__AVX512DQ__) && !defined(__clang__)
    return __builtin_ia32_cvtd2mask512(all) != 0;
#elif HAL_TOGETHER == 8 && !defined(__clang__)
    return __builtin_ia32_movmskps256((hal_vector_of<float>::type)all) != 0;
#else
    long long words[HAL_TOGETHER / 2], some = 0;
    __builtin_memcpy(words, &all, sizeof words);
    for (unsigned i = 0; i < HAL_TOGETHER / 2; i++) some |= words[i];
    return some != 0;
#endif
  }
};

// A vector of an array: compilers vectorize loops over arrays, and write element after element of a vector.
template <class Hal_V, class Hal_T> HAL_STEP Hal_V hal_vector_from(const Hal_T (&array)[HAL_TOGETHER]) {
  Hal_V vector;
  __builtin_memcpy(&vector.all, array, sizeof array);
  return vector;
}

// Conversions, which are as those of numbers.
template <class Hal_T> HAL_STEP hal_vector<Hal_T> hal_for_all(Hal_T x) {
  int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return {(typename hal_vector<Hal_T>::type)(hal_vector<int>::type{} + bits)};
}
template <class Hal_T, class Hal_X> HAL_STEP hal_vector<Hal_T> hal_vector_as(Hal_X x) {
  if constexpr (__is_same(Hal_X, float) && !__is_same(Hal_T, float)) return hal_for_all(hal_whole_of<Hal_T>(x));
  else return hal_for_all((Hal_T)x);
}
template <class Hal_T, class Hal_X> HAL_STEP hal_vector<Hal_T> hal_vector_as(const hal_vector<Hal_X>& x) {
  if constexpr (__is_same(Hal_T, Hal_X)) {
    return x;
  } else if constexpr (__is_same(Hal_X, float)) { // as casts do, which saturate
    Hal_T whole[HAL_TOGETHER];
    HAL_EACH(n) whole[n] = hal_whole_of<Hal_T>(x.all[n]);
    return hal_vector_from<hal_vector<Hal_T>>(whole);
  } else {
    return {__builtin_convertvector(x.all, typename hal_vector<Hal_T>::type)};
  }
}
template <class Hal_T> HAL_STEP hal_vector<Hal_T> hal_vector_as(hal_truth x) {
  return hal_vector_as<Hal_T>(hal_vector<int>{x.all & 1});
}
HAL_STEP hal_truth hal_is(hal_truth x) { return x; }
template <class Hal_T> HAL_STEP hal_truth hal_is(const hal_vector<Hal_T>& x) { return {x.all != 0}; }
template <class Hal_X> HAL_STEP hal_truth hal_is(Hal_X x) { return {hal_for_all(x ? -1 : 0).all}; }

HAL_STEP hal_truth hal_both(hal_truth a, hal_truth b) { return {a.all & b.all}; }
HAL_STEP hal_truth hal_either(hal_truth a, hal_truth b) { return {a.all | b.all}; }
HAL_STEP hal_truth hal_without(hal_truth a, hal_truth b) { return {a.all & ~b.all}; }
HAL_STEP hal_truth hal_not_of(hal_truth a) { return {~a.all}; }

// The number of an element, or the truth that it is.
template <class Hal_T> struct hal_element_of { typedef Hal_T type; };
template <class Hal_T> struct hal_element_of<hal_vector<Hal_T>> { typedef Hal_T type; };
template <> struct hal_element_of<hal_truth> { typedef bool type; };
template <class Hal_T> using hal_element_type = typename hal_element_of<hal_bare<Hal_T>>::type;

// What operators compute. They are functions, since operators that a source has of its own may take vectors as well.
#define HAL_STEP_SUM hal_element_type<Hal_A>() + hal_element_type<Hal_B>()
#define HAL_STEP_ARITHMETIC(name, op)                                                             \
  template <class Hal_A, class Hal_B> HAL_STEP auto name(const Hal_A& a, const Hal_B& b) {        \
    typedef decltype(HAL_STEP_SUM) hal_t;                                                         \
    return hal_vector<hal_t>{hal_vector_as<hal_t>(a).all op hal_vector_as<hal_t>(b).all};         \
  }
HAL_STEP_ARITHMETIC(hal_v_sum, +)
HAL_STEP_ARITHMETIC(hal_v_difference, -)
HAL_STEP_ARITHMETIC(hal_v_product, *)
HAL_STEP_ARITHMETIC(hal_v_quotient, /)
HAL_STEP_ARITHMETIC(hal_v_remainder, %)
HAL_STEP_ARITHMETIC(hal_v_and, &)
HAL_STEP_ARITHMETIC(hal_v_or, |)
HAL_STEP_ARITHMETIC(hal_v_xor, ^)
#define HAL_STEP_SHIFT(name, op)                                                                  \
  template <class Hal_A, class Hal_B> HAL_STEP auto name(const Hal_A& a, const Hal_B& b) {        \
    typedef decltype(+hal_element_type<Hal_A>()) hal_t;                                           \
    return hal_vector<hal_t>{hal_vector_as<hal_t>(a).all op hal_vector_as<hal_t>(b).all};         \
  }
HAL_STEP_SHIFT(hal_v_left, <<)
HAL_STEP_SHIFT(hal_v_right, >>)
#define HAL_STEP_COMPARISON(name, op)                                                             \
  template <class Hal_A, class Hal_B> HAL_STEP hal_truth name(const Hal_A& a, const Hal_B& b) {   \
    typedef decltype(HAL_STEP_SUM) hal_t;                                                         \
    return {hal_vector_as<hal_t>(a).all op hal_vector_as<hal_t>(b).all};                          \
  }
HAL_STEP_COMPARISON(hal_v_less, <)
HAL_STEP_COMPARISON(hal_v_greater, >)
HAL_STEP_COMPARISON(hal_v_at_most, <=)
HAL_STEP_COMPARISON(hal_v_at_least, >=)
HAL_STEP_COMPARISON(hal_v_equal, ==)
HAL_STEP_COMPARISON(hal_v_other, !=)
#define HAL_STEP_SIGN(name, op)                                                                   \
  template <class Hal_A> HAL_STEP auto name(const Hal_A& a) {                                     \
    typedef decltype(+hal_element_type<Hal_A>()) hal_t;                                           \
    return hal_vector<hal_t>{op hal_vector_as<hal_t>(a).all};                                     \
  }
HAL_STEP_SIGN(hal_v_negative, -)
HAL_STEP_SIGN(hal_v_same, +)
HAL_STEP_SIGN(hal_v_complement, ~)

// Gives the items of a mask a value.
template <class Hal_T> HAL_STEP Hal_T hal_chosen(hal_truth mask, const Hal_T& a, const Hal_T& b) { return {mask.all ? a.all : b.all}; }
HAL_STEP hal_truth hal_chosen(hal_truth mask, const hal_truth& a, const hal_truth& b) {
  return {(mask.all & a.all) | (~mask.all & b.all)};
}
template <class Hal_T, class Hal_X> HAL_STEP void hal_give(hal_vector<Hal_T>& variable, hal_truth mask, const Hal_X& value) {
  variable = hal_chosen(mask, hal_vector_as<Hal_T>(value), variable);
}
template <class Hal_X> HAL_STEP void hal_give(hal_truth& variable, hal_truth mask, const Hal_X& value) {
  variable = hal_chosen(mask, hal_is(value), variable);
}

// A function of numbers, for each item. It has no effect, so those that do not take part may compute it as well.
template <class Hal_F, class... Hal_T> HAL_STEP auto hal_each(Hal_F function, const hal_vector<Hal_T>&... of) {
  typedef decltype(function(of.all[0]...)) hal_t;
  hal_t results[HAL_TOGETHER];
  HAL_EACH(n) results[n] = function(of.all[n]...);
  return hal_vector_from<hal_vector<hal_t>>(results);
}

// Memory, for the items of a mask alone.
template <class Hal_T, class Hal_I> HAL_STEP auto hal_items_load(hal_truth mask, Hal_T* from, const hal_vector<Hal_I>& index) {
  typedef hal_promoted<Hal_T> hal_t;
  hal_t values[HAL_TOGETHER];
  Hal_I at[HAL_TOGETHER];
  int is[HAL_TOGETHER];
  __builtin_memcpy(at, &index.all, sizeof at);
  __builtin_memcpy(is, &mask.all, sizeof is);
  HAL_EACH(n) values[n] = is[n] ? (hal_t)from[at[n]] : (hal_t)0;
  return hal_vector_from<hal_vector<hal_t>>(values);
}
template <class Hal_T, class Hal_I> HAL_STEP auto hal_items_load(hal_truth mask, Hal_T* from, Hal_I index) {
  typedef hal_promoted<Hal_T> hal_t; // of the same element
  return mask.any() ? (hal_t)from[index] : (hal_t)0;
}
template <class Hal_T, class Hal_I, class Hal_X>
HAL_STEP void hal_items_store(hal_truth mask, Hal_T* to, const hal_vector<Hal_I>& index, const Hal_X& value) {
  const auto values = hal_vector_as<Hal_T>(value);
  for (unsigned n = 0; n < HAL_TOGETHER; n++) if (mask.all[n]) to[index.all[n]] = values.all[n];
}

// Truths of bytes, which are 0 or -1.
HAL_STEP hal_truth hal_truths_from(const signed char (&bytes)[HAL_TOGETHER]) {
  typedef signed char hal_bytes __attribute__((vector_size(HAL_TOGETHER)));
  hal_bytes all;
  __builtin_memcpy(&all, bytes, sizeof all);
  return {__builtin_convertvector(all, hal_truth::type)};
}

// Items that lie beside each other in the array of a variable; `count` of them exist.
template <class Hal_T> HAL_STEP auto hal_items_of(const Hal_T* array, unsigned count) {
  if constexpr (__is_same(Hal_T, bool)) {
    signed char truths[HAL_TOGETHER] = {};
    for (unsigned n = 0; n < count; n++) truths[n] = -(((const signed char*)array)[n] & 1);
    return hal_truths_from(truths);
  } else {
    Hal_T values[HAL_TOGETHER] = {};
    if (count == HAL_TOGETHER) __builtin_memcpy(values, array, sizeof values);
    else for (unsigned n = 0; n < count; n++) values[n] = array[n];
    return hal_vector_from<hal_vector<Hal_T>>(values);
  }
}
template <class Hal_T, class Hal_V> HAL_STEP void hal_items_to(Hal_T* array, const Hal_V& vector, unsigned count) {
  if constexpr (__is_same(Hal_T, bool)) {
    for (unsigned n = 0; n < count; n++) array[n] = vector.all[n] != 0;
  } else {
    if (count == HAL_TOGETHER) __builtin_memcpy(array, &vector.all, sizeof vector.all);
    else for (unsigned n = 0; n < count; n++) array[n] = vector.all[n];
  }
}
template <class Hal_F> HAL_STEP hal_truth hal_items_where(unsigned first, unsigned count, Hal_F takes_part) {
  signed char truths[HAL_TOGETHER] = {};
  if (count == HAL_TOGETHER) {
    HAL_EACH(n) truths[n] = -(signed char)takes_part(first + n);
  } else {
    for (unsigned n = 0; n < count; n++) truths[n] = -(signed char)takes_part(first + n);
  }
  return hal_truths_from(truths);
}
// If no item of a row is missing, the items of all rows lie beside each other.
#define HAL_TOGETHER_BEGIN                                                                                \
  {                                                                                                       \
    const bool hal_is_whole = hal_width == HAL_X * hal_most;                                              \
    const unsigned hal_length = hal_is_whole ? HAL_ITEMS : hal_width;                                     \
    const unsigned hal_rows = hal_is_whole ? 1 : HAL_Y * HAL_Z;                                           \
    for (unsigned hal_row = 0; hal_row < hal_rows; hal_row++)                                             \
      for (unsigned hal_x = 0; hal_x < hal_length; hal_x += HAL_TOGETHER) {                               \
        const unsigned hal_first_item = hal_row * HAL_X * hal_most + hal_x, hal_left = hal_length - hal_x;     \
        const unsigned hal_items_left = hal_left < HAL_TOGETHER ? hal_left : HAL_TOGETHER;
#define HAL_TOGETHER_END }}
