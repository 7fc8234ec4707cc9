// SPDX-License-Identifier: Apache-2.0
// Where work items meet: barriers, and what the items of a warp exchange.
#pragma once
#include "hal_item.h"

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".local hal_switch\n"
    ".type hal_switch, @function\n"
    "hal_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq (%rsi), %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size hal_switch, . - hal_switch\n");
enum { HAL_SAVED = 6 };
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".local hal_switch\n"
    ".type hal_switch, %function\n"
    "hal_switch:\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
    "  stp d14, d15, [sp, #144]\n"
    "  mov x2, sp\n  str x2, [x0]\n  ldr x2, [x1]\n  mov sp, x2\n"
    "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
    "  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n"
    ".size hal_switch, . - hal_switch\n");
#endif
// Keeps the caller's registers on its stack, whose end it stores in `from`, and goes on at `to`.
extern "C" void hal_switch(void** from, void** to);

struct hal_fiber;

// An exchange of the items of a warp that `mask` names. A warp has several at once if it has diverged.
struct hal_exchange {
  unsigned mask, arrived, readers, round;
  unsigned given[2];
  unsigned long long values[2][32];
};

struct hal_warp {
  unsigned alive;
#ifdef HAL_CHECKED
  unsigned number;
#endif
  hal_exchange exchanges[32];
};

// A workgroup whose items stop where they meet.
struct hal_meeting {
  unsigned alive, arrived, round;
  int counted[2];  // how many of those that have come to the barrier have said yes
  bool has_moved;
  bool meets_grid;  // the items that have come to the barrier wait for all workgroups
  const hal_launch* launch;
  void* main;
  hal_warp* warps;
};

// A call in the source, and the one that led to it. Numbers rise in the source.
struct hal_call {
  unsigned number, depth;
  const hal_call* outer;
  hal_call() = default;
  HAL_RAW hal_call(unsigned number, const hal_call* outer) : number(number), depth(outer ? outer->depth + 1 : 1), outer(outer) {}
};

// Where an item stops: until the round that it looks at is another one.
struct hal_fiber {
  hal_item item;
  hal_meeting* meeting;
  void* place;
  const volatile unsigned* waits_for;
  unsigned round;
  bool is_over;
#ifdef HAL_CHECKED
  unsigned waiting;  // for these lanes; 0 at a barrier
  const void* place_of;  // where the source calls what it waits in
  char* stack;
#endif
  const hal_call* call;  // the innermost of those that lead to __activemask
  hal_call asks_at;
  unsigned active;  // the lanes that have asked there together; 0 until that is known

  HAL_RAW bool may_go_on() const { return !waits_for || *waits_for != round; }
  HAL_RAW bool asks() const { return waits_for == &active && active == 0; }
};

// Where an item stops. A compiler that sees that an item has no such place, as in the form of loops, takes what waits for
// code that never runs, and leaves it out. Then SourceCompiler would not find hal_switch in a kernel that must not wait.
HAL_RAW static inline hal_fiber* hal_place_of(const hal_item& self) {
  hal_fiber* fiber = self.hal_own;
  __asm__("" : "+r"(fiber));
  return fiber;
}

HAL_RAW static inline void hal_barrier_check(hal_meeting* meeting) {
  if (meeting->alive > 0 && meeting->arrived == meeting->alive) {
    meeting->arrived = 0;
#ifdef HAL_CHECKED
    hal_checked_barrier();
#endif
    if (meeting->meets_grid) {
      meeting->meets_grid = false;
      meeting->launch->meet();
    }
    meeting->round++;
    meeting->counted[meeting->round & 1] = 0;
  }
}

// An item comes to the barrier, and can go on when all have come.
struct hal_at_barrier {
  hal_fiber* fiber;
  unsigned round;
  HAL_RAW hal_at_barrier(hal_item& self, bool yes) : fiber(hal_place_of(self)), round(fiber->meeting->round) {
    hal_meeting* meeting = fiber->meeting;
#ifdef HAL_CHECKED
    fiber->waiting = 0;
    fiber->place_of = hal_checked_arrive(self.hal_index(), true);
#endif
    meeting->counted[round & 1] += yes;
    meeting->arrived++;
    fiber->waits_for = &meeting->round;
    fiber->round = round;
    hal_barrier_check(meeting);
  }
  HAL_RAW bool is_over() const { return fiber->may_go_on(); }
  HAL_RAW int result() const { return fiber->meeting->counted[round & 1]; }
};

