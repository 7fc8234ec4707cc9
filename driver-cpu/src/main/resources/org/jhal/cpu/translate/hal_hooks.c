// SPDX-License-Identifier: Apache-2.0
// What the instrumentation of checked kernels calls. It is compiled with them, without instrumentation, and hidden in their
// library: nothing else in the process finds these functions.
#include "hal_check.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define HOOK HIDDEN __attribute__((used))

extern const Elf64_Ehdr __ehdr_start HIDDEN;  // made by the linker: the start of this library

#define LIBRARY ((const char*)&__ehdr_start)

HIDDEN unsigned long hal_self_offset;  // kernels take it for a constant; set before the first of them runs
static hal_check* check;               // of the device that the library is loaded by

// What code finds that runs when the library is loaded, by the same thread. Before any other runs its code, hal_checked_begin is
// called.
static hal_checked nobody;
static __thread hal_checked* before = &nobody;
__attribute__((constructor(101))) static void begin_loading(void) {
  hal_self_offset = (unsigned long)((char*)&before - hal_thread_pointer());
}

static inline hal_checked* self(void) {
  return *(hal_checked**)(hal_thread_pointer() + hal_self_offset);
}

_Static_assert(sizeof(hal_site) == 64 && offsetof(hal_checked, site) == 0, "CheckedAssembly has these numbers");
HIDDEN __thread char hal_anchor;  // Java finds it among the variables of the library
__attribute__((weak)) HIDDEN unsigned hal_site_count = 0;  // how many accesses compare addresses themselves

// ---- findings ----

static unsigned long long code(const void* pc) {
  return pc ? (unsigned long long)((const char*)pc - 1 - LIBRARY) : 0;  // within the call
}

static hal_finding finding(unsigned kind, const void* pc) {
  hal_checked* me = self();
  return (hal_finding){.kind = kind, .range = -1, .at = code(pc), .group = me->group, .item = me->item, .other_item = -1};
}

static hal_finding of_access(unsigned kind, const char* p, size_t size, unsigned access, const hal_range* range, const void* pc) {
  hal_finding found = finding(kind, pc);
  found.access = access;
  found.size = (unsigned)size;
  found.address = (uintptr_t)p;
  if (range) {
    found.range = range->number;
    found.offset = p - range->base;
  }
  return found;
}

static void report_access(unsigned kind, const char* p, size_t size, unsigned access, const hal_range* range, const void* pc) {
  hal_finding found = of_access(kind, p, size, access, range, pc);
  check->report(check, &found);
}

// ---- races ----

// The lower bits of what an access is; above them is the number of the place.
enum { MASK = 15, ATOMIC = 16, SEVERAL_ITEMS = 32, SEVERAL_GROUPS = 64, PLACE = 7 };
enum { WRITTEN = ATOMIC };  // of a read: it is a plain write that an atomic one of its group has followed
enum { PLACES = 512, CODES = 1 << 18, CODE_SHIFT = 2 };  // a call has at least 5 bytes on x86-64, and 4 on ARM

// Of the hooks alone: kernels may not use it, although it is in their library.
static struct {
  // Places in the code are numbered when they are first seen; 0 is any other.
  unsigned short numbers[CODES];
  const void* places[PLACES];
  unsigned place_count;
  // Code mostly goes on in the range that it was in before: 1 and the index of a range of the dispatch, or, from HAL_RANGES
  // on, of one of the thread; 0 if it has been in none.
  unsigned short ranges[CODES];
} known;

static inline unsigned number_of(const void* pc) {
  size_t at = (size_t)((const char*)pc - LIBRARY) >> CODE_SHIFT;
  if (at >= CODES) return 0;
  unsigned number = known.numbers[at];
  if (__builtin_expect(number != 0, 1)) return number;
  number = __atomic_add_fetch(&known.place_count, 1, __ATOMIC_RELAXED);
  if (number >= PLACES) {
    __atomic_store_n(&known.place_count, PLACES, __ATOMIC_RELAXED);
    return 0;
  }
  known.places[number] = pc;
  known.numbers[at] = (unsigned short)number;
  return number;
}

static inline unsigned serial_of(unsigned who) { return who >> HAL_ITEM_BITS; }
static inline unsigned item_of(unsigned who) { return who & (HAL_MOST_ITEMS - 1); }

// Of another interval of the group; 0 if there are no more.
static unsigned new_serial(hal_checked* me) {
  unsigned serial = __atomic_fetch_add(&check->next, 1, __ATOMIC_RELAXED);
  if (serial >= 1u << HAL_SERIAL_BITS) return 0;
  check->groups[serial] = (unsigned)me->group;
  return serial;
}

// Whether what another group has done was published before this one has looked.
static __attribute__((noinline)) int is_published(hal_checked* me, unsigned who) {
  if (check->has_lost_nodes) return 1;
  unsigned serial = serial_of(who), group = check->groups[serial];
  for (unsigned i = 0; i < me->acquired; i++) {
    hal_node* node = me->acquire[i].node;
    unsigned count = me->acquire[i].count, at = node->hint < count ? node->hint : 0;
    for (unsigned left = count; left > 0; left--, at = at + 1 < count ? at + 1 : 0) {
      const hal_release* one = node->releases + at;
      if (one->group == group &&
          (serial < one->before || (item_of(one->own) == item_of(who) && serial <= serial_of(one->own)))) {
        node->hint = at;
        return 1;
      }
    }
  }
  return 0;
}

// Whether an access of this dispatch is not ordered before what the present item does now.
static inline int is_unordered(hal_checked* me, unsigned who) {
  unsigned serial = serial_of(who);
  if (check->groups[serial] != (unsigned)me->group) return !is_published(me, who);
  if (serial < me->since) return 0;
  unsigned item = item_of(who);
  if (item == me->item) return 0;
  return !(me->has_clocks && item >> 5 == me->item >> 5 && me->clocks[me->item][item & 31] > serial);
}

