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

// The items of a grid can meet, if it was launched so.
#define HAL_GRID_BARRIER
#if defined(HAL_HOST)
// There, the host has hal_grid_can_sync and hal_grid_sync.
#elif defined(HAL_HIP)
extern "C" __device__ int __ockl_grid_is_valid(void);
extern "C" __device__ void __ockl_grid_sync(void);
HAL_FUNCTION bool hal_grid_can_sync() { return __ockl_grid_is_valid() != 0; }
HAL_FUNCTION void hal_grid_sync() {
  if (!hal_grid_can_sync()) __builtin_trap();
  // The fences of the function are before its own barriers, and in some versions its first item goes ahead of the others.
  __threadfence();
  __syncthreads();
  __ockl_grid_sync();
  __threadfence();
}
#else
// A launch has a counter of its own, behind the size of its memory; null if it was launched otherwise.
HAL_FUNCTION unsigned* hal_grid_counter() {
  unsigned long long at;
  asm volatile("mov.b64 %0, {%%envreg2, %%envreg1};" : "=l"(at));
  return at ? (unsigned*)at + 1 : nullptr;
}
HAL_FUNCTION bool hal_grid_can_sync() { return hal_grid_counter() != nullptr; }
HAL_FUNCTION void hal_grid_sync() {
  unsigned* const counter = hal_grid_counter();
  if (!counter) __trap();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    // Together the workgroups add 2^31: the upper bit changes when the last one has come, and the others are as before.
    const bool adds_rest = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
    const unsigned by = adds_rest ? 0x80000000u - (gridDim.x * gridDim.y * gridDim.z - 1) : 1;
    __threadfence();
    const unsigned before = atomicAdd(counter, by);
    while (((*(volatile unsigned*)counter ^ before) & 0x80000000u) == 0) {}
    __threadfence();
  }
  __syncthreads();
}
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
  HAL_MEMBER void hal_grid_barrier() const { hal_grid_sync(); }
  HAL_MEMBER bool hal_has_grid_barrier() const { return hal_grid_can_sync(); }
  HAL_MEMBER void hal_meet(hal_lane_mask mask) const { HAL_SYNC(mask); }
  HAL_MEMBER hal_lane_mask hal_votes(hal_lane_mask mask, int yes) const { return HAL_BALLOT(mask, yes); }
  template <class Hal_T> HAL_MEMBER hal_lane_mask hal_matches(hal_lane_mask mask, Hal_T value) const {
    return (hal_lane_mask)__match_any_sync(mask, value);
  }
  template <class Hal_T> HAL_MEMBER Hal_T hal_shfl(hal_lane_mask mask, Hal_T value, int from, int width) const {
    return HAL_SHUFFLE(shfl, mask, value, from, width);
  }
  template <class Hal_T> HAL_MEMBER Hal_T hal_shfl_up(hal_lane_mask mask, Hal_T value, unsigned by, int width) const {
    return HAL_SHUFFLE(shfl_up, mask, value, by, width);
  }
  template <class Hal_T> HAL_MEMBER Hal_T hal_shfl_down(hal_lane_mask mask, Hal_T value, unsigned by, int width) const {
    return HAL_SHUFFLE(shfl_down, mask, value, by, width);
  }
  template <class Hal_T> HAL_MEMBER Hal_T hal_shfl_xor(hal_lane_mask mask, Hal_T value, int with, int width) const {
    return HAL_SHUFFLE(shfl_xor, mask, value, with, width);
  }
};
#define HAL_THIS_ITEM(type, name) \
  HAL_FUNCTION type name() { return type(); }
#endif
