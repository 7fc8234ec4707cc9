// SPDX-License-Identifier: Apache-2.0
// Runs the workgroups of a compiled kernel, in each of the ways in which it may be compiled.
#pragma once
#include "hal_groups.h"
#include "hal_meet.h"
#include "hal_coroutine.h"

template <class Hal_T> struct hal_is_pointer { static constexpr unsigned value = 0; };
template <class Hal_T> struct hal_is_pointer<Hal_T*> { static constexpr unsigned value = 1; };

template <unsigned... Hal_I> struct hal_indexes {};
template <unsigned Hal_N, unsigned... Hal_I> struct hal_up_to : hal_up_to<Hal_N - 1, Hal_N - 1, Hal_I...> {};
template <unsigned... Hal_I> struct hal_up_to<0, Hal_I...> { typedef hal_indexes<Hal_I...> type; };

// The parameters of a kernel, behind those that the translation has added.
template <class... Hal_A> struct hal_parameters {
  typedef typename hal_up_to<sizeof...(Hal_A)>::type indexes;
  static constexpr unsigned count = sizeof...(Hal_A);
  static constexpr hal_parameter table[sizeof...(Hal_A) + 1] = {
      hal_parameter{(unsigned)sizeof(Hal_A), (unsigned)alignof(Hal_A), hal_is_pointer<Hal_A>::value}..., hal_parameter{0, 0, 0}};
};
template <class... Hal_A> constexpr hal_parameter hal_parameters<Hal_A...>::table[sizeof...(Hal_A) + 1];

// Items that never meet: one after the other.
template <class Hal_F, Hal_F kernel, unsigned HAL_X, unsigned HAL_Y, unsigned HAL_Z> struct hal_plain;
template <class... Hal_A, void (*kernel)(hal_item&, Hal_A...), unsigned HAL_X, unsigned HAL_Y, unsigned HAL_Z>
struct hal_plain<void (*)(hal_item&, Hal_A...), kernel, HAL_X, HAL_Y, HAL_Z> : hal_parameters<Hal_A...> {
  template <unsigned... Hal_I>
  static inline void spread(HAL_RANGE, void* const* arguments, hal_indexes<Hal_I...>) {
    (void)arguments;
    groups(hal_launch_, hal_first, hal_count, *(hal_bare<Hal_A>*)arguments[Hal_I]...);
  }
  static inline void groups(HAL_RANGE, Hal_A... arguments) {
    constexpr unsigned hal_most = 1;
    HAL_GROUPS_BEGIN HAL_ITEMS_BEGIN kernel(hal_self, arguments...);
    HAL_ITEMS_END HAL_GROUPS_END
  }
  static void run(const hal_launch* launch, unsigned long long first, unsigned long long count) {
    hal_begin(*launch);
    spread(*launch, first, count, launch->arguments, typename hal_plain::indexes());
  }
};
// The same for a kernel that does not ask which item it is.
template <class... Hal_A, void (*kernel)(Hal_A...), unsigned HAL_X, unsigned HAL_Y, unsigned HAL_Z>
struct hal_plain<void (*)(Hal_A...), kernel, HAL_X, HAL_Y, HAL_Z> : hal_parameters<Hal_A...> {
  static inline void with_item(hal_item&, Hal_A... arguments) { kernel(arguments...); }
  static void run(const hal_launch* launch, unsigned long long first, unsigned long long count) {
    hal_plain<void (*)(hal_item&, Hal_A...), &with_item, HAL_X, HAL_Y, HAL_Z>::run(launch, first, count);
  }
};

