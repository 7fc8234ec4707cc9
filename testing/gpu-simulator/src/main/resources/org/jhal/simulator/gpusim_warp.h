// SPDX-License-Identifier: Apache-2.0
// What the threads of a warp do together. Part of gpu_prelude.h.
#ifdef __HIPCC_RTC__
typedef unsigned long long gpusim_lanes;
template <class Hal_T> using gpusim_shuffled = Hal_T;  // AMD's functions with a mask are templates
#else
typedef unsigned gpusim_lanes;
template <class Hal_T> using gpusim_shuffled = hal_promoted<Hal_T>;
#endif
static inline unsigned gpusim_lane() {
  const gpusim_thread& self = *gpusim_self;
  const unsigned index = (self.thread.z * self.block_dim.y + self.thread.y) * self.block_dim.x + self.thread.x;
  return index % GPUSIM_WARP_SIZE;
}

// Without a mask, those meet who come to the same place, a number.
template <class Hal_T>
static inline gpusim_exchanged gpusim_exchange(unsigned long long mask, Hal_T value, unsigned place = 0) {
  static_assert(sizeof(Hal_T) <= 8, "a value that threads exchange has at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  gpusim_thread* self = gpusim_self;
  gpusim_exchanged all;
  self->exchange(self, GPUSIM_WARP_SIZE, mask, place, bits, &all);
  gpusim_self = self;
  return all;
}
template <class Hal_T> static inline Hal_T gpusim_value(const gpusim_exchanged& all, unsigned lane) {
  Hal_T value;
  __builtin_memcpy(&value, &all.values[lane], sizeof value);
  return value;
}

// The value of another lane, within the part of the warp of that width; the own one if that lane gives none.
template <class Hal_T>
static inline Hal_T gpusim_shuffle(unsigned long long mask, Hal_T value, long long other, unsigned first, int width) {
  const gpusim_exchanged all = gpusim_exchange(mask, value);
  const bool is_inside = other >= first && other < (long long)first + width;
  return is_inside && (all.given >> other & 1) ? gpusim_value<Hal_T>(all, (unsigned)other) : value;
}
#define GPUSIM_SHUFFLE(name, argument, other)                                                                        \
  template <class Hal_T>                                                                                             \
  static inline gpusim_shuffled<Hal_T> name##_sync(unsigned long long mask, Hal_T value, argument by,                \
                                               int width = GPUSIM_WARP_SIZE) {                                       \
    const unsigned lane = gpusim_lane(), first = lane & ~(unsigned)(width - 1);                                      \
    return gpusim_shuffle<gpusim_shuffled<Hal_T>>(mask, value, other, first, width);                                 \
  }                                                                                                                  \
  GPUSIM_UNMASKED(template <class Hal_T>                                                                             \
                  static inline hal_promoted<Hal_T> name(Hal_T value, argument by, int width = GPUSIM_WARP_SIZE) {   \
                    return name##_sync(0, (hal_promoted<Hal_T>)value, by, width);                                    \
                  })
static inline unsigned __lane_id() { return gpusim_lane(); }
#ifdef __HIPCC_RTC__
#define GPUSIM_UNMASKED(...) __VA_ARGS__
#else
#define GPUSIM_UNMASKED(...)
#endif
GPUSIM_SHUFFLE(__shfl, int, (long long)first + (by & (width - 1)))
GPUSIM_SHUFFLE(__shfl_up, unsigned, (long long)lane - by)
GPUSIM_SHUFFLE(__shfl_down, unsigned, (long long)lane + by)
GPUSIM_SHUFFLE(__shfl_xor, int, (long long)(lane ^ (unsigned)by))

static inline gpusim_lanes __ballot_sync(unsigned long long mask, int yes) {
  const gpusim_exchanged all = gpusim_exchange(mask, yes != 0);
  gpusim_lanes votes = 0;
  for (unsigned i = 0; i < GPUSIM_WARP_SIZE; i++) {
    if (all.given >> i & 1) votes |= (gpusim_lanes)gpusim_value<bool>(all, i) << i;
  }
  return votes;
}
static inline int __any_sync(unsigned long long mask, int yes) { return __ballot_sync(mask, yes) != 0; }
static inline int __all_sync(unsigned long long mask, int yes) { return __ballot_sync(mask, !yes) == 0; }
// The number of a call rises with its position in the source.
#define __activemask() ((gpusim_lanes)gpusim_exchange(0, 0, __COUNTER__ + 1).given)
static inline void __syncwarp(unsigned long long mask = ~0ull) { gpusim_exchange(mask, 0); }
GPUSIM_UNMASKED(static inline gpusim_lanes __ballot(int yes) { return __ballot_sync(0, yes); })
GPUSIM_UNMASKED(static inline int __any(int yes) { return __any_sync(0, yes); })
GPUSIM_UNMASKED(static inline int __all(int yes) { return __all_sync(0, yes); })
template <class Hal_T> static inline gpusim_lanes __match_any_sync(unsigned long long mask, Hal_T value) {
  const gpusim_exchanged all = gpusim_exchange(mask, value);
  gpusim_lanes equal = 0;
  for (unsigned i = 0; i < GPUSIM_WARP_SIZE; i++) {
    if ((all.given >> i & 1) && gpusim_value<Hal_T>(all, i) == value) equal |= (gpusim_lanes)1 << i;
  }
  return equal;
}
template <class Hal_T> static inline gpusim_lanes __match_all_sync(unsigned long long mask, Hal_T value, int* all) {
  const gpusim_exchanged given = gpusim_exchange(mask, value);
  gpusim_lanes lanes = 0;
  *all = 1;
  for (unsigned i = 0; i < GPUSIM_WARP_SIZE; i++) {
    if (!(given.given >> i & 1)) continue;
    lanes |= (gpusim_lanes)1 << i;
    if (!(gpusim_value<Hal_T>(given, i) == value)) *all = 0;
  }
  return *all ? lanes : 0;
}
#define HAL_MASKS 1  // also under HIP, where older compilers have only functions without masks

#define GPUSIM_REDUCE(name, promoted, expression)                                       \
  template <class Hal_T> static inline promoted<Hal_T> name(unsigned long long mask, Hal_T value) { \
    typedef promoted<Hal_T> Hal_R;                                                      \
    const gpusim_exchanged all = gpusim_exchange(mask, (Hal_R)value);                   \
    bool is_first = true;                                                               \
    Hal_R a = Hal_R();                                                                  \
    for (unsigned i = 0; i < GPUSIM_WARP_SIZE; i++) {                                   \
      if (!(all.given >> i & 1)) continue;                                              \
      const Hal_R b = gpusim_value<Hal_R>(all, i);                                      \
      a = is_first ? b : (Hal_R)(expression);                                           \
      is_first = false;                                                                 \
    }                                                                                   \
    return a;                                                                           \
  }
GPUSIM_REDUCE(__reduce_add_sync, hal_promoted, a + b)
GPUSIM_REDUCE(__reduce_min_sync, hal_promoted, a < b ? a : b)
GPUSIM_REDUCE(__reduce_max_sync, hal_promoted, a > b ? a : b)
GPUSIM_REDUCE(__reduce_and_sync, hal_promoted_bits, a & b)
GPUSIM_REDUCE(__reduce_or_sync, hal_promoted_bits, a | b)
GPUSIM_REDUCE(__reduce_xor_sync, hal_promoted_bits, a ^ b)