HAL_RAW static inline void hal_exchange_check(hal_warp* warp, hal_exchange* exchange) {
  unsigned expected = exchange->mask & warp->alive;
  if (expected == 0 || (exchange->arrived & expected) != expected) return;
#ifdef HAL_CHECKED
  hal_checked_meet(warp->number, exchange->arrived);
#endif
  exchange->given[exchange->round & 1] = exchange->arrived;
  exchange->readers = expected;
  exchange->arrived = 0;
  exchange->round++;
}

// An item gives a value to the items of the mask. When all have, `read` looks at what they have given.
template <class Hal_R, class Hal_F> struct hal_at_exchange {
  hal_fiber* fiber;
  hal_exchange* exchange;
  unsigned lane, round;
  Hal_F read;
  HAL_RAW hal_at_exchange(hal_item& self, unsigned mask, unsigned long long value, Hal_F read) : fiber(hal_place_of(self)), read(read) {
    unsigned index = self.hal_index();
    lane = index & 31;
    hal_warp* warp = fiber->meeting->warps + (index >> 5);
    exchange = nullptr;
    for (hal_exchange& one : warp->exchanges) {
      if (one.mask == mask && !(one.readers >> lane & 1)) {
        exchange = &one;
        break;
      }
      if (!exchange && one.arrived == 0 && one.readers == 0) exchange = &one;
    }
    if (!exchange) self.hal_launch_->stop(HAL_STUCK, nullptr);
    exchange->mask = mask;
    round = exchange->round;
    exchange->values[round & 1][lane] = value;
    exchange->arrived |= 1u << lane;
#ifdef HAL_CHECKED
    fiber->waiting = mask;
    fiber->place_of = hal_checked_arrive(self.hal_index(), false);
#endif
    fiber->waits_for = &exchange->round;
    fiber->round = round;
    hal_exchange_check(warp, exchange);
  }
  HAL_RAW bool is_over() const { return fiber->may_go_on(); }
  HAL_RAW Hal_R result() const {
    Hal_R result = read(exchange->values[round & 1], exchange->given[round & 1], lane);
    exchange->readers &= ~(1u << lane);
    return result;
  }
};
template <class Hal_R, class Hal_F>
static inline hal_at_exchange<Hal_R, Hal_F> hal_exchanged(hal_item& self, unsigned mask, unsigned long long value, Hal_F read) {
  return hal_at_exchange<Hal_R, Hal_F>(self, mask, value, read);
}

// Stops an item that has a stack of its own until it can go on.
template <class Hal_M> HAL_RAW static inline auto hal_stay(const Hal_M& meeting) -> decltype(meeting.result()) {
  if (!meeting.is_over()) hal_switch(&meeting.fiber->place, &meeting.fiber->meeting->main);
  return meeting.result();
}

