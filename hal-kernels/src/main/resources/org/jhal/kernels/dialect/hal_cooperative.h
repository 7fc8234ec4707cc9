// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block, tiles of it, and the items that are at one place. An item is a hal_member: it knows
// who it is and how it meets the others.
#ifndef HAL_COOPERATIVE_H
#define HAL_COOPERATIVE_H
#if defined(HAL_HIP) && !defined(HAL_HOST)
#define cooperative_groups hal_cooperative_groups  // some compilers have others built in
#endif

namespace cooperative_groups {

struct thread_block : hal_member {
  HAL_MEMBER void sync() const { hal_barrier(); }
  HAL_MEMBER unsigned thread_rank() const { return hal_rank(); }
  HAL_MEMBER unsigned size() const { return hal_items(); }
  HAL_MEMBER unsigned num_threads() const { return hal_items(); }
  HAL_MEMBER dim3 group_index() const { return hal_block(); }
  HAL_MEMBER dim3 thread_index() const { return hal_thread(); }
  HAL_MEMBER dim3 group_dim() const { return hal_size(); }
  HAL_MEMBER dim3 dim_threads() const { return hal_size(); }
};

struct grid_group : hal_member {
  HAL_MEMBER unsigned long long thread_rank() const {
    const dim3 at = hal_block(), of = hal_grid();
    return (at.x + (unsigned long long)of.x * (at.y + (unsigned long long)of.y * at.z)) * hal_items() + hal_rank();
  }
  HAL_MEMBER unsigned long long size() const {
    const dim3 of = hal_grid();
    return (unsigned long long)of.x * of.y * of.z * hal_items();
  }
  HAL_MEMBER unsigned long long num_threads() const { return size(); }
  HAL_MEMBER dim3 group_dim() const { return hal_grid(); }
  HAL_MEMBER dim3 dim_blocks() const { return hal_grid(); }
  HAL_MEMBER dim3 block_index() const { return hal_block(); }
  HAL_MEMBER dim3 thread_index() const { return hal_thread(); }
  HAL_MEMBER unsigned long long num_blocks() const {
    const dim3 of = hal_grid();
    return (unsigned long long)of.x * of.y * of.z;
  }
  HAL_MEMBER unsigned long long block_rank() const {
    const dim3 at = hal_block(), of = hal_grid();
    return at.x + (unsigned long long)of.x * (at.y + (unsigned long long)of.y * at.z);
  }
#ifdef HAL_GRID_BARRIER
  // For kernels that their bundle declares as cooperative.
  HAL_MEMBER void sync() const { hal_grid_barrier(); }
  HAL_MEMBER bool is_valid() const { return hal_has_grid_barrier(); }
#else
  HAL_MEMBER bool is_valid() const { return false; }  // a grid cannot be synchronized
#endif
};

HAL_THIS_ITEM(thread_block, this_thread_block)
HAL_THIS_ITEM(grid_group, this_grid)

// Items of a warp, by a mask of its lanes.
struct hal_lanes : hal_member {
  hal_lane_mask hal_mask;
  HAL_MEMBER void sync() const { hal_meet(hal_mask); }
  HAL_MEMBER int any(int yes) const { return hal_votes(hal_mask, yes) != 0; }
  HAL_MEMBER int all(int yes) const { return hal_votes(hal_mask, !yes) == 0; }
  HAL_MEMBER unsigned hal_position() const { return hal_popcount(hal_mask & (((hal_lane_mask)1 << hal_lane()) - 1)); }
};

HAL_FUNCTION hal_lane_mask hal_ones(unsigned size) {
  return size >= 8 * sizeof(hal_lane_mask) ? ~(hal_lane_mask)0 : ((hal_lane_mask)1 << size) - 1;
}

template <unsigned Size, class Parent = void> struct thread_block_tile : hal_lanes {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0 && Size <= 8 * sizeof(hal_lane_mask),
                "the size of a tile is a power of two, and at most that of a warp");
  thread_block_tile() = default;
  HAL_MEMBER thread_block_tile(const hal_lanes& lanes) : hal_lanes(lanes) {}
  template <class Other>
  HAL_MEMBER thread_block_tile(const thread_block_tile<Size, Other>& other) : hal_lanes(other) {}
  HAL_MEMBER unsigned thread_rank() const { return hal_rank() & (Size - 1); }
  static HAL_MEMBER constexpr unsigned size() { return Size; }
  static HAL_MEMBER constexpr unsigned num_threads() { return Size; }
  HAL_MEMBER unsigned meta_group_rank() const { return hal_rank() / Size; }
  HAL_MEMBER unsigned meta_group_size() const { return (hal_items() + Size - 1) / Size; }
  HAL_MEMBER hal_lane_mask ballot(int yes) const {
    return hal_votes(hal_mask, yes) >> (hal_lane() & ~(Size - 1)) & hal_ones(Size);
  }
  template <class Hal_T> HAL_MEMBER hal_lane_mask match_any(Hal_T value) const {
    return hal_matches(hal_mask, value) >> (hal_lane() & ~(Size - 1)) & hal_ones(Size);
  }
  template <class Hal_T> HAL_MEMBER Hal_T shfl(Hal_T value, int from) const { return hal_shfl(hal_mask, value, from, (int)Size); }
  template <class Hal_T> HAL_MEMBER Hal_T shfl_up(Hal_T value, unsigned by) const {
    return hal_shfl_up(hal_mask, value, by, (int)Size);
  }
  template <class Hal_T> HAL_MEMBER Hal_T shfl_down(Hal_T value, unsigned by) const {
    return hal_shfl_down(hal_mask, value, by, (int)Size);
  }
  template <class Hal_T> HAL_MEMBER Hal_T shfl_xor(Hal_T value, int with) const {
    return hal_shfl_xor(hal_mask, value, with, (int)Size);
  }
};

