// SPDX-License-Identifier: Apache-2.0
// Kernels as coroutines, which stop where work items meet.
#pragma once
#include "hal_meet.h"

#if defined(__cpp_impl_coroutine)

// What the compiler wants of the standard library.
namespace std {
template <class Hal_R, class...> struct coroutine_traits {
  typedef typename Hal_R::promise_type promise_type;
};
template <class Hal_P = void> struct coroutine_handle;
template <> struct coroutine_handle<void> {
  void* frame = nullptr;
  static coroutine_handle from_address(void* frame) noexcept {
    coroutine_handle handle;
    handle.frame = frame;
    return handle;
  }
  void* address() const noexcept { return frame; }
  void resume() const { __builtin_coro_resume(frame); }
  bool done() const noexcept { return __builtin_coro_done(frame); }
};
template <class Hal_P> struct coroutine_handle : coroutine_handle<> {
  static coroutine_handle from_address(void* frame) noexcept {
    coroutine_handle handle;
    handle.frame = frame;
    return handle;
  }
  static coroutine_handle from_promise(Hal_P& promise) noexcept {
    return from_address(__builtin_coro_promise((char*)&promise, __alignof(Hal_P), true));
  }
};
}  // namespace std

// The frames of a workgroup's items, one behind the other. Those of the next workgroup take their place.
struct hal_frame_memory {
  const hal_launch* launch;
  unsigned items, used;
  char* memory;
  void begin_run(unsigned count, const hal_launch* of) {
    launch = of;
    items = count;
    memory = nullptr;
  }
  void begin_group() { used = 0; }
  void* next(size_t size) {
    size_t rounded = (size + 63) / 64 * 64;
    if (!memory) memory = (char*)launch->memory(rounded * items);
    return memory + rounded * used++;
  }
};
static inline hal_frame_memory& hal_frames() {
  static thread_local hal_frame_memory frames;
  return frames;
}

struct hal_coroutine {
  struct stopped {
    bool is_ready;
    bool await_ready() const noexcept { return is_ready; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
  };
  struct promise_type {
    static void* operator new(size_t size) { return hal_frames().next(size); }
    static void operator delete(void*) {}
    hal_coroutine get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    stopped initial_suspend() noexcept { return {false}; }
    stopped final_suspend() noexcept { return {false}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

template <class Hal_M> struct hal_awaited {
  Hal_M meeting;
  bool await_ready() const { return meeting.is_over(); }
  void await_suspend(std::coroutine_handle<>) const {}
  auto await_resume() const { return meeting.result(); }
};
template <class Hal_M> static inline hal_awaited<Hal_M> hal_await(Hal_M meeting) { return {meeting}; }

#endif
