// SPDX-License-Identifier: Apache-2.0
// Loops over the items of rows, without clamps and guards where these make no difference.
#pragma once
#include "hal_proofs.h"

// What grows from item to item may be a pointer, too.
template <class Hal_T> static constexpr inline bool hal_is_negative(Hal_T value) { return value < 0; }
template <class Hal_T> static constexpr inline bool hal_is_negative(Hal_T*) { return false; }

// Of the items of a row, those for which all of some comparisons hold; see InnerRanges.
struct hal_row_range {
  unsigned from, to;
  unsigned pass = 0; // computes the range, then looks at its first item, and at its last one
  bool is = true;
  unsigned long long begin = 0, end = ~0ull; // counted from the first item, as the first pass finds it
  hal_row_range(unsigned from, unsigned to) : from(from), to(to) {}
  bool is_open() {
    const bool is_wide = is && from < to && to - from >= 8;
    if (!is_wide) from = to = ~0u; // none
    return is_wide && pass < 3;
  }
  unsigned at() const { return pass < 2 ? from : to - 1; }
  void next() {
    if (pass++ > 0) return;
    const unsigned count = to - from;
    to = end < count ? from + (unsigned)end : to;
    from = begin < count ? from + (unsigned)begin : to;
  }
};
template <class Hal_T> struct hal_limits { static constexpr bool fits = false; };
template <> struct hal_limits<int> { static constexpr bool fits = true; };
template <> struct hal_limits<unsigned> { static constexpr bool fits = true; };
template <> struct hal_limits<long> { static constexpr bool fits = true; };
template <> struct hal_limits<unsigned long> { static constexpr bool fits = true; };
template <> struct hal_limits<long long> { static constexpr bool fits = true; };
template <> struct hal_limits<unsigned long long> { static constexpr bool fits = true; };
// A value that is greater by one for each next item is at least the limit, or at most; `R` is the type in which they are compared.
template <bool is_lower, bool is_strict, bool is_clamp, class Hal_R, class Hal_E, class Hal_B>
static inline __attribute__((always_inline)) void hal_bound(hal_row_range& range, Hal_E value, Hal_B limit) {
  constexpr bool is_same = hal_equal<Hal_R, Hal_E>::value && hal_equal<Hal_R, Hal_B>::value;
  if constexpr (!hal_limits<Hal_R>::fits || !hal_limits<Hal_E>::fits || !hal_limits<Hal_B>::fits || (is_clamp && !is_same)) {
    range.is = false;
  } else {
    const Hal_R x = (Hal_R)value, y = (Hal_R)limit;
    const bool holds = is_lower ? (is_strict ? x > y : x >= y) : (is_strict ? x < y : x <= y);
    if (range.pass > 0) {
      range.is &= holds && x < (Hal_R)(1 << 30) && ((Hal_R)-1 > (Hal_R)0 || x > (Hal_R) - (1 << 30));
      return;
    }
    // How many items further the comparison begins, or stops, to hold.
    const unsigned long long to_limit = (unsigned long long)y - (unsigned long long)x;
    if (is_lower) {
      const unsigned long long first = holds ? 0 : to_limit + is_strict;
      range.begin = range.begin > first ? range.begin : first;
    } else {
      const unsigned long long end = holds ? to_limit + !is_strict : 0;
      range.end = range.end < end ? range.end : end;
    }
  }
}
// Rows of fewer items have no range.
#define HAL_LONG_ROW 32
// Goes through the items of rows, first those before the range of a row, then those in it, and then those behind it.
#define HAL_ROWS_BEGIN(first, last)                                                             \
  {                                                                                             \
    hal_row_range hal_inner(0, 0);                                                                  \
    unsigned hal_was_begin_x = ~0u, hal_was_end_x = 0;                                          \
  for (unsigned hal_z = 0; hal_z < HAL_Z; hal_z++)                                              \
    for (unsigned hal_y = 0; hal_y < HAL_Y; hal_y++) {                                          \
      const unsigned hal_row = (hal_z * HAL_Y + hal_y) * HAL_X * hal_most;                      \
      const unsigned hal_begin_x = first, hal_end_x = last;
// `is_same`: the comparisons are the same in all rows.
#define HAL_RANGE_BEGIN(is_same)                                                                \
      const bool hal_is_known = is_same && hal_begin_x == hal_was_begin_x && hal_end_x == hal_was_end_x; \
      if (!hal_is_known) hal_inner = hal_row_range(hal_begin_x, hal_end_x);                         \
      hal_was_begin_x = hal_begin_x;                                                            \
      hal_was_end_x = hal_end_x;                                                                \
      for (; !hal_is_known && hal_inner.is_open(); hal_inner.next()) {                          \
        hal_item hal_self(hal_group, hal_inner.at(), hal_y, hal_z);                             \
        (void)hal_self;
#define HAL_RANGE_END }                                                                         \
      const unsigned hal_from_x = hal_inner.from < hal_end_x ? hal_inner.from : hal_end_x;      \
      const unsigned hal_to_x = hal_inner.to < hal_end_x ? hal_inner.to : hal_end_x;
#define HAL_ITEM                                                                                \
        const unsigned long hal_i = (unsigned long)hal_row + hal_x; /* does not wrap around */  \
        hal_item hal_self(hal_group, hal_x, hal_y, hal_z);                                      \
        (void)hal_i;
#define HAL_OUTER_BEGIN                                                                         \
      for (unsigned hal_part = 0; hal_part < 2; hal_part++) {                                   \
        const unsigned hal_last_x = hal_part ? hal_end_x : hal_from_x;                          \
        for (unsigned hal_x = hal_part ? hal_to_x : hal_begin_x; hal_x < hal_last_x; hal_x++) { \
          HAL_ITEM
#define HAL_INNER_BEGIN }                                                                       \
        if (hal_part == 0) for (unsigned hal_x = hal_from_x; hal_x < hal_to_x; hal_x++) {       \
          HAL_ITEM
#define HAL_INNER_END }}}}
// Declares `hal_clamps`: whether a clamp acts for an item that may see it. Behind the first macro come the comparisons that
// hold where no clamp acts, and behind the second one a look at an item for which that is not known.
#define HAL_CLAMPS_BEGIN(is_same)                                                               \
  bool hal_clamps = false;                                                                      \
  for (unsigned hal_row = 0; hal_row < (is_same ? 1 : HAL_Y * HAL_Z); hal_row++) {              \
    const unsigned hal_y = hal_row % HAL_Y, hal_z = hal_row / HAL_Y;                            \
    hal_row_range hal_inner(0, hal_width);                                                      \
    for (; hal_inner.is_open(); hal_inner.next()) {                                             \
      hal_item hal_self(hal_group, hal_inner.at(), hal_y, hal_z);                               \
      (void)hal_self;
#define HAL_CLAMPS_OUTSIDE }                                                                    \
    for (unsigned hal_x = 0; hal_x < hal_width; hal_x++) {                                      \
      if (hal_x == hal_inner.from) hal_x = hal_inner.to;                                        \
      if (hal_x >= hal_width) break;                                                            \
      hal_item hal_self(hal_group, hal_x, hal_y, hal_z);                                        \
      (void)hal_self;
#define HAL_CLAMPS_END }}