template <unsigned Size, class Parent>
HAL_FUNCTION thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  thread_block_tile<Size, Parent> tile;
  static_cast<hal_member&>(tile) = parent;
  tile.hal_mask = hal_ones(Size) << (parent.hal_lane() & ~(Size - 1));
  return tile;
}

// Some items of a warp, which count themselves by their lanes.
struct coalesced_group : hal_lanes {
  HAL_MEMBER unsigned thread_rank() const { return hal_position(); }
  HAL_MEMBER unsigned size() const { return hal_popcount(hal_mask); }
  HAL_MEMBER unsigned num_threads() const { return size(); }
  HAL_MEMBER hal_lane_mask ballot(int yes) const {
    const hal_lane_mask votes = hal_votes(hal_mask, yes);
    hal_lane_mask packed = 0;
    unsigned rank = 0;
    for (unsigned lane = 0; lane < 8 * sizeof(hal_lane_mask); lane++) {
      if (hal_mask >> lane & 1) packed |= (votes >> lane & 1) << rank++;
    }
    return packed;
  }
  template <class Hal_T> HAL_MEMBER Hal_T shfl(Hal_T value, int from) const {
    return hal_shfl(hal_mask, value, (int)hal_lane_at((unsigned)from), 8 * sizeof(hal_lane_mask));
  }
  template <class Hal_T> HAL_MEMBER Hal_T shfl_up(Hal_T value, unsigned by) const {
    const unsigned rank = hal_position();
    return shfl(value, (int)(rank >= by ? rank - by : rank));
  }
  template <class Hal_T> HAL_MEMBER Hal_T shfl_down(Hal_T value, unsigned by) const {
    const unsigned rank = hal_position();
    return shfl(value, (int)(rank + by < size() ? rank + by : rank));
  }
  HAL_MEMBER unsigned hal_lane_at(unsigned rank) const {
    for (unsigned lane = 0; lane < 8 * sizeof(hal_lane_mask); lane++) {
      if ((hal_mask >> lane & 1) && rank-- == 0) return lane;
    }
    return hal_lane();
  }
};
HAL_FUNCTION coalesced_group hal_part(const hal_lanes& of, hal_lane_mask mask) {
  coalesced_group group;
  static_cast<hal_lanes&>(group) = of;
  group.hal_mask = mask;
  return group;
}
template <unsigned Size, class Parent>
HAL_FUNCTION coalesced_group binary_partition(const thread_block_tile<Size, Parent>& tile, bool yes) {
  const hal_lane_mask votes = tile.hal_votes(tile.hal_mask, yes), others = tile.hal_votes(tile.hal_mask, !yes);
  return hal_part(tile, yes ? votes : others);
}
template <class Hal_T, unsigned Size, class Parent>
HAL_FUNCTION coalesced_group labeled_partition(const thread_block_tile<Size, Parent>& tile, Hal_T label) {
  return hal_part(tile, tile.hal_matches(tile.hal_mask, label));
}

