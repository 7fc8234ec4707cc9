// SPDX-License-Identifier: Apache-2.0
// What the items of a warp read of each other, in kernels that were divided at their barriers. `all` has what each item has
// given before the barrier, and `takes_part` says which have given something. Behind the barrier nothing changes them.
#pragma once
#include "hal_groups.h"
#include "hal_meet.h"
#include "hal_proofs.h"

// What one item reads.
template <class Hal_T> static inline Hal_T hal_read(const Hal_T* all, unsigned items, unsigned i, unsigned mask, unsigned lane) {
  unsigned from = (i & ~31u) + lane;
  return all[from < items && (mask >> lane & 1) ? from : i];
}
#define HAL_READ(all, mask, lane) hal_read(all, HAL_ITEMS, hal_i, mask, lane)
// What a reference to a constant is another name for.
#define HAL_CONSTANT(variable) hal_constant_of(variable)
template <class Hal_T> static inline __attribute__((always_inline)) const Hal_T& hal_constant_of(const Hal_T& variable) { return variable; }
template <class Hal_T> const Hal_T& hal_constant_of(const Hal_T&& variable) = delete;
// The result of a function: a variable has it.
#define HAL_VALUE(variable) hal_value_of(variable)
template <class Hal_T> static inline __attribute__((always_inline)) hal_bare<Hal_T> hal_value_of(const Hal_T& variable) { return variable; }
// As functions of the dialect return it, other than those of groups.
#define HAL_PROMOTED(value) hal_promote(value)
template <class Hal_T> static inline __attribute__((always_inline)) hal_promoted<Hal_T> hal_promote(const Hal_T& value) { return value; }

// Shuffles whose mask, distance and width are the same for all items: what each item reads is known behind the barrier, and
// lies at its place. So the loop over the items reads neighbours.
template <unsigned Hal_N, class Hal_T> struct hal_shuffled {
  alignas(64) Hal_T values[Hal_N];
  Hal_T of(unsigned, unsigned i) const { return values[i]; }
};
// All lanes of a warp read the same one.
template <unsigned Hal_N, class Hal_T> struct hal_broadcast {
  Hal_T values[Hal_N / 32];
  Hal_T of(unsigned warp, unsigned) const { return values[warp]; }
};
// Each item looks by itself: values may have constructors.
template <unsigned Hal_N, class Hal_T, class Hal_L> struct hal_unshuffled {
  const Hal_T* all;
  unsigned mask;
  Hal_L lane_of;
  Hal_T of(unsigned, unsigned i) const { return hal_read(all, Hal_N, i, mask, lane_of(i & 31)); }
};

// The lane of a row of 32 that each lane reads, where lanes move by a constant.
template <unsigned by> struct hal_row_up {
  static constexpr unsigned from(unsigned lane) { return lane < by ? lane : lane - by; }
};
template <unsigned by> struct hal_row_down {
  static constexpr unsigned from(unsigned lane) { return lane + by < 32 ? lane + by : lane; }
};
template <unsigned by> struct hal_row_xor {
  static constexpr unsigned from(unsigned lane) { return lane ^ by; }
};

