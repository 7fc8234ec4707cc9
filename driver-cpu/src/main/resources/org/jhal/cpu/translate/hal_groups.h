// SPDX-License-Identifier: Apache-2.0
// The macros of kernels that were divided at their barriers.
#pragma once
#include "hal_item.h"
#include "hal_proofs.h"

// Goes through workgroups, counted along the first axis first.
struct hal_cursor {
  const hal_launch& launch;
  uint3 block;
  HAL_RAW hal_cursor(const hal_launch& launch, unsigned long long first) : launch(launch) {
    block.x = (unsigned)(first % launch.grid.x);
    block.y = (unsigned)(first / launch.grid.x % launch.grid.y);
    block.z = (unsigned)(first / launch.grid.x / launch.grid.y);
  }
  // How many workgroups from here on lie beside each other along the first axis.
  HAL_RAW unsigned beside(unsigned most, unsigned long long count) const {
    const unsigned left = launch.grid.x - block.x, few = left < most ? left : most;
    return few < count ? few : (unsigned)count;
  }
  HAL_RAW void next(unsigned by) {
    block.x += by;
    if (block.x < launch.grid.x) return;
    block.x = 0;
    if (++block.y < launch.grid.y) return;
    block.y = 0;
    block.z++;
  }
};

#define HAL_RANGE const hal_launch &hal_launch_, unsigned long long hal_first, unsigned long long hal_count
// Up to `hal_most` workgroups beside each other run as one, whose items differ in hal_x alone.
#define HAL_ITEMS (HAL_X * HAL_Y * HAL_Z * hal_most)
// So many that the loops over items are long, and what lives across them stays in the cache.
#define HAL_MOST_GROUPS hal_most_groups(HAL_X, HAL_X * HAL_Y * HAL_Z, 4096)
// The same where nothing lives across them.
#define HAL_MOST_ROWS hal_most_groups(HAL_X, HAL_X, 2048)
static constexpr unsigned hal_most_groups(unsigned width, unsigned items, unsigned most) {
  const unsigned rows = 2048 / width, groups = most / items; // of 2048 items at most; see InnerRanges
  const unsigned few = rows < groups ? rows : groups;
  return few > 0 ? few : 1;
}
#define HAL_GROUPS_BEGIN                                                                        \
  unsigned hal_few = 1;                                                                         \
  for (hal_cursor hal_at(hal_launch_, hal_first); hal_count > 0; hal_count -= hal_few, hal_at.next(hal_few)) { \
    if (hal_most > 1) hal_few = hal_at.beside(hal_most, hal_count);                             \
    const unsigned hal_width = HAL_X * hal_few;                                                 \
    const hal_item hal_group(hal_launch_, hal_at.block, {HAL_X, HAL_Y, HAL_Z});                 \
    hal_item hal_self(hal_group);
#define HAL_GROUPS_END }
// Items of a workgroup are unordered from one barrier to the next. Compilers are not told so (GCC ivdep, clang's assume_safety):
// they then also give up the order of what one item does, as in `a[2 * i] = 1; b = a[2 * i + n];`.
#define HAL_ITEMS_BEGIN                                                                         \
  for (unsigned hal_z = 0; hal_z < HAL_Z; hal_z++)                                              \
    for (unsigned hal_y = 0; hal_y < HAL_Y; hal_y++) {                                          \
      const unsigned hal_row = (hal_z * HAL_Y + hal_y) * HAL_X * hal_most;                      \
      for (unsigned hal_x = 0; hal_x < hal_width; hal_x++) {                                    \
        const unsigned hal_i = hal_row + hal_x, hal_warp_i = hal_i >> 5;                        \
        hal_item hal_self(hal_group, hal_x, hal_y, hal_z);                                      \
        (void)hal_warp_i;
#define HAL_ITEMS_END }}
// The same, the items of a warp in a loop of their own if no warp has items of two rows: then what all of its lanes read of
// each other is a constant in that loop, whose length compilers know.
#define HAL_LANES (HAL_X % 32 == 0 ? 32 : HAL_X)
#define HAL_WARPS_BEGIN                                                                         \
  for (unsigned hal_z = 0; hal_z < HAL_Z; hal_z++)                                              \
    for (unsigned hal_y = 0; hal_y < HAL_Y; hal_y++)                                            \
      for (unsigned hal_first_x = 0; hal_first_x < HAL_X; hal_first_x += HAL_LANES) {           \
        static_assert(hal_most == 1, "items of several workgroups meet");                       \
        const unsigned hal_first_i = (hal_z * HAL_Y + hal_y) * HAL_X + hal_first_x;             \
        const unsigned hal_first_warp = hal_first_i >> 5;                                       \
        for (unsigned hal_lane = 0; hal_lane < HAL_LANES; hal_lane++) {                         \
          const unsigned hal_i = hal_first_i + hal_lane;                                        \
          const unsigned hal_warp_i = HAL_X % 32 == 0 ? hal_first_warp : hal_i >> 5;            \
          hal_item hal_self(hal_group, hal_first_x + hal_lane, hal_y, hal_z,                    \
                            HAL_X % 32 == 0 ? hal_first_x / 32 : hal_lane / 32);                \
          (void)hal_warp_i;
#define HAL_WARPS_END }}
// Of each row, the items from the first one to the last one that a mask names. `most`: the length of a row in the mask.
template <unsigned rows, unsigned most> struct hal_span {
  unsigned from[rows], to[rows];
  bool has_gaps = false; // some between them are not named
  bool some = false, rest = false; // whether any is named, and whether any is not
  hal_span(const bool* mask, unsigned width) {
    for (unsigned row = 0; row < rows; row++, mask += most) {
      from[row] = to[row] = 0;
      const unsigned named = most % 8 == 0 && most <= 256 && width == most ? words(mask, row) : bytes(mask, row, width);
      some |= named > 0;
      rest |= named < width;
      has_gaps |= named < to[row] - from[row];
    }
  }

 private:
  // Of a row that is not long: eight items at once, without a call. Returns how many are named.
  unsigned words(const bool* mask, unsigned row) {
    unsigned named = 0;
    for (unsigned at = 0; at < most; at += 8) {
      unsigned long word;
      __builtin_memcpy(&word, mask + at, 8);
      word &= 0x0101010101010101ul; // what an item has not set says nothing about others
      if (!word) continue;
      if (!named) from[row] = at + __builtin_ctzl(word) / 8;
      to[row] = at + 8 - __builtin_clzl(word) / 8;
      named += __builtin_popcountl(word);
    }
    return named;
  }
  // Of a long one. Returns how many are named, or fewer than lie between the ends if there are gaps.
  unsigned bytes(const bool* mask, unsigned row, unsigned width) {
    const bool* first = (const bool*)__builtin_memchr(mask, true, width);
    if (!first) return 0;
    unsigned last = width;
    for (unsigned long word; last >= 8; last -= 8) {
      __builtin_memcpy(&word, mask + last - 8, 8);
      if (word) break;
    }
    while (!mask[last - 1]) last--;
    from[row] = (unsigned)(first - mask);
    to[row] = last;
    return last - from[row] - (__builtin_memchr(first, false, last - from[row]) != nullptr);
  }
};
#define HAL_ITEMS_IN(span)                                                                      \
  for (unsigned hal_z = 0; hal_z < HAL_Z; hal_z++)                                              \
    for (unsigned hal_y = 0; hal_y < HAL_Y; hal_y++) {                                          \
      const unsigned hal_row = (hal_z * HAL_Y + hal_y) * HAL_X * hal_most;                      \
      const unsigned hal_begin_x = span.from[hal_z * HAL_Y + hal_y], hal_end_x = span.to[hal_z * HAL_Y + hal_y]; \
      for (unsigned hal_x = hal_begin_x; hal_x < hal_end_x; hal_x++) {                                \
        const unsigned long hal_i = (unsigned long)hal_row + hal_x; /* does not wrap around */  \
        const unsigned hal_warp_i = (unsigned)(hal_i >> 5);                                     \
        hal_item hal_self(hal_group, hal_x, hal_y, hal_z);                                      \
        (void)hal_warp_i;
// Of each row, the items whose index along x is `rest`, or leaves it when it is divided by `modulus`. All items if that
// cannot be said: then an item that is visited does nothing.
struct hal_every {
  unsigned first = 0, step = 1;
  bool is_exact = false;  // whether no others are visited
  template <class Hal_R> hal_every(Hal_R rest, unsigned width) { set(1, rest, width, width); }
  template <class Hal_M, class Hal_R> hal_every(Hal_M modulus, Hal_R rest, unsigned width) { set(modulus, rest, width, 0); }

 private:
  template <class Hal_T> static constexpr bool is_integer() {
    if constexpr (hal_number<Hal_T>::value && !hal_equal<Hal_T, decltype(nullptr)>::value) return (Hal_T)0.5 == (Hal_T)0;
    else return false;
  }
  template <class Hal_M, class Hal_R> void set(Hal_M modulus, Hal_R rest, unsigned width, unsigned only) {
    if constexpr (is_integer<Hal_M>() && is_integer<Hal_R>()) {
      if (!(modulus > 0) || !(rest >= 0)) return;
      first = least(rest, width);
      step = only ? only : least(modulus, width);
      is_exact = only || rest < modulus;
    }
  }
  template <class Hal_T> static unsigned least(Hal_T value, unsigned width) {
    return value < (unsigned long long)width ? (unsigned)value : width; // which is not negative
  }
};
#define HAL_ITEMS_EVERY(every)                                                                  \
  for (unsigned hal_z = 0; hal_z < HAL_Z; hal_z++)                                              \
    for (unsigned hal_y = 0; hal_y < HAL_Y; hal_y++) {                                          \
      static_assert(hal_most == 1, "items of several workgroups meet");                         \
      const unsigned hal_row = (hal_z * HAL_Y + hal_y) * HAL_X;                                 \
      for (unsigned hal_x = every.first; hal_x < HAL_X; hal_x += every.step) {                  \
        const unsigned hal_i = hal_row + hal_x, hal_warp_i = hal_i >> 5;                        \
        hal_item hal_self(hal_group, hal_x, hal_y, hal_z);                                      \
        (void)hal_warp_i;
// Sets the elements of the items; each row has room for `most`.
template <unsigned most> static inline void hal_set(bool* array, unsigned long size, unsigned width) {
  for (unsigned long row = 0; row < size; row += most) {
    __builtin_memset(array + row, true, width);
    __builtin_memset(array + row + width, false, most - width);
  }
}
#define HAL_SET(array) hal_set<HAL_X * hal_most>(array, sizeof array, hal_width)
#define HAL_ANY(array) (__builtin_memchr(array, true, sizeof array) != nullptr)
#define HAL_EVERY(array) (__builtin_memchr(array, false, sizeof array) == nullptr)
template <unsigned Hal_N> static inline int hal_counted(const bool (&all)[Hal_N]) {
  int count = 0;
  for (unsigned i = 0; i < Hal_N; i++) count += all[i];
  return count;
}
#define HAL_COUNT(array) hal_counted(array)

// `array`: a variable of each item. It lies on the stack of the thread, or in the launch's memory if that takes much. All
// variables of a kernel, at most `count`, share a part of the stack.
static constexpr unsigned long hal_much(unsigned long count) {
  const unsigned long share = (4ul << 20) / count, most = 512 << 10;
  return share < most ? share : most;
}
struct hal_place {
  void* at;
};
inline void* operator new(size_t, hal_place place) { return place.at; }
inline void* operator new[](size_t, hal_place place) { return place.at; }
// What is made of a value as a variable is, in its own place: `T x = value;` takes no explicit constructor.
template <class Hal_T> struct hal_initial {
  Hal_T value;
};
// Where a variable begins to live when an item comes to its declaration, since that may have effects.
template <class Hal_T> struct hal_slot {
  alignas(Hal_T) unsigned char bytes[sizeof(Hal_T)];
};
template <class Hal_T, bool is_trivial = __is_trivially_constructible(Hal_T)> struct hal_stored { typedef hal_slot<Hal_T> type; };
template <class Hal_T> struct hal_stored<Hal_T, true> { typedef Hal_T type; };
template <class Hal_T> using hal_storage = typename hal_stored<Hal_T>::type;
template <class Hal_T> static inline void hal_declare(Hal_T& variable) {
  if constexpr (!__is_trivially_constructible(Hal_T)) ::new (hal_place{__builtin_addressof(variable)}) Hal_T;
}
template <class Hal_T, unsigned Hal_N, class Hal_S, unsigned Hal_M>
static inline __attribute__((always_inline)) auto hal_all(Hal_S (&few)[Hal_M], const hal_launch& launch, void*& many) -> Hal_T (&)[Hal_N] {
  (void)launch, (void)many;
  static_assert(__has_trivial_destructor(Hal_T), "a variable with a destructor that lives over a barrier");
  if constexpr (Hal_M == Hal_N) {
    return (Hal_T(&)[Hal_N])few;
  } else {
    if (!many) many = launch.memory(sizeof(Hal_T) * Hal_N);
    return *(Hal_T(*)[Hal_N])many;
  }
}
#define HAL_IS_LARGE(type) (sizeof(type) * HAL_ITEMS > hal_much(sizeof hal_large / sizeof *hal_large))
#define HAL_ALL(type, array, number)                                                       \
  alignas(64) hal_storage<type> array##_few[HAL_IS_LARGE(type) ? 1 : HAL_ITEMS];           \
  auto& array = hal_all<type, HAL_ITEMS>(array##_few, hal_launch_, hal_large[number])
// `array`: copies of a variable of each item, which has an array, `other`; that array itself if the items have numbers.
template <bool is_other, class Hal_T, unsigned Hal_N, class Hal_S, unsigned Hal_M, class Hal_O>
static inline __attribute__((always_inline)) auto hal_all_of(Hal_O& other, Hal_S (&few)[Hal_M], const hal_launch& launch, void*& many)
    -> Hal_T (&)[Hal_N] {
  if constexpr (is_other) {
    (void)few, (void)launch, (void)many;
    return other;
  } else {
    (void)other;
    return hal_all<Hal_T, Hal_N>(few, launch, many);
  }
}
#define HAL_ALL_OF(type, array, number, other)                                             \
  constexpr bool array##_is_other = hal_number<type>::value && hal_equal<type, hal_bare<decltype(other[0])>>::value; \
  alignas(64) hal_storage<type> array##_few[array##_is_other || HAL_IS_LARGE(type) ? 1 : HAL_ITEMS]; \
  auto& array = hal_all_of<array##_is_other, type, HAL_ITEMS>(other, array##_few, hal_launch_, hal_large[number])
