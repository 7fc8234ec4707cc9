// SPDX-License-Identifier: Apache-2.0
// What the instrumentation of checked kernels calls. It is compiled with them, without instrumentation, and hidden in their
// library: nothing else in the process finds these functions.
#include "hal_check.h"

#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define HOOK HIDDEN __attribute__((used))

extern const char __ehdr_start HIDDEN, _end HIDDEN;  // made by the linker: this library

HIDDEN unsigned long hal_self_offset;  // kernels take it for a constant; set before the first of them runs
static hal_check* check;               // of the device that the library is loaded by

static inline hal_checked* self(void) {
  char* thread;
#if defined(__x86_64__)
  __asm__("movq %%fs:0, %0" : "=r"(thread));
#else
  __asm__("mrs %0, tpidr_el0" : "=r"(thread));
#endif
  return *(hal_checked**)(thread + hal_self_offset);
}

// ---- findings ----

static void report(unsigned kind, const char* p, unsigned size, unsigned access, const hal_range* range, const void* pc) {
  hal_checked* me = self();
  hal_finding found = {.kind = kind, .access = access, .size = size, .range = range ? range->number : -1};
  found.at = (unsigned long long)((const char*)pc - 1 - &__ehdr_start);  // within the call
  found.address = (uintptr_t)p;
  found.offset = range ? p - range->base : 0;
  found.group = me->group;
  found.item = me->item;
  check->report(check, &found);
}

// ---- accesses ----

// How far an access is outside a range, in bytes; 0 if it is inside.
static size_t distance(const hal_range* range, const char* p, size_t size) {
  const char* end = range->base + range->size;
  if (p < range->base) return (size_t)(range->base - p);
  return p + size > end ? (size_t)(p + size - end) : 0;
}

// An access that is not inside a buffer of the dispatch.
static __attribute__((noinline)) void elsewhere(char* p, size_t size, unsigned access, const void* pc) {
  hal_checked* me = self();
  if (!me || !me->is_inside) return;
  if (p >= me->low && p < me->high) return;
  if (p >= &__ehdr_start && p < &_end) return;  // variables and constants outside functions
  const hal_range* nearest = NULL;
  for (unsigned i = 0; i < check->count; i++) {
    const hal_range* range = check->ranges + i;
    if (!nearest || distance(range, p, size) < distance(nearest, p, size)) nearest = range;
  }
  report(HAL_OUTSIDE, p, (unsigned)size, access, nearest, pc);
  me->abandon();
}

static inline __attribute__((always_inline)) void look(void* address, size_t size, unsigned access, const void* pc) {
  char* p = address;
  hal_check* by = check;
  if (!by) return;
  const hal_range* range = by->ranges;
  for (unsigned left = by->count; left > 0; left--, range++) {
    size_t at = (size_t)(p - range->base);
    if (at >= range->size) continue;
    if (range->size - at < size) break;
    if ((access & HAL_IS_WRITE) && (range->flags & HAL_IS_READ_ONLY)) report(HAL_READ_ONLY, p, (unsigned)size, access, range, pc);
    return;
  }
  elsewhere(p, size, access, pc);
}

#define CALLER __builtin_return_address(0)
#define ACCESS(bytes)                                                                                  \
  HOOK void __tsan_read##bytes(void* p) { look(p, bytes, 0, CALLER); }                                 \
  HOOK void __tsan_write##bytes(void* p) { look(p, bytes, HAL_IS_WRITE, CALLER); }                     \
  HOOK void __tsan_read##bytes##_pc(void* p, void* pc) { look(p, bytes, 0, pc); }                      \
  HOOK void __tsan_write##bytes##_pc(void* p, void* pc) { look(p, bytes, HAL_IS_WRITE, pc); }          \
  HOOK void __tsan_unaligned_read##bytes(void* p) { look(p, bytes, 0, CALLER); }                       \
  HOOK void __tsan_unaligned_write##bytes(void* p) { look(p, bytes, HAL_IS_WRITE, CALLER); }           \
  HOOK void __tsan_volatile_read##bytes(void* p) { look(p, bytes, HAL_IS_ATOMIC, CALLER); }            \
  HOOK void __tsan_volatile_write##bytes(void* p) { look(p, bytes, HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER); } \
  HOOK void __tsan_unaligned_volatile_read##bytes(void* p) { look(p, bytes, HAL_IS_ATOMIC, CALLER); }  \
  HOOK void __tsan_unaligned_volatile_write##bytes(void* p) { look(p, bytes, HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER); } \
  HOOK void __tsan_read_write##bytes(void* p) { look(p, bytes, HAL_IS_WRITE, CALLER); }                \
  HOOK void __tsan_unaligned_read_write##bytes(void* p) { look(p, bytes, HAL_IS_WRITE, CALLER); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