#ifdef HAL_CHECKED
// Of a kernel that is checked, the hooks run the items.
template <class Hal_F, Hal_F kernel, unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z> struct hal_asking;
template <class... Hal_A, void (*kernel)(Hal_A...), unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z>
struct hal_asking<void (*)(Hal_A...), kernel, Hal_X, Hal_Y, Hal_Z> : hal_parameters<Hal_A...> {
  template <unsigned... Hal_I> HAL_RAW static inline void spread(void* const* arguments, hal_indexes<Hal_I...>) {
    (void)arguments;
    hal_hidden(kernel)(*(hal_bare<Hal_A>*)arguments[Hal_I]...);
  }
  HAL_RAW static void one(const hal_launch* launch, const hal_checked* self) {
    (void)self;
    spread(launch->arguments, typename hal_asking::indexes());
  }
  HAL_RAW static void run(const hal_launch* launch, unsigned long long first, unsigned long long count) {
    hal_checked_begin(launch, {Hal_X, Hal_Y, Hal_Z});
    hal_begin(*launch);
    hal_current = nullptr;
    hal_checked_items(launch, first, count, one);
  }
};
#else
// The same for kernels with code that asks the thread which item it is.
template <class Hal_F, Hal_F kernel, unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z> struct hal_asking;
template <class... Hal_A, void (*kernel)(Hal_A...), unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z>
struct hal_asking<void (*)(Hal_A...), kernel, Hal_X, Hal_Y, Hal_Z> : hal_parameters<Hal_A...> {
  static inline void one(hal_item& self, Hal_A... arguments) {
    hal_become(self);
    kernel(arguments...);
  }
  static void run(const hal_launch* launch, unsigned long long first, unsigned long long count) {
    hal_plain<void (*)(hal_item&, Hal_A...), &one, Hal_X, Hal_Y, Hal_Z>::run(launch, first, count);
  }
};
#endif

// A kernel that was divided, and runs workgroups itself.
template <class Hal_F, Hal_F kernel, unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z> struct hal_divided;
template <class... Hal_A, void (*kernel)(HAL_RANGE, Hal_A...), unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z>
struct hal_divided<void (*)(HAL_RANGE, Hal_A...), kernel, Hal_X, Hal_Y, Hal_Z> : hal_parameters<Hal_A...> {
  template <unsigned... Hal_I>
  static inline void spread(HAL_RANGE, void* const* arguments, hal_indexes<Hal_I...>) {
    (void)arguments;
    kernel(hal_launch_, hal_first, hal_count, *(hal_bare<Hal_A>*)arguments[Hal_I]...);
  }
  static void run(const hal_launch* launch, unsigned long long first, unsigned long long count) {
    hal_begin(*launch);
    spread(*launch, first, count, launch->arguments, typename hal_divided::indexes());
  }
};

// Lets the caches have what an item goes on with.
HAL_RAW static inline void hal_fetch(const hal_fiber* fiber) {
  const char* stack = (const char*)fiber->place;
  for (int i = 0; i < 5; i++) __builtin_prefetch(stack + 64 * i);
}

// Goes on with the items of a workgroup that may, until all are over. `go_on` runs one up to where it stops or ends.
template <class Hal_F> HAL_RAW static inline void hal_rounds(const hal_launch& launch, hal_meeting& meeting, hal_fiber* fibers, unsigned items, Hal_F go_on) {
  while (meeting.alive > 0) {
    bool has_moved = false;
    for (unsigned i = 0; i < items; i++) {
      hal_fiber* fiber = fibers + i;
      hal_fetch(fibers + (i + 2 < items ? i + 2 : 0));
      if (fiber->is_over || !fiber->may_go_on()) continue;
      has_moved = true;
      go_on(fiber, i);
    }
    if (has_moved || hal_answer(fibers, items)) continue;
#ifdef HAL_CHECKED
    for (unsigned i = 0; i < items; i++) {
      if (fibers[i].is_over) continue;
      hal_checked_note(fibers[i].place_of);
      hal_checked_stuck(i, fibers[i].waiting);
      return;
    }
#endif
    launch.stop(HAL_STUCK, nullptr);
  }
}

HAL_RAW static inline void hal_assemble(const hal_launch& launch, uint3 block, uint3 size, hal_meeting& meeting, hal_fiber* fibers) {
  unsigned items = size.x * size.y * size.z;
  meeting.alive = items;
  meeting.launch = &launch;
  for (unsigned w = 0; w < (items + 31) / 32; w++) {
    unsigned lanes = items - 32 * w;
#ifdef HAL_CHECKED
    meeting.warps[w].number = w;
#endif
    meeting.warps[w].alive = lanes >= 32 ? ~0u : (1u << lanes) - 1;
    for (hal_exchange& exchange : meeting.warps[w].exchanges) {
      exchange.mask = exchange.arrived = exchange.readers = exchange.round = 0;
    }
  }
  const hal_item group(launch, block, size);
  for (unsigned i = 0; i < items; i++) {
    fibers[i].item = hal_item(group, i % size.x, i / size.x % size.y, i / size.x / size.y);
    fibers[i].item.hal_own = fibers + i;
    fibers[i].meeting = &meeting;
    fibers[i].waits_for = nullptr;
    fibers[i].call = nullptr;
    fibers[i].is_over = false;
  }
}

