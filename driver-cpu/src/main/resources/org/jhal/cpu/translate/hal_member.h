// SPDX-License-Identifier: Apache-2.0
// A work item in cooperative groups. See hal_cooperative.h.
#pragma once
#include "hal_meet.h"

#define HAL_GRID_BARRIER  // the items of a grid can meet

typedef unsigned hal_lane_mask;
static inline unsigned hal_popcount(unsigned mask) { return (unsigned)__builtin_popcount(mask); }

namespace hal_items {
struct hal_member {
  mutable hal_item hal_self_;  // a copy: that of a divided kernel lives up to the next barrier only

  uint3 hal_block() const { return hal_self_.hal_block; }
  uint3 hal_thread() const { return hal_self_.hal_thread; }
  uint3 hal_size() const { return hal_self_.hal_size; }
  uint3 hal_grid() const { return hal_self_.hal_grid; }
  unsigned hal_rank() const { return hal_self_.hal_index(); }
  unsigned hal_items() const { return hal_self_.hal_count(); }
  unsigned hal_lane() const { return hal_self_.hal_index() & 31; }
  HAL_NOTED void hal_barrier() const { HAL_NOTE __syncthreads(hal_self_); }
  HAL_NOTED void hal_grid_barrier() const { HAL_NOTE hal_sync_grid(hal_self_); }
  bool hal_has_grid_barrier() const { return hal_self_.hal_launch_->meet != nullptr; }
  HAL_NOTED void hal_meet(unsigned mask) const { HAL_NOTE __syncwarp(hal_self_, mask); }
  HAL_NOTED unsigned hal_votes(unsigned mask, int yes) const { HAL_NOTE return __ballot_sync(hal_self_, mask, yes); }
  template <class Hal_T> HAL_NOTED unsigned hal_matches(unsigned mask, Hal_T value) const { HAL_NOTE return __match_any_sync(hal_self_, mask, value); }
  template <class Hal_T> HAL_NOTED Hal_T hal_shfl(unsigned mask, Hal_T value, int from, int width) const {
    HAL_NOTE
    return __shfl_sync(hal_self_, mask, value, from, width);
  }
  template <class Hal_T> HAL_NOTED Hal_T hal_shfl_up(unsigned mask, Hal_T value, unsigned by, int width) const {
    HAL_NOTE
    return __shfl_up_sync(hal_self_, mask, value, by, width);
  }
  template <class Hal_T> HAL_NOTED Hal_T hal_shfl_down(unsigned mask, Hal_T value, unsigned by, int width) const {
    HAL_NOTE
    return __shfl_down_sync(hal_self_, mask, value, by, width);
  }
  template <class Hal_T> HAL_NOTED Hal_T hal_shfl_xor(unsigned mask, Hal_T value, int with, int width) const {
    HAL_NOTE
    return __shfl_xor_sync(hal_self_, mask, value, with, width);
  }
};
}  // namespace hal_items
using hal_items::hal_member;
#define HAL_THIS_ITEM(type, name)                     \
  static inline type name(hal_item& self) {           \
    type group;                                       \
    group.hal_self_ = self;                          \
    return group;                                     \
  }                                                   \
  static inline type name() { return name(hal_now()); }