// Rows move in registers, in vectors as long as those that GCC makes of the loops before and behind: a processor waits until a
// store is in the cache before it loads what two stores have written. With other lengths, it is slower.
#if defined(__AVX512VBMI2__)
constexpr unsigned hal_vector_bytes = 64;
#elif defined(__AVX__)
constexpr unsigned hal_vector_bytes = 32;
#else
constexpr unsigned hal_vector_bytes = 16;
#endif
template <unsigned long bytes> struct hal_moved_word;
template <> struct hal_moved_word<1> { typedef unsigned char type; };
template <> struct hal_moved_word<2> { typedef unsigned short type; };
template <> struct hal_moved_word<4> { typedef unsigned type; };
template <> struct hal_moved_word<8> { typedef unsigned long long type; };
template <class Hal_U, Hal_U... at> struct hal_places {};
#ifdef __clang__
template <unsigned n> using hal_places_below = __make_integer_seq<hal_places, unsigned, n>;
#else
template <unsigned n> using hal_places_below = hal_places<unsigned, __integer_pack(n)...>;
#endif
template <class Hal_F, class Hal_T> struct hal_moved_row {
  typedef typename hal_moved_word<sizeof(Hal_T)>::type word;
  static constexpr unsigned row_bytes = 32 * sizeof(word);
  static constexpr unsigned bytes = row_bytes < hal_vector_bytes ? row_bytes : hal_vector_bytes;
  static constexpr unsigned lanes = bytes / sizeof(word), parts = 32 / lanes;
  typedef word vector __attribute__((vector_size(bytes)));
  // The first of the two parts, beside each other, from which the lanes of a part are read.
  static constexpr unsigned least(unsigned part) {
    unsigned least = 32;
    for (unsigned i = 0; i < lanes; i++) {
      if (Hal_F::from(part * lanes + i) < least) least = Hal_F::from(part * lanes + i);
    }
    return least / lanes;
  }
  template <unsigned part, unsigned... at>
  static inline __attribute__((always_inline)) vector read(const vector (&all)[parts], hal_places<unsigned, at...>) {
    constexpr unsigned first = least(part), second = first + 1 < parts ? first + 1 : first;
#ifdef __clang__
    return __builtin_shufflevector(all[first], all[second], (int)(Hal_F::from(part * lanes + at) - first * lanes)...);
#else
    return __builtin_shuffle(all[first], all[second], vector{(word)(Hal_F::from(part * lanes + at) - first * lanes)...});
#endif
  }
  template <unsigned... part>
  static inline __attribute__((always_inline)) void move(Hal_T* to, const Hal_T* from, hal_places<unsigned, part...>) {
    vector all[parts];
    __builtin_memcpy(all, from, sizeof all);
    const vector moved[parts] = {read<part>(all, hal_places_below<lanes>())...};
    __builtin_memcpy(to, moved, sizeof moved);
  }
};
template <class Hal_F, unsigned Hal_N, class Hal_T> static inline __attribute__((always_inline)) void hal_move_rows(Hal_T* to, const Hal_T* all) {
  typedef hal_moved_row<Hal_F, Hal_T> row;
  for (unsigned first = 0; first < Hal_N; first += 32) row::move(to + first, all + first, hal_places_below<row::parts>());
}
template <template <unsigned> class Hal_F, unsigned Hal_N, class Hal_T>
static inline bool hal_moved(Hal_T* to, const Hal_T* all, unsigned mask, unsigned by, int width) {
  if (Hal_N % 32 != 0 || mask != ~0u || width != 32) return false;
  if constexpr (sizeof(Hal_T) <= 8) {
    switch (by) {
      case 1: hal_move_rows<Hal_F<1>, Hal_N>(to, all); return true;
      case 2: hal_move_rows<Hal_F<2>, Hal_N>(to, all); return true;
      case 4: hal_move_rows<Hal_F<4>, Hal_N>(to, all); return true;
      case 8: hal_move_rows<Hal_F<8>, Hal_N>(to, all); return true;
      case 16: hal_move_rows<Hal_F<16>, Hal_N>(to, all); return true;
      default: break;
    }
  }
  return false;
}
#define HAL_SHUFFLED(name, argument, is_moved)                                                            \
  template <bool is_broadcast, class Hal_T, unsigned Hal_N>                                                         \
  static inline auto name##_all(const Hal_T (&all)[Hal_N], unsigned mask, argument from, int width) {  \
    auto lane_of = [=](unsigned lane) { return name(lane, from, width); };                           \
    if constexpr (is_broadcast && hal_number<Hal_T>::value && Hal_N % 32 == 0) {                                \
      hal_broadcast<Hal_N, Hal_T> read;                                                                         \
      for (unsigned warp = 0; warp < Hal_N / 32; warp++) read.values[warp] = all[warp * 32 + lane_of(0)];       \
      return read;                                                                                              \
    } else if constexpr (!hal_number<Hal_T>::value) {                                                           \
      return hal_unshuffled<Hal_N, Hal_T, decltype(lane_of)>{all, mask, lane_of};                               \
    } else {                                                                                                    \
      hal_shuffled<Hal_N, Hal_T> read;                                                                          \
      if (!is_moved) {                                                                                       \
        for (unsigned i = 0; i < Hal_N; i++) read.values[i] = hal_read(all, Hal_N, i, mask, lane_of(i & 31));   \
      }                                                                                                         \
      return read;                                                                                              \
    }                                                                                                           \
  }
