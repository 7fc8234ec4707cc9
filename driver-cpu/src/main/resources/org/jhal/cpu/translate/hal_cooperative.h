// Cooperative groups: the block, tiles of it, and the items that are at one place.
#pragma once
#include "hal_meet.h"

namespace cooperative_groups {

struct thread_block {
  hal_item* hal_self_;
  void sync() const { __syncthreads(*hal_self_); }
  unsigned thread_rank() const { return hal_self_->hal_index(); }
  unsigned size() const { return hal_self_->hal_items(); }
  unsigned num_threads() const { return size(); }
  uint3 group_index() const { return hal_self_->hal_block; }
  uint3 thread_index() const { return hal_self_->hal_thread; }
  dim3 group_dim() const { return hal_self_->hal_size; }
  dim3 dim_threads() const { return hal_self_->hal_size; }
};
static inline thread_block this_thread_block(hal_item& self) { return {&self}; }

struct grid_group {
  hal_item* hal_self_;
  unsigned long long thread_rank() const {
    const hal_item& self = *hal_self_;
    unsigned long long block = self.hal_block.x +
        (unsigned long long)self.hal_grid.x * (self.hal_block.y + (unsigned long long)self.hal_grid.y * self.hal_block.z);
    return block * self.hal_items() + self.hal_index();
  }
  unsigned long long size() const {
    const hal_item& self = *hal_self_;
    return (unsigned long long)self.hal_grid.x * self.hal_grid.y * self.hal_grid.z * self.hal_items();
  }
  dim3 group_dim() const { return hal_self_->hal_grid; }
};
static inline grid_group this_grid(hal_item& self) { return {&self}; }

// Items of a warp, by a mask of its lanes.
struct hal_lanes {
  hal_item* hal_self_;
  unsigned hal_mask;
  unsigned hal_lane() const { return hal_self_->hal_index() & 31; }
  void sync() const { __syncwarp(*hal_self_, hal_mask); }
  int any(int yes) const { return __any_sync(*hal_self_, hal_mask, yes); }
  int all(int yes) const { return __all_sync(*hal_self_, hal_mask, yes); }
};

template <unsigned Size, class Parent = void> struct thread_block_tile : hal_lanes {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0 && Size <= 32, "a tile has 1, 2, 4, 8, 16 or 32 items");
  thread_block_tile() = default;
  thread_block_tile(const hal_lanes& lanes) : hal_lanes(lanes) {}
  template <class Other> thread_block_tile(const thread_block_tile<Size, Other>& other) : hal_lanes(other) {}
  unsigned thread_rank() const { return hal_self_->hal_index() & (Size - 1); }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned meta_group_rank() const { return hal_self_->hal_index() / Size; }
  unsigned meta_group_size() const { return (hal_self_->hal_items() + Size - 1) / Size; }
  unsigned ballot(int yes) const {
    unsigned all = __ballot_sync(*hal_self_, hal_mask, yes);
    unsigned ones = Size == 32 ? ~0u : (1u << (Size & 31)) - 1;
    return all >> (hal_lane() & ~(Size - 1)) & ones;
  }
  template <class T> T shfl(T value, int from) const { return __shfl_sync(*hal_self_, hal_mask, value, from, (int)Size); }
  template <class T> T shfl_up(T value, unsigned by) const {
    return __shfl_up_sync(*hal_self_, hal_mask, value, by, (int)Size);
  }
  template <class T> T shfl_down(T value, unsigned by) const {
    return __shfl_down_sync(*hal_self_, hal_mask, value, by, (int)Size);
  }
  template <class T> T shfl_xor(T value, int with) const {
    return __shfl_xor_sync(*hal_self_, hal_mask, value, with, (int)Size);
  }
};

template <unsigned Size, class Parent> static inline thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  unsigned lane = parent.hal_self_->hal_index() & 31;
  unsigned ones = Size == 32 ? ~0u : (1u << (Size & 31)) - 1;
  thread_block_tile<Size, Parent> tile;
  tile.hal_self_ = parent.hal_self_;
  tile.hal_mask = ones << (lane & ~(Size - 1));
  return tile;
}

struct coalesced_group : hal_lanes {
  unsigned thread_rank() const { return (unsigned)__builtin_popcount(hal_mask & ((1u << hal_lane()) - 1)); }
  unsigned size() const { return (unsigned)__builtin_popcount(hal_mask); }
  unsigned num_threads() const { return size(); }
};

template <class Group> static inline void sync(const Group& group) { group.sync(); }

#define HAL_OPERATOR(name, expression) \
  template <class T = void> struct name { T operator()(T a, T b) const { return (T)(expression); } };
HAL_OPERATOR(plus, a + b)
HAL_OPERATOR(less, a < b ? a : b)
HAL_OPERATOR(greater, a > b ? a : b)
HAL_OPERATOR(bit_and, a & b)
HAL_OPERATOR(bit_or, a | b)
HAL_OPERATOR(bit_xor, a ^ b)

// Every item gets the result. It is combined as in a tree, the same for all items.
template <unsigned Size, class P, class T, class F>
static inline T reduce(const thread_block_tile<Size, P>& tile, T value, F combine) {
  for (unsigned by = Size / 2; by > 0; by /= 2) value = combine(value, tile.shfl_xor(value, (int)by));
  return value;
}
template <unsigned Size, class P, class T, class F>
static inline T inclusive_scan(const thread_block_tile<Size, P>& tile, T value, F combine) {
  for (unsigned by = 1; by < Size; by *= 2) {
    T before = tile.shfl_up(value, by);
    if (tile.thread_rank() >= by) value = combine(before, value);
  }
  return value;
}
template <unsigned Size, class P, class T, class F>
static inline T exclusive_scan(const thread_block_tile<Size, P>& tile, T value, F combine) {
  T before = tile.shfl_up(inclusive_scan(tile, value, combine), 1);
  return tile.thread_rank() == 0 ? T() : before;
}

}  // namespace cooperative_groups