HOOK void __tsan_read_range(void* p, unsigned long size) { look(p, size, 0, CALLER); }
HOOK void __tsan_write_range(void* p, unsigned long size) { look(p, size, HAL_IS_WRITE, CALLER); }
HOOK void __tsan_vptr_update(void** p, void* value) { (void)p, (void)value; }
HOOK void __tsan_vptr_read(void** p) { (void)p; }
HOOK void __tsan_init(void) {}
HOOK void __tsan_func_entry(void* pc) { (void)pc; }
HOOK void __tsan_func_exit(void) {}

// Copies, which compilers do not instrument.
HOOK void* __tsan_memcpy(void* to, const void* from, size_t size) {
  if (size) look((void*)from, size, 0, CALLER), look(to, size, HAL_IS_WRITE, CALLER);
  return __builtin_memmove(to, from, size);
}
HOOK void* __tsan_memmove(void* to, const void* from, size_t size) {
  if (size) look((void*)from, size, 0, CALLER), look(to, size, HAL_IS_WRITE, CALLER);
  return __builtin_memmove(to, from, size);
}
HOOK void* __tsan_memset(void* to, int value, size_t size) {
  if (size) look(to, size, HAL_IS_WRITE, CALLER);
  return __builtin_memset(to, value, size);
}

#define ATOMICS(bits, type)                                                                                            \
  HOOK type __tsan_atomic##bits##_load(const volatile type* p, int order) {                                            \
    (void)order;                                                                                                       \
    look((void*)p, sizeof(type), HAL_IS_ATOMIC, CALLER);                                                               \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                       \
  }                                                                                                                    \
  HOOK void __tsan_atomic##bits##_store(volatile type* p, type value, int order) {                                     \
    (void)order;                                                                                                       \
    look((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                                                \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                                      \
  }                                                                                                                    \
  ATOMIC_UPDATE(bits, type, exchange, __atomic_exchange_n)                                                             \
  ATOMIC_UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                                             \
  ATOMIC_UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                                             \
  ATOMIC_UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                                             \
  ATOMIC_UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                                               \
  ATOMIC_UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                                             \
  ATOMIC_UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                                           \
  HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile type* p, type* seen, type value, int order, int other) { \
    (void)order, (void)other;                                                                                          \
    look((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                                                \
    return __atomic_compare_exchange_n(p, seen, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                         \
  }                                                                                                                    \
  HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* seen, type value, int order, int other) { \
    (void)order, (void)other;                                                                                          \
    look((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                                                \
    return __atomic_compare_exchange_n(p, seen, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                         \
  }                                                                                                                    \
  HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type seen, type value, int order, int other) { \
    (void)order, (void)other;                                                                                          \
    look((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                                                \
    __atomic_compare_exchange_n(p, &seen, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                               \
    return seen;                                                                                                       \
  }
#define ATOMIC_UPDATE(bits, type, name, function)                                            \
  HOOK type __tsan_atomic##bits##_##name(volatile type* p, type value, int order) {          \
    (void)order;                                                                             \
    look((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                      \
    return function(p, value, __ATOMIC_SEQ_CST);                                             \
  }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
HOOK void __tsan_atomic_thread_fence(int order) { (void)order, __atomic_thread_fence(__ATOMIC_SEQ_CST); }
HOOK void __tsan_atomic_signal_fence(int order) { (void)order; }

// ---- items ----

HIDDEN void hal_checked_begin(const hal_launch* launch) {
  const hal_checked* me = ((const hal_checked_launch*)launch)->checked;
  hal_self_offset = (unsigned long)me->offset;
  check = me->check;
}

HIDDEN void hal_checked_become(unsigned item, hal_index thread) {
  hal_checked* me = self();
  me->item = item;
  me->thread = thread;
}

static void next(hal_checked* me) {  // item
  me->item++;
  if (++me->thread.x < me->size.x) return;
  me->thread.x = 0;
  if (++me->thread.y < me->size.y) return;
  me->thread.y = 0;
  me->thread.z++;
}

static void leave_item(void) {
  hal_checked* me = self();
  __builtin_longjmp(me->out, 1);
}

// Items that never meet: one after the other. One that was abandoned is left out.
static __attribute__((noinline)) void group(const hal_launch* launch, hal_checked* me, unsigned items,
                                            void (*one)(const hal_launch*, const hal_checked*)) {
  if (__builtin_setjmp(me->out)) next(me);
  while (me->item < items) {
    one(launch, me);
    next(me);
  }
}

HIDDEN void hal_checked_items(const hal_launch* launch, unsigned long long first, unsigned long long count, hal_index size,
                              void (*one)(const hal_launch*, const hal_checked*)) {
  hal_checked* me = ((const hal_checked_launch*)launch)->checked;
  me->size = size;
  me->grid = launch->grid;
  me->abandon = leave_item;
  me->is_inside = 1;
  for (; count > 0; count--, first++) {
    me->group = first;
    me->block.x = (unsigned)(first % launch->grid.x);
    me->block.y = (unsigned)(first / launch->grid.x % launch->grid.y);
    me->block.z = (unsigned)(first / launch->grid.x / launch->grid.y);
    me->thread = (hal_index){0, 0, 0};
    me->item = 0;
    group(launch, me, size.x * size.y * size.z, one);
  }
  me->is_inside = 0;
}