// The second of two writes is over: whether both have written the same value.
static __attribute__((noinline)) void end_pending(hal_checked* me) {
  me->has_pending = 0;
  const char* now = (const char*)(uintptr_t)me->pending.address;
  unsigned same = 0;
  while (same < me->pending.size && now[same] == me->before[same]) same++;
  if (same == me->pending.size) me->pending.other_access |= HAL_IS_SAME;
  check->report(check, &me->pending);
}

static __attribute__((noinline)) void race(hal_checked* me, char* p, unsigned size, unsigned access, const hal_range* range,
                                           const void* pc, hal_access other, unsigned other_access) {
  hal_finding found = of_access(HAL_RACE, p, size, access, range, pc);
  unsigned serial = serial_of(other.who);
  int is_own = item_of(other.who) == me->item && check->groups[serial] == (unsigned)me->group;  // then another has read it, too
  found.other_at = code(known.places[other.what >> PLACE]);
  found.other_group = check->groups[serial];
  found.other_item = is_own ? -1 : (long long)item_of(other.who);
  found.other_access = other_access | (other.what & ATOMIC ? HAL_IS_ATOMIC : 0);
  int compares = (access & other_access & HAL_IS_WRITE) && !((access | found.other_access) & HAL_IS_ATOMIC) && size <= sizeof me->before;
  // The write itself is still to come if it is the one that waits: it may be unordered with several others.
  const hal_finding* waits = me->has_pending ? &me->pending : NULL;
  int is_again = waits && waits->address == found.address && waits->at == found.at && waits->item == found.item && waits->group == found.group;
  if (waits && !is_again) end_pending(me);
  if (is_again && compares && waits->other_at == found.other_at) return;
  if (!compares || is_again) {
    check->report(check, &found);
    return;
  }
  me->pending = found;
  me->has_pending = 1;
  for (unsigned i = 0; i < size; i++) me->before[i] = p[i];
}

static inline __attribute__((always_inline)) hal_access last(hal_access* of) {
  hal_access access;
  __atomic_load(of, &access, __ATOMIC_SEQ_CST);
  return access;
}

static inline int is_equal(hal_access a, hal_access b) { return a.who == b.who && a.what == b.what; }

// Says that there is an access, and returns the one before. Two threads each announce theirs before they look for the other's.
static inline __attribute__((always_inline)) hal_access announce(hal_access* of, hal_access access, int is_alone) {
  hal_access before = *of;
  if (is_alone) {
    *of = access;
  } else {
    __atomic_exchange(of, &access, &before, __ATOMIC_SEQ_CST);
  }
  return before;
}