// A group whose kind is known when it runs: the block, or items of a warp.
struct thread_group : hal_lanes {
  bool hal_is_block;
  thread_group() = default;
  HAL_MEMBER thread_group(const thread_block& block) : hal_is_block(true) {
    static_cast<hal_member&>(*this) = block;
    hal_mask = 0;
  }
  HAL_MEMBER thread_group(const hal_lanes& lanes) : hal_lanes(lanes), hal_is_block(false) {}
  HAL_MEMBER void sync() const {
    if (hal_is_block) {
      hal_barrier();
    } else {
      hal_meet(hal_mask);
    }
  }
  HAL_MEMBER unsigned thread_rank() const { return hal_is_block ? hal_rank() : hal_position(); }
  HAL_MEMBER unsigned size() const { return hal_is_block ? hal_items() : hal_popcount(hal_mask); }
  HAL_MEMBER unsigned num_threads() const { return size(); }
};
HAL_FUNCTION thread_group tiled_partition(const thread_group& parent, unsigned size) {
  thread_group tile(parent);
  tile.hal_is_block = false;
  tile.hal_mask = hal_ones(size) << (parent.hal_lane() & ~(size - 1));
  return tile;
}

template <class Group> HAL_FUNCTION void sync(const Group& group) { group.sync(); }

#define HAL_OPERATOR(name, expression)                                          \
  template <class Hal_T = void> struct name {                                   \
    HAL_MEMBER Hal_T operator()(Hal_T a, Hal_T b) const { return (Hal_T)(expression); } \
  };
HAL_OPERATOR(plus, a + b)
HAL_OPERATOR(less, a < b ? a : b)
HAL_OPERATOR(greater, a > b ? a : b)
HAL_OPERATOR(bit_and, a & b)
HAL_OPERATOR(bit_or, a | b)
HAL_OPERATOR(bit_xor, a ^ b)

// Every item gets the result. It is combined as in a tree, the same for all items.
template <unsigned Size, class Hal_P, class Hal_T, class Hal_F>
HAL_FUNCTION Hal_T reduce(const thread_block_tile<Size, Hal_P>& tile, Hal_T value, Hal_F combine) {
  for (unsigned by = Size / 2; by > 0; by /= 2) value = combine(value, tile.shfl_xor(value, (int)by));
  return value;
}
template <unsigned Size, class Hal_P, class Hal_T, class Hal_F>
HAL_FUNCTION Hal_T inclusive_scan(const thread_block_tile<Size, Hal_P>& tile, Hal_T value, Hal_F combine) {
  for (unsigned by = 1; by < Size; by *= 2) {
    Hal_T before = tile.shfl_up(value, by);
    if (tile.thread_rank() >= by) value = combine(before, value);
  }
  return value;
}
template <unsigned Size, class Hal_P, class Hal_T, class Hal_F>
HAL_FUNCTION Hal_T exclusive_scan(const thread_block_tile<Size, Hal_P>& tile, Hal_T value, Hal_F combine) {
  Hal_T before = tile.shfl_up(inclusive_scan(tile, value, combine), 1);
  return tile.thread_rank() == 0 ? Hal_T() : before;
}
template <unsigned Size, class Hal_P, class Hal_T> HAL_FUNCTION Hal_T inclusive_scan(const thread_block_tile<Size, Hal_P>& tile, Hal_T value) {
  return inclusive_scan(tile, value, plus<Hal_T>());
}
template <unsigned Size, class Hal_P, class Hal_T> HAL_FUNCTION Hal_T exclusive_scan(const thread_block_tile<Size, Hal_P>& tile, Hal_T value) {
  return exclusive_scan(tile, value, plus<Hal_T>());
}

}  // namespace cooperative_groups
#endif