template <class Hal_T> HAL_RAW static inline unsigned long long hal_pack(Hal_T value) {
  static_assert(sizeof(Hal_T) <= 8, "a value that work items exchange has at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class Hal_T> HAL_RAW static inline Hal_T hal_unpack(unsigned long long bits) {
  Hal_T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// Each function is there twice: hal_at_NAME says where an item stops, NAME stops it.
#define HAL_MEETING(result, name, parameters, arguments, meeting)                       \
  static inline auto hal_at_##name parameters { return meeting; }                       \
  static inline result name parameters { return (result)hal_stay(hal_at_##name arguments); }

struct hal_all_at_barrier : hal_at_barrier {
  HAL_RAW hal_all_at_barrier(hal_item& self, bool yes) : hal_at_barrier(self, !yes) {}
  HAL_RAW int result() const { return hal_at_barrier::result() == 0; }
};
struct hal_any_at_barrier : hal_at_barrier {
  using hal_at_barrier::hal_at_barrier;
  HAL_RAW int result() const { return hal_at_barrier::result() > 0; }
};
// Waits for all items of all workgroups.
HAL_RAW static inline void hal_check_grid(const hal_launch& launch) {
  if (!launch.meet) launch.stop(HAL_NOT_COOPERATIVE, nullptr);
}
// The same of a kernel that was divided, between two barriers of the workgroup.
static inline void hal_meet_grid(const hal_item& self) {
  if (self.hal_index() != 0) return;
  hal_check_grid(*self.hal_launch_);
  self.hal_launch_->meet();
}
static inline hal_at_barrier hal_at_sync_grid(hal_item& self) {
  hal_check_grid(*self.hal_launch_);
  hal_place_of(self)->meeting->meets_grid = true;
  return hal_at_barrier(self, false);
}
static inline void hal_sync_grid(hal_item& self) { hal_stay(hal_at_sync_grid(self)); }
HAL_MEETING(void, __syncthreads, (hal_item& self), (self), hal_at_barrier(self, false))
HAL_MEETING(int, __syncthreads_count, (hal_item& self, int yes), (self, yes), hal_at_barrier(self, yes != 0))
HAL_MEETING(int, __syncthreads_or, (hal_item& self, int yes), (self, yes), hal_any_at_barrier(self, yes != 0))
HAL_MEETING(int, __syncthreads_and, (hal_item& self, int yes), (self, yes), hal_all_at_barrier(self, yes != 0))
HAL_MEETING(void, __syncwarp, (hal_item& self, unsigned mask = ~0u), (self, mask),
            hal_exchanged<int>(self, mask, 0, [](unsigned long long*, unsigned, unsigned) HAL_RAW { return 0; }))

// What lane a shuffle reads, within the part of the warp of the given width that the lane is in.
static inline unsigned hal_lane_of(unsigned lane, int from, int width) {
  return (lane & ~(unsigned)(width - 1)) + ((unsigned)from & (unsigned)(width - 1));
}
static inline unsigned hal_lane_up(unsigned lane, unsigned delta, int width) {
  unsigned first = lane & ~(unsigned)(width - 1);
  return lane >= first + delta ? lane - delta : lane;
}
static inline unsigned hal_lane_down(unsigned lane, unsigned delta, int width) {
  unsigned end = (lane & ~(unsigned)(width - 1)) + (unsigned)width;
  return lane + delta < end ? lane + delta : lane;
}
static inline unsigned hal_lane_xor(unsigned lane, int mask, int width) {
  unsigned other = lane ^ (unsigned)mask;
  return other < (lane & ~(unsigned)(width - 1)) + (unsigned)width ? other : lane;
}

#define HAL_SHUFFLE(name, argument, lane_of)                                                                      \
  template <class Hal_T> static inline auto hal_at_##name(hal_item& self, unsigned mask, Hal_T given, argument from, int width = 32) { \
    typedef hal_promoted<Hal_T> Hal_R;                                                                            \
    const Hal_R value = given;                                                                                    \
    return hal_exchanged<Hal_R>(self, mask, hal_pack(value), [=](unsigned long long* values, unsigned given, unsigned lane) HAL_RAW { \
      const unsigned other = lane_of(lane, from, width);                                                          \
      return given >> other & 1 ? hal_unpack<Hal_R>(values[other]) : value;                                       \
    });                                                                                                           \
  }                                                                                                               \
  template <class Hal_T>                                                                                          \
  static inline hal_promoted<Hal_T> name(hal_item& self, unsigned mask, Hal_T value, argument from, int width = 32) { \
    return hal_stay(hal_at_##name(self, mask, value, from, width));                                               \
  }
HAL_SHUFFLE(__shfl_sync, int, hal_lane_of)
HAL_SHUFFLE(__shfl_up_sync, unsigned, hal_lane_up)
HAL_SHUFFLE(__shfl_down_sync, unsigned, hal_lane_down)
HAL_SHUFFLE(__shfl_xor_sync, int, hal_lane_xor)

HAL_RAW static inline unsigned hal_ballot_of(unsigned long long* values, unsigned given) {
  unsigned result = 0;
  for (unsigned i = 0; i < 32; i++) {
    if (given >> i & 1) result |= (unsigned)values[i] << i;
  }
  return result;
}
HAL_MEETING(unsigned, __ballot_sync, (hal_item& self, unsigned mask, int yes), (self, mask, yes),
            hal_exchanged<unsigned>(self, mask, yes != 0, [](unsigned long long* values, unsigned given, unsigned) HAL_RAW {
              return hal_ballot_of(values, given);
            }))
HAL_MEETING(int, __any_sync, (hal_item& self, unsigned mask, int yes), (self, mask, yes),
            hal_exchanged<int>(self, mask, yes != 0, [](unsigned long long* values, unsigned given, unsigned) HAL_RAW {
              return hal_ballot_of(values, given) != 0;
            }))
HAL_MEETING(int, __all_sync, (hal_item& self, unsigned mask, int yes), (self, mask, yes),
            hal_exchanged<int>(self, mask, yes == 0, [](unsigned long long* values, unsigned given, unsigned) HAL_RAW {
              return hal_ballot_of(values, given) == 0;
            }))

// Compares the bits of values: -0 is another value than 0, and NaN is the same as NaN.
template <class Hal_T> HAL_RAW static inline unsigned hal_match_of(unsigned long long* values, unsigned given, Hal_T value) {
  const unsigned long long own = hal_pack(value);
  unsigned result = 0;
  for (unsigned i = 0; i < 32; i++) {
    if ((given >> i & 1) && values[i] == own) result |= 1u << i;
  }
  return result;
}
template <class Hal_T> static inline auto hal_at___match_any_sync(hal_item& self, unsigned mask, Hal_T value) {
  return hal_exchanged<unsigned>(self, mask, hal_pack(value), [=](unsigned long long* values, unsigned given, unsigned) HAL_RAW {
    return hal_match_of(values, given, value);
  });
}
template <class Hal_T> static inline unsigned __match_any_sync(hal_item& self, unsigned mask, Hal_T value) {
  return hal_stay(hal_at___match_any_sync(self, mask, value));
}
template <class Hal_T> static inline auto hal_at___match_all_sync(hal_item& self, unsigned mask, Hal_T value, int* all) {
  return hal_exchanged<unsigned>(self, mask, hal_pack(value), [=](unsigned long long* values, unsigned given, unsigned) HAL_RAW {
    *all = hal_match_of(values, given, value) == given;
    return *all ? given : 0u;
  });
}
template <class Hal_T> static inline unsigned __match_all_sync(hal_item& self, unsigned mask, Hal_T value, int* all) {
  return hal_stay(hal_at___match_all_sync(self, mask, value, all));
}

// An item asks which lanes are active: those that have come here by the same calls when no item of the workgroup can go on.
struct hal_at_active {
  hal_fiber* fiber;
  HAL_RAW hal_at_active(hal_item& self, unsigned number) : fiber(hal_place_of(self)) {
    fiber->asks_at = hal_call(number, fiber->call);
    fiber->waits_for = &fiber->active;
    fiber->round = fiber->active = 0;
  }
  HAL_RAW bool is_over() const { return fiber->may_go_on(); }
  HAL_RAW unsigned result() const { return fiber->active; }
};
HAL_MEETING(unsigned, __activemask, (hal_item& self, unsigned number), (self, number), hal_at_active(self, number))

// Stands before a call that leads to __activemask. The present item is in that call until the end of the expression.
struct hal_called : hal_call {
  HAL_RAW hal_called(unsigned number) : hal_call(number, hal_now().hal_own->call) { hal_now().hal_own->call = this; }
  hal_called(const hal_called&) = delete;
  HAL_RAW ~hal_called() { hal_now().hal_own->call = outer; }
};

// 0 for the same call by the same calls; less if `a` comes first in the source.
HAL_RAW static inline long hal_order(const hal_call* a, const hal_call* b) {
  if (a == b) return 0;
  if (a->depth > b->depth) return hal_order(a->outer, b);
  if (a->depth < b->depth) return hal_order(a, b->outer);
  const long order = hal_order(a->outer, b->outer);
  return order != 0 ? order : (long)a->number - (long)b->number;
}

// Of each warp, lets those lanes go on that ask at the first place. So branches and loops end before what is behind them.
HAL_RAW static inline bool hal_answer(hal_fiber* fibers, unsigned items) {
  bool has_any = false;
  for (unsigned first = 0; first < items; first += 32) {
    hal_fiber* warp = fibers + first;
    const unsigned lanes = items - first < 32 ? items - first : 32;
    const hal_call* place = nullptr;
    unsigned active = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
      if (!warp[lane].asks()) continue;
      const long order = place ? hal_order(&warp[lane].asks_at, place) : -1;
      if (order < 0) place = &warp[lane].asks_at;
      if (order < 0) active = 0;
      if (order <= 0) active |= 1u << lane;
    }
    for (unsigned lane = 0; lane < lanes; lane++) {
      if (active >> lane & 1) warp[lane].active = active;
    }
    has_any |= active != 0;
  }
  return has_any;
}

#define HAL_REDUCE(name, promoted, expression)                                                                    \
  template <class Hal_T> static inline auto hal_at_##name(hal_item& self, unsigned mask, Hal_T value) {           \
    typedef promoted<Hal_T> Hal_R;                                                                                \
    return hal_exchanged<Hal_R>(self, mask, hal_pack((Hal_R)value), [](unsigned long long* values, unsigned given, unsigned) HAL_RAW { \
      Hal_R a = Hal_R();                                                                                          \
      bool is_first = true;                                                                                       \
      for (unsigned i = 0; i < 32; i++) {                                                                         \
        if (!(given >> i & 1)) continue;                                                                          \
        Hal_R b = hal_unpack<Hal_R>(values[i]);                                                                   \
        a = is_first ? b : (Hal_R)(expression);                                                                   \
        is_first = false;                                                                                         \
      }                                                                                                           \
      return a;                                                                                                   \
    });                                                                                                           \
  }                                                                                                               \
  template <class Hal_T> static inline promoted<Hal_T> name(hal_item& self, unsigned mask, Hal_T value) {         \
    return hal_stay(hal_at_##name(self, mask, value));                                                            \
  }
HAL_REDUCE(__reduce_add_sync, hal_promoted, a + b)
HAL_REDUCE(__reduce_min_sync, hal_promoted, a < b ? a : b)
HAL_REDUCE(__reduce_max_sync, hal_promoted, a > b ? a : b)
HAL_REDUCE(__reduce_and_sync, hal_promoted_bits, a & b)
HAL_REDUCE(__reduce_or_sync, hal_promoted_bits, a | b)
HAL_REDUCE(__reduce_xor_sync, hal_promoted_bits, a ^ b)

// The same for the present item of the thread.
static HAL_NOTED void __syncthreads() { HAL_NOTE __syncthreads(hal_now()); }
static HAL_NOTED int __syncthreads_count(int yes) { HAL_NOTE return __syncthreads_count(hal_now(), yes); }
static HAL_NOTED int __syncthreads_or(int yes) { HAL_NOTE return __syncthreads_or(hal_now(), yes); }
static HAL_NOTED int __syncthreads_and(int yes) { HAL_NOTE return __syncthreads_and(hal_now(), yes); }
static HAL_NOTED void __syncwarp(unsigned mask = ~0u) { HAL_NOTE __syncwarp(hal_now(), mask); }
static HAL_NOTED unsigned __ballot_sync(unsigned mask, int yes) { HAL_NOTE return __ballot_sync(hal_now(), mask, yes); }
static HAL_NOTED int __any_sync(unsigned mask, int yes) { HAL_NOTE return __any_sync(hal_now(), mask, yes); }
static HAL_NOTED int __all_sync(unsigned mask, int yes) { HAL_NOTE return __all_sync(hal_now(), mask, yes); }
static HAL_NOTED unsigned __activemask(unsigned number) { HAL_NOTE return __activemask(hal_now(), number); }
template <class Hal_T> static HAL_NOTED unsigned __match_any_sync(unsigned mask, Hal_T value) {
  HAL_NOTE
  return __match_any_sync(hal_now(), mask, value);
}
template <class Hal_T> static HAL_NOTED unsigned __match_all_sync(unsigned mask, Hal_T value, int* all) {
  HAL_NOTE
  return __match_all_sync(hal_now(), mask, value, all);
}
#define HAL_PRESENT_SHUFFLE(name, argument)                                                            \
  template <class Hal_T>                                                                               \
  static HAL_NOTED hal_promoted<Hal_T> name(unsigned mask, Hal_T value, argument from, int width = 32) { \
    HAL_NOTE                                                                                           \
    return name(hal_now(), mask, value, from, width);                                                  \
  }
HAL_PRESENT_SHUFFLE(__shfl_sync, int)
HAL_PRESENT_SHUFFLE(__shfl_up_sync, unsigned)
HAL_PRESENT_SHUFFLE(__shfl_down_sync, unsigned)
HAL_PRESENT_SHUFFLE(__shfl_xor_sync, int)
#define HAL_PRESENT_REDUCE(name, promoted)                                       \
  template <class Hal_T> static HAL_NOTED promoted<Hal_T> name(unsigned mask, Hal_T value) { \
    HAL_NOTE                                                                     \
    return name(hal_now(), mask, value);                                         \
  }
HAL_PRESENT_REDUCE(__reduce_add_sync, hal_promoted)
HAL_PRESENT_REDUCE(__reduce_min_sync, hal_promoted)
HAL_PRESENT_REDUCE(__reduce_max_sync, hal_promoted)
HAL_PRESENT_REDUCE(__reduce_and_sync, hal_promoted_bits)
HAL_PRESENT_REDUCE(__reduce_or_sync, hal_promoted_bits)
HAL_PRESENT_REDUCE(__reduce_xor_sync, hal_promoted_bits)
