// SPDX-License-Identifier: Apache-2.0
// A work item in cooperative groups, by the functions that the compiler has for warps.
#ifndef HAL_MEMBER_H
#define HAL_MEMBER_H
#include "hal_lanes.h"
#ifdef HAL_HIP
typedef unsigned long long hal_lane_mask;
HAL_FUNCTION unsigned hal_popcount(hal_lane_mask mask) { return (unsigned)__popcll(mask); }
#else
typedef unsigned hal_lane_mask;
HAL_FUNCTION unsigned hal_popcount(hal_lane_mask mask) { return (unsigned)__popc(mask); }
#endif

// Where the compiler has no functions with masks, the lanes that come here together take part.
#if defined(HAL_HIP) && !defined(HAL_MASKS)
#define HAL_SHUFFLE(name, mask, value, other, width) __##name(value, other, width)
#define HAL_BALLOT(mask, yes) (__ballot(yes) & (mask))
#define HAL_SYNC(mask)                                    \
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"),  \
  __builtin_amdgcn_wave_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront")
#else
#define HAL_SHUFFLE(name, mask, value, other, width) __##name##_sync(mask, value, other, width)
#define HAL_BALLOT(mask, yes) __ballot_sync(mask, yes)
#define HAL_SYNC(mask) __syncwarp(mask)
#endif

struct hal_member {
  HAL_MEMBER dim3 hal_block() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HAL_MEMBER dim3 hal_thread() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  HAL_MEMBER dim3 hal_size() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  HAL_MEMBER dim3 hal_grid() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  HAL_MEMBER unsigned hal_rank() const { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  HAL_MEMBER unsigned hal_items() const { return blockDim.x * blockDim.y * blockDim.z; }
  HAL_MEMBER unsigned hal_lane() const { return hal_rank() & (unsigned)(warpSize - 1); }
  HAL_MEMBER void hal_barrier() const { __syncthreads(); }
  HAL_MEMBER void hal_meet(hal_lane_mask mask) const { HAL_SYNC(mask); }
  HAL_MEMBER hal_lane_mask hal_votes(hal_lane_mask mask, int yes) const { return HAL_BALLOT(mask, yes); }
  template <class T> HAL_MEMBER hal_lane_mask hal_matches(hal_lane_mask mask, T value) const {
    return (hal_lane_mask)__match_any_sync(mask, value);
  }
  template <class T> HAL_MEMBER T hal_shfl(hal_lane_mask mask, T value, int from, int width) const {
    return HAL_SHUFFLE(shfl, mask, value, from, width);
  }
  template <class T> HAL_MEMBER T hal_shfl_up(hal_lane_mask mask, T value, unsigned by, int width) const {
    return HAL_SHUFFLE(shfl_up, mask, value, by, width);
  }
  template <class T> HAL_MEMBER T hal_shfl_down(hal_lane_mask mask, T value, unsigned by, int width) const {
    return HAL_SHUFFLE(shfl_down, mask, value, by, width);
  }
  template <class T> HAL_MEMBER T hal_shfl_xor(hal_lane_mask mask, T value, int with, int width) const {
    return HAL_SHUFFLE(shfl_xor, mask, value, with, width);
  }
};
#define HAL_THIS_ITEM(type, name) \
  HAL_FUNCTION type name() { return type(); }
#endif
