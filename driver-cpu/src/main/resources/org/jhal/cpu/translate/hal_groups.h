// SPDX-License-Identifier: Apache-2.0
// The macros of kernels that were divided at their barriers.
#pragma once
#include "hal_item.h"

// Goes through workgroups, counted along the first axis first.
struct hal_cursor {
  const hal_launch& launch;
  uint3 block;
  hal_cursor(const hal_launch& launch, unsigned long long first) : launch(launch) {
    block.x = (unsigned)(first % launch.grid.x);
    block.y = (unsigned)(first / launch.grid.x % launch.grid.y);
    block.z = (unsigned)(first / launch.grid.x / launch.grid.y);
  }
  // How many workgroups from here on lie beside each other along the first axis.
  unsigned beside(unsigned most, unsigned long long count) const {
    const unsigned left = launch.grid.x - block.x, few = left < most ? left : most;
    return few < count ? few : (unsigned)count;
  }
  void next(unsigned by) {
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
#define HAL_MOST_GROUPS (HAL_X * HAL_Y * HAL_Z < 2048 ? 2048 / (HAL_X * HAL_Y * HAL_Z) : 1)
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
        const unsigned hal_i = hal_row + hal_x;                                                 \
        hal_item hal_self(hal_group, hal_x, hal_y, hal_z);                                      \
        (void)hal_i;
#define HAL_ITEMS_END }}
// Of each row, the items from the first one to the last one that a mask names.
template <unsigned rows> struct hal_span {
  unsigned from[rows], to[rows];
  bool has_gaps = false; // some between them are not named
  hal_span(const bool* mask, unsigned most, unsigned width) {
    for (unsigned row = 0; row < rows; row++, mask += most) {
      const bool* first = (const bool*)__builtin_memchr(mask, true, width);
      from[row] = to[row] = 0;
      if (!first) continue;
      unsigned last = width;
      while (!mask[last - 1]) last--;
      from[row] = (unsigned)(first - mask);
      to[row] = last;
      has_gaps |= __builtin_memchr(first, false, last - from[row]) != nullptr;
    }
  }
};
#define HAL_ITEMS_IN(span)                                                                      \
  for (unsigned hal_z = 0; hal_z < HAL_Z; hal_z++)                                              \
    for (unsigned hal_y = 0; hal_y < HAL_Y; hal_y++) {                                          \
      const unsigned hal_row = (hal_z * HAL_Y + hal_y) * HAL_X * hal_most;                      \
      const unsigned hal_begin_x = span.from[hal_z * HAL_Y + hal_y], hal_end_x = span.to[hal_z * HAL_Y + hal_y]; \
      for (unsigned hal_x = hal_begin_x; hal_x < hal_end_x; hal_x++) {                                \
        const unsigned long hal_i = (unsigned long)hal_row + hal_x; /* does not wrap around */  \
        hal_item hal_self(hal_group, hal_x, hal_y, hal_z);                                      \
        (void)hal_i;
// Stands before a barrier that a group's sync has become: some groups have none, and other classes may have one, too.
template <class G> static inline void hal_may_be_synchronized(const G& group) { (void)sizeof(group.sync(), group.hal_self_); }
// Sets the elements of the items; each row has room for `most`.
template <unsigned most> static inline void hal_set(bool* array, unsigned long size, unsigned width) {
  for (unsigned long row = 0; row < size; row += most) {
    __builtin_memset(array + row, true, width);
    __builtin_memset(array + row + width, false, most - width);
  }
}
#define HAL_SET(array) hal_set<HAL_X * hal_most>(array, sizeof array, hal_width)
#define HAL_ANY(array) (__builtin_memchr(array, true, sizeof array) != nullptr)
template <unsigned N> static inline int hal_counted(const bool (&all)[N]) {
  int count = 0;
  for (unsigned i = 0; i < N; i++) count += all[i];
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
// Where a variable begins to live when an item comes to its declaration, since that may have effects.
template <class T> struct hal_slot {
  alignas(T) unsigned char bytes[sizeof(T)];
};
template <class T, bool is_trivial = __is_trivially_constructible(T)> struct hal_stored { typedef hal_slot<T> type; };
template <class T> struct hal_stored<T, true> { typedef T type; };
template <class T> using hal_storage = typename hal_stored<T>::type;
template <class T> static inline void hal_declare(T& variable) {
  if constexpr (!__is_trivially_constructible(T)) ::new (hal_place{&variable}) T;
}
template <class T, unsigned N, class S, unsigned M>
static inline __attribute__((always_inline)) auto hal_all(S (&few)[M], const hal_launch& launch, void*& many) -> T (&)[N] {
  (void)launch, (void)many;
  static_assert(__has_trivial_destructor(T), "a variable with a destructor that lives over a barrier");
  if constexpr (M == N) {
    return (T(&)[N])few;
  } else {
    if (!many) many = launch.memory(sizeof(T) * N);
    return *(T(*)[N])many;
  }
}
#define HAL_IS_LARGE(type) (sizeof(type) * HAL_ITEMS > hal_much(sizeof hal_large / sizeof *hal_large))
#define HAL_ALL(type, array, number)                                                       \
  hal_storage<type> array##_few[HAL_IS_LARGE(type) ? 1 : HAL_ITEMS];         \
  auto& array = hal_all<type, HAL_ITEMS>(array##_few, hal_launch_, hal_large[number])

// What an item reads that others have given before the barrier: `all` has an element for each item, `takes_part` says
// which have given something.
template <class T> static inline T hal_read(const T* all, unsigned items, unsigned i, unsigned mask, unsigned lane) {
  unsigned from = (i & ~31u) + lane;
  return all[from < items && (mask >> lane & 1) ? from : i];
}
template <class T, class R, class F>
static inline R hal_read_warp(const T* all, const bool* takes_part, unsigned items, unsigned i, unsigned mask, R none, F combine) {
  R result = none;
  bool is_first = true;
  for (unsigned lane = 0; lane < 32; lane++) {
    unsigned from = (i & ~31u) + lane;
    if (from < items && takes_part[from] && (mask >> lane & 1)) {
      result = combine(result, all[from], lane, is_first);
      is_first = false;
    }
  }
  return result;
}
template <class T, class F> static inline T hal_read_tree(const T* all, unsigned items, unsigned i, unsigned size, F combine) {
  T values[32];
  unsigned first = i & ~(size - 1);
  for (unsigned lane = 0; lane < size; lane++) values[lane] = all[first + lane < items ? first + lane : i];
  for (unsigned by = size / 2; by > 0; by /= 2) {
    T next[32];
    for (unsigned lane = 0; lane < size; lane++) next[lane] = combine(values[lane], values[lane ^ by]);
    for (unsigned lane = 0; lane < size; lane++) values[lane] = next[lane];
  }
  return values[i & (size - 1)];
}
#define HAL_READ(all, mask, lane) hal_read(all, HAL_ITEMS, hal_i, mask, lane)
#define HAL_READ_TREE(all, size, ...) hal_read_tree(all, HAL_ITEMS, hal_i, size, __VA_ARGS__)
#define HAL_READ_BITS(all, takes_part, mask, bit)                            \
  hal_read_warp(all, takes_part, HAL_ITEMS, hal_i, mask, 0u,                 \
                [](unsigned r, auto v, unsigned lane, bool) { (void)v; return r | (unsigned)(bit) << lane; })
#define HAL_READ_BALLOT(all, takes_part, mask) HAL_READ_BITS(all, takes_part, mask, v != 0)
#define HAL_READ_ANY(all, takes_part, mask) (HAL_READ_BITS(all, takes_part, mask, v != 0) != 0)
#define HAL_READ_ALL(all, takes_part, mask) (HAL_READ_BITS(all, takes_part, mask, v == 0) == 0)
#define HAL_READ_MATCH(all, takes_part, mask)                                \
  hal_read_warp(all, takes_part, HAL_ITEMS, hal_i, mask, 0u,                 \
                [own = hal_pack(all[hal_i])](unsigned r, auto v, unsigned lane, bool) { return r | (unsigned)(hal_pack(v) == own) << lane; })
#define HAL_READ_FOLD(all, takes_part, mask, expression)                     \
  hal_read_warp(all, takes_part, HAL_ITEMS, hal_i, mask, hal_bare<decltype(all[0])>(), \
                [](auto a, auto b, unsigned, bool is_first) { return is_first ? b : (decltype(b))(expression); })
#define HAL_READ_ADD(all, takes_part, mask) HAL_READ_FOLD(all, takes_part, mask, a + b)
#define HAL_READ_MIN(all, takes_part, mask) HAL_READ_FOLD(all, takes_part, mask, a < b ? a : b)
#define HAL_READ_MAX(all, takes_part, mask) HAL_READ_FOLD(all, takes_part, mask, a > b ? a : b)
#define HAL_READ_AND(all, takes_part, mask) HAL_READ_FOLD(all, takes_part, mask, a & b)
#define HAL_READ_OR(all, takes_part, mask) HAL_READ_FOLD(all, takes_part, mask, a | b)
#define HAL_READ_XOR(all, takes_part, mask) HAL_READ_FOLD(all, takes_part, mask, a ^ b)
#define HAL_TILE_BALLOT(all, takes_part, tile) \
  (HAL_READ_BALLOT(all, takes_part, (tile).hal_mask) >> __builtin_ctz((tile).hal_mask))
#define HAL_TILE_ANY(all, takes_part, tile) HAL_READ_ANY(all, takes_part, (tile).hal_mask)
#define HAL_TILE_ALL(all, takes_part, tile) HAL_READ_ALL(all, takes_part, (tile).hal_mask)