// An item has ended: the others no longer wait for it.
HAL_RAW static inline void hal_leave(hal_fiber* fiber) {
  hal_meeting* meeting = fiber->meeting;
  fiber->is_over = true;
  meeting->alive--;
#ifdef HAL_CHECKED
  hal_checked_leave(fiber->item.hal_index());
#endif
  hal_barrier_check(meeting);
  unsigned index = fiber->item.hal_index();
  hal_warp* warp = meeting->warps + (index >> 5);
  warp->alive &= ~(1u << (index & 31));
  for (hal_exchange& exchange : warp->exchanges) {
    if (exchange.arrived) hal_exchange_check(warp, &exchange);
  }
}

// An array in the launch's memory.
template <class Hal_T> HAL_RAW static inline Hal_T* hal_array(const hal_launch& launch, unsigned length) {
  return (Hal_T*)launch.memory(sizeof(Hal_T) * length);
}

// Items with stacks of their own.
template <class Hal_F, Hal_F kernel, unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z> struct hal_fibers;
template <class... Hal_A, void (*kernel)(Hal_A...), unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z>
struct hal_fibers<void (*)(Hal_A...), kernel, Hal_X, Hal_Y, Hal_Z> : hal_parameters<Hal_A...> {
  static constexpr unsigned items = Hal_X * Hal_Y * Hal_Z;
  static constexpr unsigned long stack_size = 64 << 10;

  template <unsigned... Hal_I>
  HAL_RAW static void one(hal_fiber* fiber, hal_indexes<Hal_I...>) {
    void* const* arguments = fiber->item.hal_launch_->arguments;
    (void)arguments;
    hal_hidden(kernel)(*(hal_bare<Hal_A>*)arguments[Hal_I]...);
  }
  HAL_RAW static hal_fiber*& starting() {
    static thread_local hal_fiber* fiber;
    return fiber;
  }
  HAL_RAW static void body() {
    hal_fiber* fiber = starting();
    one(fiber, typename hal_fibers::indexes());
    hal_leave(fiber);
    hal_switch(&fiber->place, &fiber->meeting->main);
  }
#ifdef HAL_CHECKED
  HAL_RAW static void abandon() {
    hal_fiber* fiber = starting();
    hal_leave(fiber);
    hal_switch(&fiber->place, &fiber->meeting->main);
  }
#endif
  HAL_RAW static void begin(hal_fiber* fiber, void* stack) {
#ifdef HAL_CHECKED
    fiber->stack = (char*)stack;
#endif
    void** top = (void**)((char*)stack + stack_size);
#if defined(__x86_64__)
    *--top = nullptr;
    *--top = (void*)&body;
    for (int i = 0; i < HAL_SAVED; i++) *--top = nullptr;
#else
    top -= 20;
    for (int i = 0; i < 20; i++) top[i] = nullptr;
    top[11] = (void*)&body;
#endif
    fiber->place = top;
  }
  HAL_RAW static void run(const hal_launch* launch, unsigned long long first, unsigned long long count) {
    hal_fiber* fibers = hal_array<hal_fiber>(*launch, items);
    hal_warp* warps = hal_array<hal_warp>(*launch, (items + 31) / 32);
#ifdef HAL_CHECKED
    hal_checked_begin(launch, {Hal_X, Hal_Y, Hal_Z});
    hal_checked_private(fibers, fibers + items);
    hal_checked_private(warps, warps + (items + 31) / 32);
#endif
    hal_begin(*launch);
    for (hal_cursor at(*launch, first); count > 0; count--, at.next(1)) {
      hal_meeting meeting{};
      meeting.warps = warps;
      hal_assemble(*launch, at.block, {Hal_X, Hal_Y, Hal_Z}, meeting, fibers);
#ifdef HAL_CHECKED
      hal_checked_group(((unsigned long long)at.block.z * launch->grid.y + at.block.y) * launch->grid.x + at.block.x,
                        {at.block.x, at.block.y, at.block.z});
#endif
      for (unsigned i = 0; i < items; i++) begin(fibers + i, launch->stack(i, stack_size));
      hal_rounds(*launch, meeting, fibers, items, [&](hal_fiber* fiber, unsigned i) HAL_RAW {
        (void)i;
        starting() = fiber;
        hal_become(fiber->item);
#ifdef HAL_CHECKED
        hal_checked_become(i, {fiber->item.hal_thread.x, fiber->item.hal_thread.y, fiber->item.hal_thread.z}, fiber->stack,
                           fiber->stack + stack_size, abandon);
#endif
        hal_switch(&meeting.main, &fiber->place);
      });
    }
#ifdef HAL_CHECKED
    hal_checked_end();
#endif
  }
};