// Announces an access after `before`; returns 0 if there is another one.
static inline __attribute__((always_inline)) int follow(hal_access* of, hal_access before, hal_access access, int is_alone) {
  if (!is_alone) return __atomic_compare_exchange(of, &before, &access, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  *of = access;
  return 1;
}

// A read of bytes after those that are known: which one a cell has from now on.
static inline hal_access joined(hal_checked* me, hal_access read, unsigned mask, unsigned old, const void* pc) {
  unsigned own = me->own, serial = serial_of(read.who), both = read.what & mask;
  if (read.who == own) {
    if (!(read.what & (SEVERAL_ITEMS | SEVERAL_GROUPS))) read.what |= mask;
    return read;
  }
  if (read.who >= old && both) {
    if (read.what & SEVERAL_GROUPS) return read;
    int is_other_group = serial != serial_of(own) && check->groups[serial] != (unsigned)me->group;
    if (is_other_group || serial >= me->since) {
      unsigned flag = is_other_group ? SEVERAL_GROUPS : SEVERAL_ITEMS;
      if (!(read.what & flag)) read.what = (read.what & ~(unsigned)MASK) | both | flag;
      return read;
    }
  }
  return (hal_access){own, mask | number_of(pc) << PLACE};
}

static inline void record_read(hal_checked* me, hal_cell* cell, unsigned mask, unsigned old, int is_alone, const void* pc) {
  hal_access before, now;
  do {
    before = last(&cell->read);
    now = joined(me, before, mask, old, pc);
  } while (!is_equal(before, now) && !follow(&cell->read, before, now, is_alone));
}

// An atomic write is to replace a plain one, of which other groups must still learn: it stays in place of a read, unless one of
// another group would be forgotten.
static __attribute__((noinline)) void keep(hal_checked* me, hal_cell* cell, hal_access write, unsigned old, int is_alone) {
  unsigned group = (unsigned)me->group;
  if (check->groups[serial_of(write.who)] != group) return;
  hal_access read = last(&cell->read);
  if (read.who >= old && (read.what & MASK) &&
      ((read.what & SEVERAL_GROUPS) || check->groups[serial_of(read.who)] != group)) {
    return;
  }
  write.what |= WRITTEN;
  follow(&cell->read, read, write, is_alone);
}

// Compares an access with those before it, four bytes at a time, and remembers it.
static inline __attribute__((always_inline)) void compare(hal_checked* me, char* p, size_t size, unsigned access,
                                                          const hal_range* range, const void* pc) {
  unsigned own = me->own, old = range->flags & HAL_IS_SHARED ? me->old_shared : me->old;
  int is_alone = check->is_alone || (range->flags & HAL_IS_SHARED);
  size_t at = (size_t)(p - range->origin);
  hal_cell* cell = range->cells + (at >> 2);
  unsigned low = (unsigned)at & 3;
  int is_atomic = (access & HAL_IS_ATOMIC) || ((access & HAL_IS_VOLATILE) && !(range->flags & HAL_IS_SHARED));
  for (size_t left = size + low; ; cell++) {
    unsigned mask = left >= 4 ? MASK : (1u << left) - 1;
    mask &= MASK << low;
    hal_access write;
    if (access & HAL_IS_WRITE) {
      write = last(&cell->write);
      unsigned kept = write.who == own ? write.what & MASK : 0;
      hal_access now = {own, mask | kept | (is_atomic ? ATOMIC : 0) | number_of(pc) << PLACE};
      if (!is_equal(write, now)) write = announce(&cell->write, now, is_alone);
    } else {
      if (!is_atomic) record_read(me, cell, mask, old, is_alone, pc);
      write = last(&cell->write);
    }
    if (write.who != own && write.who >= old && (write.what & mask) && !(is_atomic && (write.what & ATOMIC)) &&
        is_unordered(me, write.who)) {
      race(me, p, (unsigned)size, access, range, pc, write, HAL_IS_WRITE);
    }
    if (access & HAL_IS_WRITE) {
      hal_access read = last(&cell->read);
      if (read.who >= old && (read.what & mask) &&
          (((read.what & SEVERAL_GROUPS) && !check->nodes) ||
           (read.who == own ? read.what & SEVERAL_ITEMS : is_unordered(me, read.who)))) {
        hal_access other = {read.who, read.what & ~(unsigned)ATOMIC};
        race(me, p, (unsigned)size, access, range, pc, other, read.what & WRITTEN ? HAL_IS_WRITE : 0);
      }
      if (is_atomic && write.who >= old && (write.what & mask) && !(write.what & ATOMIC)) keep(me, cell, write, old, is_alone);
    }
    if (left <= 4) break;
    left -= 4;
    low = 0;
  }
}

// ---- publication ----

// An atomic operation: what was done before a fence is published to whoever does one at the same place afterwards.
static __attribute__((noinline)) void publish(hal_checked* me, char* p) {
  check->lock(check, 1);
  hal_node* node = 0;
  for (unsigned i = 0; i < check->nodes && !node; i++) {
    if (check->node[i].at == p) node = check->node + i;
  }
  if (!node && me->fence && check->nodes < HAL_NODES) {
    node = check->node + check->nodes++;
    node->at = p;
    node->count = 0;
  } else if (!node && me->fence) {
    check->has_lost_nodes = 1;
  }
  if (node && node->count > 0) {
    unsigned i = 0;
    while (i < me->acquired && me->acquire[i].node != node) i++;
    if (i < HAL_NODES) {
      me->acquire[i] = (hal_acquired){node, node->count};
      if (i == me->acquired) me->acquired++;
    }
  }
  if (node && me->fence) {
    if (node->count == node->room) {
      unsigned room = node->room ? 2 * node->room : 64;
      void* more = check->grow(node->releases, room * sizeof *node->releases);
      if (more) {
        node->releases = more;
        node->room = room;
      } else {
        check->has_lost_nodes = 1;
      }
    }
    if (node->count < node->room) node->releases[node->count++] = (hal_release){(unsigned)me->group, me->since, me->fence};
  }
  check->lock(check, 0);
}

// ---- values ----

static inline int is_written(const hal_range* range, size_t at, size_t size) {
  const unsigned char* bits = range->written;
  if (size <= 4 && (at & 7) + size <= 8) {
    unsigned mask = ((1u << size) - 1) << (at & 7);
    return (bits[at >> 3] & mask) == mask;
  }
  for (size_t end = at + size; at < end;) {  // padding of a struct is not written
    size_t next = (at & ~(size_t)3) + 4 < end ? (at & ~(size_t)3) + 4 : end;
    unsigned mask = ((1u << (next - at)) - 1) << (at & 7);
    if (!(bits[at >> 3] & mask)) return 0;
    at = next;
  }
  return 1;
}

static __attribute__((noinline)) void note_first(hal_range* range, const void* pc) {
  unsigned long long none = 0;
  if (!__atomic_compare_exchange_n(&range->first_at, &none, code(pc), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  range->first_group = self()->group;
  range->first_item = self()->item;
}

static inline void set_written(hal_range* range, size_t at, size_t size, const void* pc) {
  unsigned char* bits = range->written;
  int is_alone = check->is_alone || (range->flags & HAL_IS_SHARED);
  for (size_t end = at + size; at < end;) {
    size_t next = (at & ~(size_t)7) + 8 < end ? (at & ~(size_t)7) + 8 : end;
    unsigned mask = ((1u << (next - at)) - 1) << (at & 7);
    if ((bits[at >> 3] & mask) != mask) {
      if (is_alone) {
        bits[at >> 3] |= (unsigned char)mask;
      } else {
        __atomic_fetch_or(bits + (at >> 3), (unsigned char)mask, __ATOMIC_RELAXED);
      }
      if (!range->first_at) note_first(range, pc);
    }
    at = next;
  }
}

// ---- accesses ----

// How far an access is outside a range, in bytes; 0 if it is inside.
static size_t distance(const hal_range* range, const char* p, size_t size) {
  const char* end = range->base + range->size;
  if (p < range->base) return (size_t)(range->base - p);
  return p + size > end ? (size_t)(p + size - end) : 0;
}

static const hal_range* nearer(const hal_range* a, const hal_range* b, const char* p, size_t size) {
  return !a || distance(b, p, size) < distance(a, p, size) ? b : a;
}

// An access inside a range.
static inline __attribute__((always_inline)) void inside(char* p, size_t size, unsigned access, const hal_range* range,
                                                         const void* pc) {
  if (range->cells) {
    hal_checked* me = self();
    if (me->own) compare(me, p, size, access, range, pc);
  }
  if (range->written) {
    size_t at = (size_t)(p - range->origin);
    if ((!(access & HAL_IS_WRITE) || (access & HAL_IS_ATOMIC)) && !is_written(range, at, size)) {
      report_access(HAL_UNWRITTEN, p, size, access, range, pc);
    }
    if (access & HAL_IS_WRITE) set_written((hal_range*)range, at, size, pc);
  }
}

// A write to a buffer that is only read. The same memory may be given as another one, too.
static __attribute__((noinline)) void read_only(char* p, size_t size, unsigned access, const hal_range* range, const void* pc) {
  for (unsigned i = 0; i < check->count; i++) {
    const hal_range* other = check->ranges + i;
    if (!(other->flags & HAL_IS_READ_ONLY) && distance(other, p, size) == 0) return;
  }
  report_access(HAL_READ_ONLY, p, size, access, range, pc);
}

static void abandon(hal_checked* me) {
  me->is_abandoned = 1;
  me->is_inside = 0;
  me->abandon();
}

static int is_allocated(const char* p);

enum { HAL_NEAR = 4096 };

// Whether an address is among the variables of the thread, which lie above its stack.
static int is_variable(const hal_checked* me, const char* p) {
  for (unsigned i = 0; i < me->ranges; i++) {
    if (me->shared[i].number != HAL_DYNAMIC && distance(me->shared + i, p, 1) <= 64) return 1;
  }
  return 0;
}

// Whether an address is in memory of the form. Between the parts of it, the heap may have put anything.
static int is_private(const hal_checked* me, const char* p) {
  for (unsigned i = 0; i < me->parts; i++) {
    if (p >= me->part[i].low && p < me->part[i].high) return 1;
  }
  return 0;
}

static int is_over(const char* p, size_t size, const void* what, size_t bytes) {
  return p + size > (const char*)what && p < (const char*)what + bytes;
}

// Whether an access is to a variable or a constant outside functions. What is far outside a buffer may be in the library, too:
// its code, or what it only reads, cannot be written.
static int is_global(const char* p, size_t size, unsigned access) {
  if (is_over(p, size, &known, sizeof known) || is_over(p, size, &nobody, sizeof nobody)) return 0;
  const Elf64_Phdr* part = (const Elf64_Phdr*)(LIBRARY + __ehdr_start.e_phoff);
  int is_inside = 0;
  for (int i = 0; i < __ehdr_start.e_phnum; i++, part++) {
    size_t at = (size_t)(p - (LIBRARY + part->p_vaddr));
    if (at >= part->p_memsz || part->p_memsz - at < size) continue;
    if (part->p_type == PT_GNU_RELRO && (access & HAL_IS_WRITE)) return 0;
    if (part->p_type == PT_LOAD) is_inside = !(part->p_flags & PF_X) && (!(access & HAL_IS_WRITE) || (part->p_flags & PF_W));
  }
  return is_inside;
}

// An access that is not inside a buffer of the dispatch, nor on the stack of the item.
static __attribute__((noinline)) const hal_range* elsewhere(char* p, size_t size, unsigned access, const void* pc) {
  hal_checked* me = self();
  if (!me || !me->is_inside) return NULL;
  if (p >= me->form_low && p < me->form_high && !is_variable(me, p)) return NULL;  // where the form has its own variables
  const hal_range* nearest = NULL;
  for (unsigned i = 0; i < me->ranges; i++) {
    const hal_range* range = me->shared + i;
    size_t at = (size_t)(p - range->base);
    if (at < range->size && range->size - at >= size) {
      inside(p, size, access, range, pc);
      return range;
    }
    if (range->flags & HAL_IS_SHARED) nearest = nearer(nearest, range, p, size);
  }
  if (is_global(p, size, access)) return NULL;
  if (is_private(me, p)) return NULL;
  if (is_allocated(p) && !(nearest && distance(nearest, p, size) <= HAL_NEAR)) return NULL;
  for (unsigned i = 0; i < check->count; i++) nearest = nearer(nearest, check->ranges + i, p, size);
  report_access(HAL_OUTSIDE, p, size, access, nearest, pc);
  abandon(me);
  return NULL;
}

static inline int is_inside(const hal_range* range, const char* p, size_t size) {
  size_t at = (size_t)(p - range->base);
  return at < range->size && range->size - at >= size;
}

// An access to a range where the code was not before.
static __attribute__((noinline)) const hal_range* find(char* p, size_t size, unsigned access, unsigned short* last, const void* pc) {
  hal_check* by = check;
  hal_checked* me = self();
  const char* here = __builtin_frame_address(0);  // the stack of the item ends here
  if (me && me->is_inside && p >= (here > me->low && here < me->high ? here : me->low) && p < me->high) return NULL;
  for (unsigned i = 0; i < by->count; i++) {
    if (!is_inside(by->ranges + i, p, size)) continue;
    *last = (unsigned short)(i + 1);
    if ((access & HAL_IS_WRITE) && (by->ranges[i].flags & HAL_IS_READ_ONLY)) read_only(p, size, access, by->ranges + i, pc);
    inside(p, size, access, by->ranges + i, pc);
    return by->ranges + i;
  }
  for (unsigned i = 0; me && i < me->ranges; i++) {
    if (is_inside(me->shared + i, p, size)) *last = (unsigned short)(i + HAL_RANGES);
  }
  return elsewhere(p, size, access, pc);
}

// Returns the range that it is inside of, if it is.
static inline __attribute__((always_inline)) const hal_range* look(void* address, size_t size, unsigned access, const void* pc) {
  char* p = address;
  hal_check* by = check;
  if (!by) return NULL;
  unsigned short* known_range = known.ranges + (((size_t)((const char*)pc - LIBRARY) >> CODE_SHIFT) & (CODES - 1));
  unsigned last = *known_range;
  const hal_range* range;
  if (last - 1 < by->count) {
    range = by->ranges + (last - 1);
    if (__builtin_expect((access & HAL_IS_WRITE) && (range->flags & HAL_IS_READ_ONLY), 0)) range = NULL;
  } else {
    hal_checked* me = self();
    range = last >= HAL_RANGES && me && me->is_inside && last - HAL_RANGES < me->ranges ? me->shared + (last - HAL_RANGES) : NULL;
  }
  if (__builtin_expect(range && is_inside(range, p, size), 1)) {
    inside(p, size, access, range, pc);
    return range;
  }
  return find(p, size, access, known_range, pc);
}

// ---- the usual accesses ----

// An access that is not where the code was last, or perhaps wrong. Remembers where it is.
static inline __attribute__((always_inline)) void look_at(unsigned number, void* p, size_t size, unsigned access, const void* pc) {
  const hal_range* range = look(p, size, access, pc);
  if (!range || range->size < size || ((access & HAL_IS_WRITE) && (range->flags & HAL_IS_READ_ONLY))) return;
  self()->site[number] = (hal_site){
      .base = range->base, .room = range->size - size + 1, .range = (hal_range*)range, .cells = range->cells,
      .written = range->written, .from = (unsigned long long)(range->base - range->origin), .place = number_of(pc) << PLACE,
      .is_alone = check->is_alone || (range->flags & HAL_IS_SHARED)};
}

// Whether an access of the dispatch was certainly before what the present item does now.
static inline __attribute__((always_inline)) int is_before(hal_checked* me, unsigned who, int is_shared) {
  unsigned serial = serial_of(who);
  return serial < me->since && (is_shared || check->groups[serial] == (unsigned)me->group);
}

// An access to four bytes, as `compare` has it, if it is certainly right; else returns 0, and compare looks at it.
static inline __attribute__((always_inline)) int is_fine(hal_checked* me, const hal_site* site, hal_cell* cell, unsigned mask,
                                                         unsigned access, unsigned own, unsigned old, int is_shared) {
  hal_access write = last(&cell->write), read = last(&cell->read), now = {own, mask | site->place};
  if (write.who != own && write.who >= old && (write.what & mask) && !is_before(me, write.who, is_shared)) return 0;
  if (!(access & HAL_IS_WRITE)) {
    if (read.who == own) return (read.what & mask) == mask;
    if (read.who < old || !(read.what & mask) || is_before(me, read.who, is_shared)) {
      if ((read.what & SEVERAL_GROUPS) && read.who >= old && (read.what & mask)) return 1;
      if (!follow(&cell->read, read, now, site->is_alone)) return 0;
      return site->is_alone || is_equal(last(&cell->write), write);
    }
    return (read.what & mask) == mask &&
           ((read.what & SEVERAL_GROUPS) || ((read.what & SEVERAL_ITEMS) && serial_of(read.who) == serial_of(own)));
  }
  if (read.who >= old && (read.what & mask)) {
    if (read.what & SEVERAL_GROUPS) return 0;
    if (read.who == own ? read.what & SEVERAL_ITEMS : !is_before(me, read.who, is_shared)) return 0;
  }
  if (write.who == own) now.what |= write.what & MASK;
  if (is_equal(write, now)) return 1;
  if (!follow(&cell->write, write, now, site->is_alone)) return 0;
  return site->is_alone || is_equal(last(&cell->read), read);
}

// An access that is where the code was last, and right. Else returns 0, and `look` finds everything as it was.
static inline __attribute__((always_inline)) int is_usual(unsigned number, char* p, size_t size, unsigned access) {
  hal_checked* me = self();
  const hal_site* site = me->site + number;
  size_t at = (size_t)(p - site->base);
  if (__builtin_expect(at >= site->room, 0)) return 0;
  at += site->from;
  if (size > 4 && (at & 3)) return 0;
  unsigned own = me->own;
  if (site->cells && own) {
    hal_cell* cell = site->cells + (at >> 2);
    int is_shared = site->range->flags & HAL_IS_SHARED;
    unsigned old = is_shared ? me->old_shared : me->old, low = (unsigned)at & 3;
    if (low + size > 4 && size <= 4) return 0;
    unsigned mask = size >= 4 ? MASK : ((1u << size) - 1) << low;
    for (size_t i = 0; i < (size + 3) / 4; i++) {
      if (__builtin_expect(!is_fine(me, site, cell + i, mask, access, own, old, is_shared), 0)) return 0;
    }
  }
  if (site->written) {
    unsigned char* bits = site->written + (at >> 3);
    if (size == 16 && !(at & 7) && bits[0] == 0xFF && bits[1] == 0xFF) return 1;
    if ((at & 7) + size > 8) return 0;
    unsigned mask = ((1u << size) - 1) << (at & 7);
    if ((*bits & mask) != mask) {
      if (!(access & HAL_IS_WRITE) || !site->is_alone || !site->range->first_at) return 0;
      *bits |= (unsigned char)mask;
    }
  }
  return 1;
}

static inline void look_atomic(void* address, size_t size, unsigned access, const void* pc) {
  look(address, size, access, pc);
  hal_checked* me = self();
  if (me && me->is_inside && check && (me->fence || check->nodes)) publish(me, address);
}

#define CALLER __builtin_return_address(0)
#define ACCESS(bytes)                                                                                  \
  static __attribute__((noinline)) void look_at_read##bytes(void* p, unsigned site, const void* pc) { look_at(site, p, bytes, 0, pc); } \
  static __attribute__((noinline)) void look_at_write##bytes(void* p, unsigned site, const void* pc) { look_at(site, p, bytes, HAL_IS_WRITE, pc); } \
  HOOK void hal_site_read##bytes(void* p, unsigned site) {                                             \
    if (!is_usual(site, p, bytes, 0)) look_at_read##bytes(p, site, CALLER);                            \
  }                                                                                                    \
  HOOK void hal_site_write##bytes(void* p, unsigned site) {                                            \
    if (!is_usual(site, p, bytes, HAL_IS_WRITE)) look_at_write##bytes(p, site, CALLER);                \
  }                                                                                                    \
  HOOK void __tsan_read##bytes(void* p) { look(p, bytes, 0, CALLER); }                                 \
  HOOK void __tsan_write##bytes(void* p) { look(p, bytes, HAL_IS_WRITE, CALLER); }                     \
  HOOK void __tsan_read##bytes##_pc(void* p, void* pc) { look(p, bytes, 0, pc); }                      \
  HOOK void __tsan_write##bytes##_pc(void* p, void* pc) { look(p, bytes, HAL_IS_WRITE, pc); }          \
  HOOK void __tsan_unaligned_read##bytes(void* p) { look(p, bytes, 0, CALLER); }                       \
  HOOK void __tsan_unaligned_write##bytes(void* p) { look(p, bytes, HAL_IS_WRITE, CALLER); }           \
  HOOK void __tsan_volatile_read##bytes(void* p) { look_atomic(p, bytes, HAL_IS_VOLATILE, CALLER); }            \
  HOOK void __tsan_volatile_write##bytes(void* p) { look_atomic(p, bytes, HAL_IS_VOLATILE | HAL_IS_WRITE, CALLER); } \
  HOOK void __tsan_unaligned_volatile_read##bytes(void* p) { look_atomic(p, bytes, HAL_IS_VOLATILE, CALLER); }  \
  HOOK void __tsan_unaligned_volatile_write##bytes(void* p) { look_atomic(p, bytes, HAL_IS_VOLATILE | HAL_IS_WRITE, CALLER); } \
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

// Copies, which GCC does not instrument. The linker replaces the calls of kernels.
extern void* __real_memcpy(void* to, const void* from, size_t size);
extern void* __real_memmove(void* to, const void* from, size_t size);
extern void* __real_memset(void* to, int value, size_t size);
static inline void copies(void* to, const void* from, size_t size, const void* pc) {
  if (!size) return;
  look((void*)from, size, 0, pc);
  look(to, size, HAL_IS_WRITE, pc);
}
#define COPY(name, function)                                          \
  HOOK void* name(void* to, const void* from, size_t size) {          \
    copies(to, from, size, CALLER);                                   \
    return function(to, from, size);                                  \
  }
COPY(__tsan_memcpy, __real_memcpy)
COPY(__wrap_memcpy, __real_memcpy)
COPY(__tsan_memmove, __real_memmove)
COPY(__wrap_memmove, __real_memmove)
#define SET(name)                                                     \
  HOOK void* name(void* to, int value, size_t size) {                 \
    if (size) look(to, size, HAL_IS_WRITE, CALLER);                   \
    return __real_memset(to, value, size);                            \
  }
SET(__tsan_memset)
SET(__wrap_memset)

#define ATOMICS(bits, type)                                                                                            \
  HOOK type __tsan_atomic##bits##_load(const volatile type* p, int order) {                                            \
    (void)order;                                                                                                       \
    look_atomic((void*)p, sizeof(type), HAL_IS_ATOMIC, CALLER);                                                               \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                       \
  }                                                                                                                    \
  HOOK void __tsan_atomic##bits##_store(volatile type* p, type value, int order) {                                     \
    (void)order;                                                                                                       \
    look_atomic((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                                                \
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
    look_atomic((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                                                \
    return __atomic_compare_exchange_n(p, seen, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                         \
  }                                                                                                                    \
  HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* seen, type value, int order, int other) { \
    (void)order, (void)other;                                                                                          \
    look_atomic((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                                                \
    return __atomic_compare_exchange_n(p, seen, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                         \
  }                                                                                                                    \
  HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type seen, type value, int order, int other) { \
    (void)order, (void)other;                                                                                          \
    look_atomic((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                                                \
    __atomic_compare_exchange_n(p, &seen, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                               \
    return seen;                                                                                                       \
  }
#define ATOMIC_UPDATE(bits, type, name, function)                                            \
  HOOK type __tsan_atomic##bits##_##name(volatile type* p, type value, int order) {          \
    (void)order;                                                                             \
    look_atomic((void*)p, sizeof(type), HAL_IS_ATOMIC | HAL_IS_WRITE, CALLER);                      \
    return function(p, value, __ATOMIC_SEQ_CST);                                             \
  }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
HOOK void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  hal_checked* me = self();
  if (!me || !me->is_inside) return;
  me->fence = me->fences[me->item] = me->own;
  if (!me->own || check->next - check->first > 1u << (HAL_SERIAL_BITS - 2)) return;
  unsigned serial = new_serial(me);  // what the item does from now on, the fence does not publish
  me->serials[me->item] = serial;
  me->own = serial << HAL_ITEM_BITS | me->item;
}
HOOK void __tsan_atomic_signal_fence(int order) { (void)order; }

// ---- what the compiler's checks of undefined behaviour call ----

typedef struct {
  const char* file;
  unsigned line, column;
} place_in_source;

static void undefined(unsigned kind, const void* pc) {
  hal_checked* me = self();
  if (!check || !me || !me->is_inside) return;
  hal_finding found = finding(kind, pc);
  check->report(check, &found);
  if (kind == HAL_DIVISION) abandon(me);
}
HOOK void __ubsan_handle_shift_out_of_bounds(void* data, void* left, void* right) { undefined(HAL_SHIFT, CALLER); }
HOOK void __ubsan_handle_divrem_overflow(void* data, void* left, void* right) { undefined(HAL_DIVISION, CALLER); }
HOOK void __ubsan_handle_float_cast_overflow(void* data, void* from) { undefined(HAL_CONVERSION, CALLER); }
HOOK void __ubsan_handle_alignment_assumption(void* data, unsigned long at, unsigned long alignment, unsigned long offset) {}
HOOK void __ubsan_handle_type_mismatch_v1(void* data, void* at) {
  hal_checked* me = self();
  if (!check || !me || !me->is_inside) return;
  if (!at || ((uintptr_t)at & (((size_t)1 << ((const unsigned char*)data)[24]) - 1)) == 0) return;  // null: at the access
  const hal_range* nearest = NULL;
  for (unsigned i = 0; i < check->count; i++) nearest = nearer(nearest, check->ranges + i, at, 1);
  for (unsigned i = 0; i < me->ranges; i++) {
    if (me->shared[i].flags & HAL_IS_SHARED) nearest = nearer(nearest, me->shared + i, at, 1);
  }
  report_access(HAL_MISALIGNED, at, (size_t)1 << ((const unsigned char*)data)[24], 0, nearest, CALLER);
}

// ---- memory of the kernel's own ----

// What kernels allocate is the C heap's. Addresses near its blocks are not looked at further.
extern void* malloc(size_t size);
extern void free(void* at);
static char *heap_low, *heap_high;
static int is_allocated(const char* p) {
  return p >= __atomic_load_n(&heap_low, __ATOMIC_RELAXED) && p < __atomic_load_n(&heap_high, __ATOMIC_RELAXED);
}
HIDDEN void* hal_checked_allocated(void* made, size_t size) {
  char* at = made;
  if (!at) return at;
  char *low = heap_low, *high = heap_high;
  while (!low || at < low) if (__atomic_compare_exchange_n(&heap_low, &low, at, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
  while (at + size > high) if (__atomic_compare_exchange_n(&heap_high, &high, at + size, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
  return at;
}

// ---- items ----

// All items go on in another interval.
static void begin_interval(hal_checked* me) {
  unsigned serial = check->groups ? new_serial(me) : 0;
  me->since = serial;
  for (unsigned i = 0; i < me->items; i++) me->serials[i] = serial;
  me->own = serial ? serial << HAL_ITEM_BITS | me->item : 0;
  me->has_clocks = 0;
}

HIDDEN void hal_checked_begin(const hal_launch* launch, hal_index size) {
  hal_checked* me = ((const hal_checked_launch*)launch)->checked;
  hal_self_offset = (unsigned long)me->offset;
  check = me->check;
  me->size = size;
  me->grid = launch->grid;
  me->items = size.x * size.y * size.z;
  me->old = check->first << HAL_ITEM_BITS;
  me->low = me->thread_low;
  me->high = me->form_low = __builtin_frame_address(0);
  me->form_high = me->high + HAL_FORM < me->thread_high ? me->high + HAL_FORM : me->thread_high;
  me->ranges = 0;
  me->parts = 0;
  for (unsigned i = 0; i < hal_site_count; i++) me->site[i].room = 0;
  me->has_pending = me->is_abandoned = 0;
  char* variables = &hal_anchor - check->anchor;
  for (unsigned i = 0; i < check->variables; i++) {
    me->shared[me->ranges++] = (hal_range){
        .base = variables + check->variable[i].offset, .size = check->variable[i].size, .number = HAL_SHARED + (int)i,
        .flags = check->variable[i].is_shared ? HAL_IS_SHARED : 0};
  }
  if (me->dynamic_size) {
    me->shared[me->ranges++] =
        (hal_range){.base = me->dynamic, .size = me->dynamic_size, .number = HAL_DYNAMIC, .flags = HAL_IS_SHARED};
  }
  size_t cells = 0, bits = 0;
  for (unsigned i = 0; i < me->ranges; i++) {
    if (!(me->shared[i].flags & HAL_IS_SHARED)) continue;
    cells += (me->shared[i].size + 3) / 4 + 1;
    bits += (me->shared[i].size + 7) / 8 + 8;
  }
  me->shared_bytes = bits;
  me->shared_written = NULL;
  char* memory = me->ranges ? launch->memory(cells * sizeof(hal_cell) + bits) : NULL;
  if (memory) __real_memset(memory, 0, cells * sizeof(hal_cell) + bits);
  hal_cell* cell = (hal_cell*)memory;
  if (memory) me->shared_written = memory + cells * sizeof(hal_cell);
  char* bit = me->shared_written;
  for (unsigned i = 0; i < me->ranges; i++) {
    hal_range* range = me->shared + i;
    range->origin = range->base;
    if (!(range->flags & HAL_IS_SHARED)) continue;
    if (check->what & HAL_CHECKS_RACES) range->cells = cell;
    if (check->what & HAL_CHECKS_VALUES) range->written = (unsigned char*)bit;
    cell += (range->size + 3) / 4 + 1;
    bit += (range->size + 7) / 8 + 8;
  }
}

HIDDEN void hal_checked_end(void) {
  hal_checked* me = self();
  if (me->has_pending) end_pending(me);
  me->is_inside = 0;
}

// Memory that a form has for itself.
HIDDEN void hal_checked_private(const void* low, const void* high) {
  hal_checked* me = self();
  me->part[me->parts].low = low;
  me->part[me->parts++].high = high;
}

HIDDEN void hal_checked_group(unsigned long long group, hal_index block) {
  hal_checked* me = self();
  me->group = group;
  me->block = block;
  me->item = 0;
  me->acquired = 0;
  me->fence = 0;
  me->has_ended = 0;
  for (unsigned i = 0; i < me->items; i++) me->fences[i] = me->ended[i] = 0, me->places[i] = NULL;
  begin_interval(me);
  me->old_shared = me->since << HAL_ITEM_BITS;
  if (me->shared_written) __real_memset(me->shared_written, 0, me->shared_bytes);
  me->is_inside = 1;
}

HIDDEN void hal_checked_become(unsigned item, hal_index thread, char* low, char* high, void (*abandon)(void)) {
  hal_checked* me = self();
  if (me->has_pending) end_pending(me);
  me->item = item;
  me->thread = thread;
  me->own = me->serials[item] ? me->serials[item] << HAL_ITEM_BITS | item : 0;
  me->fence = me->fences[item];
  me->low = low;
  me->high = high;
  me->abandon = abandon;
  me->is_inside = 1;
}

static void next(hal_checked* me) {  // item
  if (me->has_pending) end_pending(me);
  me->is_abandoned = 0;
  me->is_inside = 1;
  me->item++;
  if (me->own) me->own++;
  me->fence = 0;
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
static __attribute__((noinline)) void run_group(const hal_launch* launch, hal_checked* me,
                                                void (*one)(const hal_launch*, const hal_checked*)) {
  if (__builtin_setjmp(me->out)) next(me);
  while (me->item < me->items) {
    one(launch, me);
    next(me);
  }
}

HIDDEN void hal_checked_items(const hal_launch* launch, unsigned long long first, unsigned long long count,
                              void (*one)(const hal_launch*, const hal_checked*)) {
  hal_checked* me = ((const hal_checked_launch*)launch)->checked;
  me->abandon = leave_item;
  for (; count > 0; count--, first++) {
    hal_index block = {(unsigned)(first % launch->grid.x), (unsigned)(first / launch->grid.x % launch->grid.y),
                       (unsigned)(first / launch->grid.x / launch->grid.y)};
    hal_checked_group(first, block);
    me->thread = (hal_index){0, 0, 0};
    run_group(launch, me, one);
  }
  hal_checked_end();
}

// ---- where items meet ----

// From where the present item calls a function by which it meets others.
HIDDEN __attribute__((noinline)) void hal_checked_note(const void* place) { self()->place = place; }

// An item comes to where it meets others. Returns from where it calls that.
HIDDEN const void* hal_checked_arrive(unsigned item, int is_barrier) {
  hal_checked* me = self();
  if (is_barrier) me->places[item] = me->place;
  return me->place;
}

// All items that have not ended have come to a barrier.
HIDDEN void hal_checked_barrier(void) {
  hal_checked* me = self();
  if (check->what & HAL_CHECKS_BARRIERS) {
    unsigned first = 0, ended = me->items;
    while (first < me->items && !me->places[first]) first++;
    for (unsigned i = 0; i < me->items; i++) {
      if (me->ended[i] == 1 && ended == me->items) ended = i;
      if (me->places[i] && me->places[i] != me->places[first]) {
        hal_finding found = finding(HAL_DIVERGED, me->places[first]);
        found.item = first;
        found.other_at = code(me->places[i]);
        found.other_group = me->group;
        found.other_item = i;
        check->report(check, &found);
        break;
      }
    }
    if (ended < me->items && first < me->items) {
      hal_finding found = finding(HAL_ENDED, me->places[first]);
      found.item = first;
      found.other_group = me->group;
      found.other_item = ended;
      found.mask = me->has_ended;
      check->report(check, &found);
    }
  }
  for (unsigned i = 0; i < me->items; i++) me->places[i] = NULL;
  begin_interval(me);
}

HIDDEN void hal_checked_leave(unsigned item) {
  hal_checked* me = self();
  me->ended[item] = me->is_abandoned ? 2 : 1;
  me->has_ended += !me->is_abandoned;
  me->is_abandoned = 0;
}

// Items of a warp have met: each of them knows what the others have done before.
HIDDEN void hal_checked_meet(unsigned warp, unsigned mask) {
  hal_checked* me = self();
  if (!me->own) return;
  unsigned first = warp * 32, known[32] = {0};
  if (!me->has_clocks) {
    __real_memset(me->clocks, 0, me->items * sizeof *me->clocks);
    me->has_clocks = 1;
  }
  for (unsigned lane = 0; lane < 32; lane++) {
    if (!(mask >> lane & 1)) continue;
    for (unsigned i = 0; i < 32; i++) {
      unsigned one = me->clocks[first + lane][i];
      if (one > known[i]) known[i] = one;
    }
  }
  unsigned serial = new_serial(me);
  for (unsigned lane = 0; lane < 32; lane++) {
    if (mask >> lane & 1) known[lane] = serial;
  }
  for (unsigned lane = 0; lane < 32; lane++) {
    if (!(mask >> lane & 1)) continue;
    __real_memcpy(me->clocks[first + lane], known, sizeof known);
    me->serials[first + lane] = serial;
  }
  unsigned now = me->serials[me->item];
  me->own = now ? now << HAL_ITEM_BITS | me->item : 0;
}

// Items wait for others that never come: `item` is one of them, for the lanes of `mask`; 0 at a barrier.
HIDDEN void hal_checked_stuck(unsigned item, unsigned long long mask) {
  hal_checked* me = self();
  hal_finding found = finding(HAL_ABSENT, me->places[item] ? me->places[item] : me->place);
  found.item = item;
  found.mask = mask;
  check->report(check, &found);
}
