// SPDX-License-Identifier: Apache-2.0
// What users of the headers provide: here a work item that is alone.
#ifndef ITEM_H
#define ITEM_H
extern "C" int printf(const char* format, ...);
void __trap();
typedef unsigned hal_lane_mask;
HAL_FUNCTION unsigned hal_popcount(hal_lane_mask mask) { return mask != 0; }
struct hal_member {
  HAL_MEMBER dim3 hal_block() const { return dim3(0, 0, 0); }
  HAL_MEMBER dim3 hal_thread() const { return dim3(0, 0, 0); }
  HAL_MEMBER dim3 hal_size() const { return dim3(1, 1, 1); }
  HAL_MEMBER dim3 hal_grid() const { return dim3(1, 1, 1); }
  HAL_MEMBER unsigned hal_rank() const { return 0; }
  HAL_MEMBER unsigned hal_items() const { return 1; }
  HAL_MEMBER unsigned hal_lane() const { return 0; }
  HAL_MEMBER void hal_barrier() const {}
  HAL_MEMBER void hal_meet(hal_lane_mask) const {}
  HAL_MEMBER hal_lane_mask hal_votes(hal_lane_mask, int yes) const { return yes != 0; }
  template <class T> HAL_MEMBER hal_lane_mask hal_matches(hal_lane_mask, T) const { return 1; }
  template <class T> HAL_MEMBER T hal_shfl(hal_lane_mask, T value, int, int) const { return value; }
  template <class T> HAL_MEMBER T hal_shfl_up(hal_lane_mask, T value, unsigned, int) const { return value; }
  template <class T> HAL_MEMBER T hal_shfl_down(hal_lane_mask, T value, unsigned, int) const { return value; }
  template <class T> HAL_MEMBER T hal_shfl_xor(hal_lane_mask, T value, int, int) const { return value; }
};
#define HAL_THIS_ITEM(type, name) \
  HAL_FUNCTION type name() { return type(); }
#endif