HAL_SHUFFLED(hal_lane_up, unsigned, (hal_moved<hal_row_up, Hal_N>(read.values, all, mask, from, width)))
HAL_SHUFFLED(hal_lane_down, unsigned, (hal_moved<hal_row_down, Hal_N>(read.values, all, mask, from, width)))
HAL_SHUFFLED(hal_lane_xor, int, (hal_moved<hal_row_xor, Hal_N>(read.values, all, mask, (unsigned)from, width)))
HAL_SHUFFLED(hal_lane_of, int, false)
#undef HAL_SHUFFLED
// Whether the shuffle reads one lane, and all lanes of a warp surely take part.
#define HAL_IS_BROADCAST(name, mask, width) \
  (#name[9] == 'o' && __builtin_constant_p(mask) && (unsigned)(mask) == ~0u && __builtin_constant_p(width) && (int)(width) == 32)
#define HAL_SHUFFLE(name, all, mask, from, width) name##_all<HAL_IS_BROADCAST(name, mask, width)>(all, mask, from, width)
#define HAL_READ_SHUFFLED(shuffled) (shuffled).of(hal_warp_i, hal_i)

// Votes: a bit for each lane of a warp.
template <unsigned Hal_N> struct hal_warp_votes {
  unsigned yes[(Hal_N + 31) / 32], no[(Hal_N + 31) / 32];
  hal_warp_votes(const bool* all, const bool* takes_part) {
    for (unsigned warp = 0; warp < (Hal_N + 31) / 32; warp++) {
      const unsigned votes = bits(all, warp * 32), given = bits(takes_part, warp * 32);
      yes[warp] = votes & given;
      no[warp] = ~votes & given;
    }
  }
  unsigned ballot(unsigned warp, unsigned mask) const { return yes[warp] & mask; }
  int any(unsigned warp, unsigned mask) const { return (yes[warp] & mask) != 0; }
  int is_all(unsigned warp, unsigned mask) const { return (no[warp] & mask) == 0; }

 private:
  // A bit for each of a warp, as bytes that are 0 or 1; none for those behind the last one.
  static unsigned bits(const bool* all, unsigned first) {
#if defined(__AVX2__)
    if (Hal_N % 32 == 0 || Hal_N - first >= 32) {
      typedef char bytes __attribute__((vector_size(32)));
      typedef unsigned long long words __attribute__((vector_size(32)));
      words given;
      __builtin_memcpy(&given, all + first, sizeof given);
      return (unsigned)__builtin_ia32_pmovmskb256((bytes)(given << 7));
    }
#endif
    unsigned bits = 0;
    for (unsigned at = first; at < first + 32 && at < Hal_N; at += 8) {
      unsigned long bytes = 0;
      __builtin_memcpy(&bytes, all + at, Hal_N % 8 == 0 || Hal_N - at >= 8 ? 8 : Hal_N - at);
      bits |= (unsigned)(bytes * 0x0102040810204080ul >> 56) << (at & 31);
    }
    return bits;
  }
};
#define HAL_VOTES(all, takes_part) hal_warp_votes<HAL_ITEMS>(all, takes_part)
#define HAL_READ_BALLOT(votes, mask) (votes).ballot(hal_warp_i, mask)
#define HAL_READ_ANY(votes, mask) (votes).any(hal_warp_i, mask)
#define HAL_READ_ALL(votes, mask) (votes).is_all(hal_warp_i, mask)
#define HAL_TILE_BALLOT(votes, tile) (HAL_READ_BALLOT(votes, (tile).hal_mask) >> __builtin_ctz((tile).hal_mask))
#define HAL_TILE_ANY(votes, tile) HAL_READ_ANY(votes, (tile).hal_mask)
#define HAL_TILE_ALL(votes, tile) HAL_READ_ALL(votes, (tile).hal_mask)

// Of each item, the lanes that have given the same bits.
template <unsigned Hal_N> struct hal_warp_matches {
  unsigned same[Hal_N];
  template <class Hal_T> hal_warp_matches(const Hal_T* all, const bool* takes_part) {
    static_assert(sizeof(Hal_T) <= 8, "a value that work items exchange has at most 8 bytes");
    for (unsigned first = 0; first < Hal_N; first += 32) {
      const unsigned count = Hal_N - first < 32 ? Hal_N - first : 32;
      unsigned long long own[32];
      for (unsigned lane = 0; lane < count; lane++) {
        own[lane] = 0;
        __builtin_memcpy(own + lane, all + first + lane, sizeof(Hal_T)); // some have given nothing
      }
      for (unsigned lane = 0; lane < count; lane++) same[first + lane] = 0;
      for (unsigned from = 0; from < count; from++) {
        if (!takes_part[first + from]) continue;
        const unsigned long long given = own[from];
        for (unsigned lane = 0; lane < count; lane++) same[first + lane] |= (unsigned)(own[lane] == given) << from;
      }
    }
  }
};
#define HAL_MATCHES(all, takes_part) hal_warp_matches<HAL_ITEMS>(all, takes_part)
#define HAL_READ_MATCH(matches, mask) ((matches).same[hal_i] & (unsigned)(mask))

// What the lanes that a mask names have given together. Items of a warp with the same mask beside each other share a result.
template <unsigned Hal_N, class Hal_R, class Hal_T, class Hal_F> struct hal_warp_folded {
  const Hal_T* all;
  const bool* takes_part;
  Hal_F combine;
  mutable unsigned known_warp = ~0u, known_mask = 0;
  mutable Hal_R known = Hal_R();
  hal_warp_folded(const Hal_T* all, const bool* takes_part, Hal_F combine) : all(all), takes_part(takes_part), combine(combine) {}
  Hal_R of(unsigned warp, unsigned mask) const {
    if (warp == known_warp && mask == known_mask) return known;
    Hal_R result = Hal_R();
    bool is_first = true;
    for (unsigned lane = 0; lane < 32; lane++) {
      const unsigned from = warp * 32 + lane;
      if (from < Hal_N && takes_part[from] && (mask >> lane & 1)) {
        result = is_first ? (Hal_R)all[from] : combine(result, (Hal_R)all[from]);
        is_first = false;
      }
    }
    known_warp = warp;
    known_mask = mask;
    return known = result;
  }
};
template <unsigned Hal_N, template <class> class promoted, class Hal_T, class Hal_F>
static inline hal_warp_folded<Hal_N, promoted<Hal_T>, Hal_T, Hal_F> hal_fold(const Hal_T* all, const bool* takes_part, Hal_F combine) {
  static_assert(hal_number<promoted<Hal_T>>::value, "a reduction of what is no number");
  return hal_warp_folded<Hal_N, promoted<Hal_T>, Hal_T, Hal_F>(all, takes_part, combine);
}
#define HAL_FOLD(promoted, all, takes_part, expression) \
  hal_fold<HAL_ITEMS, promoted>(all, takes_part, [](auto a, auto b) { return (decltype(b))(expression); })
#define HAL_FOLD_ADD(all, takes_part) HAL_FOLD(hal_promoted, all, takes_part, a + b)
#define HAL_FOLD_MIN(all, takes_part) HAL_FOLD(hal_promoted, all, takes_part, a < b ? a : b)
#define HAL_FOLD_MAX(all, takes_part) HAL_FOLD(hal_promoted, all, takes_part, a > b ? a : b)
#define HAL_FOLD_AND(all, takes_part) HAL_FOLD(hal_promoted_bits, all, takes_part, a & b)
#define HAL_FOLD_OR(all, takes_part) HAL_FOLD(hal_promoted_bits, all, takes_part, a | b)
#define HAL_FOLD_XOR(all, takes_part) HAL_FOLD(hal_promoted_bits, all, takes_part, a ^ b)
#define HAL_READ_FOLDED(folded, mask) (folded).of(hal_warp_i, mask)

// Reductions of cooperative groups: each item adds up as a butterfly does.
template <class Hal_T, class Hal_F> static inline Hal_T hal_read_tree(const Hal_T* all, unsigned items, unsigned i, unsigned size, Hal_F combine) {
  Hal_T values[32];
  unsigned first = i & ~(size - 1);
  for (unsigned lane = 0; lane < size; lane++) values[lane] = all[first + lane < items ? first + lane : i];
  for (unsigned by = size / 2; by > 0; by /= 2) {
    Hal_T next[32];
    for (unsigned lane = 0; lane < size; lane++) next[lane] = combine(values[lane], values[lane ^ by]);
    for (unsigned lane = 0; lane < size; lane++) values[lane] = next[lane];
  }
  return values[i & (size - 1)];
}
#define HAL_READ_TREE(all, size, ...) hal_read_tree(all, HAL_ITEMS, hal_i, size, __VA_ARGS__)
