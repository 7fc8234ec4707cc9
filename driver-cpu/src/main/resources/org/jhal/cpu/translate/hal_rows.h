// SPDX-License-Identifier: Apache-2.0
// Rows of results of a function, which items of a row and of the rows beside it share; see SharedCalls.
#pragma once
#include "hal_range.h"

template <class Hal_T> static inline unsigned long long hal_row_key(Hal_T value) {
  return (unsigned long long)value;
}
// `K`: how many arguments are the same in a row. Arguments that rise along it have the type int.
template <class Hal_T, unsigned Hal_K> struct hal_row_table {
  static constexpr unsigned slots = 8, most = 2048 + 64;
  struct slot {
    unsigned long long key[Hal_K];
    long long from = 0, to = 0;            // the arguments whose results it has
    long long want_from = 0, want_to = 0;  // those that are asked for in this round
    unsigned long long round = 0;          // in which it was asked last
    Hal_T values[most];
  };
  slot all[slots];
  unsigned long long round = 1;
  unsigned used = 0;
  bool is = true;

  void begin() {
    round++;
    is = true;
  }
  template <class... Hal_A> slot* find(Hal_A... arguments) {
    const unsigned long long key[Hal_K] = {hal_row_key(arguments)...};
    for (unsigned i = used; i-- > 0;) {
      unsigned k = Hal_K;  // the last ones differ most
      while (k > 0 && all[i].key[k - 1] == key[k - 1]) k--;
      if (k == 0) return all + i;
    }
    slot* at = all + (used < slots ? used++ : 0);
    for (slot& each : all) at = used == slots && each.round < at->round ? &each : at;
    is &= at->round < round;  // or there are too many
    for (unsigned k = 0; k < Hal_K; k++) at->key[k] = key[k];
    at->from = at->to = 0;
    at->round = 0;
    return at;
  }
  // Results for `count` arguments from `first` on will be needed.
  template <class... Hal_A> slot* want(unsigned count, int first, Hal_A... arguments) {
    slot* at = find(arguments...);
    const long long from = first, to = from + count;
    const bool is_first = at->round != round;
    at->want_from = is_first || from < at->want_from ? from : at->want_from;
    at->want_to = is_first || to > at->want_to ? to : at->want_to;
    at->round = round;
    // The last one is an int, and items ask for all between those that are asked for.
    is &= to - 1 <= 2147483647 && at->want_to - at->want_from <= 2ll * count && at->want_to - at->want_from <= most;
    return at;
  }
  // The result for `first`, which those for the following arguments lie behind.
  template <class Hal_F, class... Hal_A> const Hal_T* get(slot* at, Hal_F fill, int first, Hal_A... arguments) {
    if (at->want_from < at->from || at->want_to > at->to) {
      fill(at->values, (unsigned)(at->want_to - at->want_from), (int)at->want_from, arguments...);
      at->from = at->want_from;
      at->to = at->want_to;
    }
    return at->values + (first - at->from);
  }
};
template <class Hal_T> static inline __attribute__((always_inline)) Hal_T hal_row_value(const Hal_T* row, unsigned at) { return row[at]; }
// In place of HAL_INNER_BEGIN: `hal_has_rows` says whether the items of the range have rows.
#define HAL_SHARED_BEGIN }                                                                      \
        if (hal_part == 0 && hal_from_x < hal_to_x) {                                           \
          bool hal_has_rows = false;                                                            \
          const unsigned hal_row_items = hal_to_x - hal_from_x;
#define HAL_FIRST_BEGIN {                                                                       \
          hal_item hal_self(hal_group, hal_from_x, hal_y, hal_z);                               \
          (void)hal_self;
#define HAL_SHARED_ITEMS                                                                        \
          for (unsigned hal_x = hal_from_x; hal_x < hal_to_x; hal_x++) {                        \
            HAL_ITEM
#define HAL_SHARED_END }}}}