#if defined(__cpp_impl_coroutine)
// Items that are coroutines. Their frames lie in memory of the thread, so a dispatch that is stopped leaves none behind.
template <class Hal_F, Hal_F kernel, unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z> struct hal_coroutines;
template <class... Hal_A, hal_coroutine (*kernel)(hal_item&, Hal_A...), unsigned Hal_X, unsigned Hal_Y, unsigned Hal_Z>
struct hal_coroutines<hal_coroutine (*)(hal_item&, Hal_A...), kernel, Hal_X, Hal_Y, Hal_Z> : hal_parameters<Hal_A...> {
  static constexpr unsigned items = Hal_X * Hal_Y * Hal_Z;

  template <unsigned... Hal_I>
  static hal_coroutine one(hal_fiber* fiber, hal_indexes<Hal_I...>) {
    void* const* arguments = fiber->item.hal_launch_->arguments;
    (void)arguments;
    return kernel(fiber->item, *(hal_bare<Hal_A>*)arguments[Hal_I]...);
  }
  static void run(const hal_launch* launch, unsigned long long first, unsigned long long count) {
    hal_fiber* fibers = hal_array<hal_fiber>(*launch, items);
    hal_warp* warps = hal_array<hal_warp>(*launch, (items + 31) / 32);
    hal_coroutine* coroutines = hal_array<hal_coroutine>(*launch, items);
    hal_begin(*launch);
    hal_frames().begin_run(items, launch);
    for (hal_cursor at(*launch, first); count > 0; count--, at.next(1)) {
      hal_meeting meeting{};
      meeting.warps = warps;
      hal_assemble(*launch, at.block, {Hal_X, Hal_Y, Hal_Z}, meeting, fibers);
      hal_frames().begin_group();
      for (unsigned i = 0; i < items; i++) coroutines[i] = one(fibers + i, typename hal_coroutines::indexes());
      hal_rounds(*launch, meeting, fibers, items, [&](hal_fiber* fiber, unsigned i) {
        coroutines[i].handle.resume();
        if (coroutines[i].handle.done()) hal_leave(fiber);
      });
    }
  }
};
#endif

#define HAL_ENTRY(index, form, sizes, function, note)                                                   \
  typedef form<hal_bare<decltype(&HAL_BARE function)>, &HAL_BARE function, HAL_BARE sizes> hal_form_##index;           \
  extern "C" {                                                                                    \
  extern __attribute__((visibility("default"))) const hal_kernel hal_kernel_##index;              \
  const hal_kernel hal_kernel_##index = {&hal_form_##index::run, hal_form_##index::count,         \
                                         hal_form_##index::table, note};                          \
  }
#define HAL_BARE(...) __VA_ARGS__

template <class Hal_T> struct hal_is_const { static constexpr bool value = false; };
template <class Hal_T> struct hal_is_const<const Hal_T> { static constexpr bool value = true; };
template <class Hal_T, decltype(sizeof 0) Hal_N> struct hal_is_const<Hal_T[Hal_N]> : hal_is_const<Hal_T> {};
template <class Hal_T, decltype(sizeof 0) Hal_N> struct hal_is_const<const Hal_T[Hal_N]> : hal_is_const<const Hal_T> {};

#define HAL_GLOBAL(index, name)                                                                   \
  static_assert(!hal_is_const<decltype(name)>::value, "the host cannot write the global " #name ", which is const"); \
  extern "C" {                                                                                    \
  extern __attribute__((visibility("default"))) const hal_global hal_global_##index;              \
  const hal_global hal_global_##index = {(void*)&name, sizeof name};                              \
  }
