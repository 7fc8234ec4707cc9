// SPDX-License-Identifier: Apache-2.0
// The runtime's part of checked kernels: what a dispatch may use, and what was found. See hal_check.h.
#include "hal_runtime.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static __thread hal_checked* own __attribute__((tls_model("initial-exec")));  // for kernels, by its offset

typedef struct {
  hal_check shared;  // with kernels; the first member
  pthread_mutex_t lock, nodes_lock;
  int references;  // the device, and each shadow: memory may live longer than the device
  struct hal_shadow* shadows;  // these guarded by the lock
  int found;
  hal_finding findings[HAL_FINDINGS];
} checker;

// Whether the same happens at the same place. Whether values are the same does not matter.
static int is_same(const hal_finding* a, const hal_finding* b) {
  return a->kind == b->kind && a->at == b->at && a->range == b->range && a->access == b->access && a->other_at == b->other_at &&
         !((a->other_access ^ b->other_access) & ~HAL_IS_SAME);
}

// Each finding once, with a count.
static void report(hal_check* check, const hal_finding* finding) {
  checker* of = (checker*)check;
  pthread_mutex_lock(&of->lock);
  int i = 0;
  while (i < of->found && !is_same(of->findings + i, finding)) i++;
  hal_finding* known = of->findings + i;
  if (i == of->found && i < HAL_FINDINGS) {
    *known = *finding;
    known->count = 0;
    of->found++;
  } else if (i < of->found && (known->other_access & HAL_IS_SAME) && !(finding->other_access & HAL_IS_SAME)) {
    unsigned long long count = known->count;  // the one that matters
    *known = *finding;
    known->count = count;
  }
  if (i < HAL_FINDINGS) known->count++;
  pthread_mutex_unlock(&of->lock);
}

static void lock(hal_check* check, int locks) {
  pthread_mutex_t* of = &((checker*)check)->nodes_lock;
  locks ? pthread_mutex_lock(of) : pthread_mutex_unlock(of);
}

// The heap may be another thread's at work; kernels do not stop in it, since this is no code of theirs.
static void* grow(void* memory, unsigned long size) { return realloc(memory, size); }

int hal_check_enter(hal_thread* thread) {
  if (thread->checked) return 1;
  hal_checked* made = calloc(1, sizeof *made);
  if (!made) return 0;
  made->offset = (char*)&own - hal_thread_pointer();
  made->thread_low = thread->low;
  made->thread_high = thread->high;
  own = thread->checked = made;
  return 1;
}

// ---- for Java ----

enum { SERIALS = 1 << HAL_SERIAL_BITS };

// What is known of the bytes of a block.
typedef struct hal_shadow hal_shadow;
struct hal_shadow {
  hal_check* check;
  char* base;
  size_t size;
  hal_cell* cells;
  unsigned char* written;
  int is_all_written;
  hal_shadow *before, *after;  // in the list of the check
};

// Zeros, which take memory once they are written; NULL if there is none.
static void* zeros(size_t bytes) {
  void* made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return made == MAP_FAILED ? NULL : made;
}
static void give_back(void* made, size_t bytes) {
  if (made) munmap(made, bytes);
}

static size_t cells_of(size_t size) { return ((size + 3) / 4 + 1) * sizeof(hal_cell); }
static size_t bits_of(size_t size) { return (size + 7) / 8 + 8; }

// Returns NULL if there is no memory. `what`: the sum of what is checked. `threads`: that run kernels.
HAL_EXPORT hal_check* hal_check_make(int what, int threads) {
  checker* made = calloc(1, sizeof *made);
  if (!made) return NULL;
  hal_check* check = &made->shared;
  made->references = 1;
  pthread_mutex_init(&made->lock, NULL);
  pthread_mutex_init(&made->nodes_lock, NULL);
  check->what = (unsigned)what;
  check->is_alone = threads == 1;
  check->report = report;
  check->lock = lock;
  check->grow = grow;
  check->first = check->next = 1;
  if (what & HAL_CHECKS_RACES) check->groups = zeros(SERIALS * sizeof *check->groups);
  check->node = calloc(HAL_NODES, sizeof *check->node);
  if (check->node && (check->groups || !(what & HAL_CHECKS_RACES))) return check;
  free(check->node);
  free(made);
  return NULL;
}

static void drop(hal_check* check) {
  if (__atomic_sub_fetch(&((checker*)check)->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  for (int i = 0; i < HAL_NODES; i++) free(check->node[i].releases);
  free(check->node);
  give_back(check->groups, SERIALS * sizeof *check->groups);
  pthread_mutex_destroy(&((checker*)check)->lock);
  pthread_mutex_destroy(&((checker*)check)->nodes_lock);
  free(check);
}

HAL_EXPORT void hal_check_free(hal_check* check) {
  if (check) drop(check);
}

// Begins a dispatch, without ranges.
HAL_EXPORT void hal_check_begin(hal_check* check) {
  checker* of = (checker*)check;
  check->count = check->variables = 0;
  of->found = 0;
  check->nodes = 0;
  check->has_lost_nodes = 0;
  pthread_mutex_lock(&of->lock);
  if (check->next > SERIALS / 2) {  // what is known of dispatches before must not be taken for that of later ones
    for (hal_shadow* shadow = of->shadows; shadow; shadow = shadow->after) {
      if (shadow->cells) madvise(shadow->cells, cells_of(shadow->size), MADV_DONTNEED);
    }
    check->next = 1;
  }
  check->first = check->next;
  pthread_mutex_unlock(&of->lock);
}

// Keeps what is known of a block. Returns NULL if there is no memory.
HAL_EXPORT hal_shadow* hal_shadow_make(hal_check* check, char* base, unsigned long long size, int is_all_written) {
  hal_shadow* shadow = calloc(1, sizeof *shadow);
  if (!shadow) return NULL;
  *shadow = (hal_shadow){.check = check, .base = base, .size = size, .is_all_written = is_all_written};
  if (check->what & HAL_CHECKS_RACES) shadow->cells = zeros(cells_of(size));
  if ((check->what & HAL_CHECKS_VALUES) && !is_all_written) shadow->written = zeros(bits_of(size));
  checker* of = (checker*)check;
  __atomic_add_fetch(&of->references, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&of->lock);
  shadow->after = of->shadows;
  if (shadow->after) shadow->after->before = shadow;
  of->shadows = shadow;
  pthread_mutex_unlock(&of->lock);
  return shadow;
}

HAL_EXPORT void hal_shadow_free(hal_shadow* shadow) {
  if (!shadow) return;
  checker* of = (checker*)shadow->check;
  pthread_mutex_lock(&of->lock);
  if (shadow->after) shadow->after->before = shadow->before;
  *(shadow->before ? &shadow->before->after : &of->shadows) = shadow->after;
  pthread_mutex_unlock(&of->lock);
  give_back(shadow->cells, cells_of(shadow->size));
  give_back(shadow->written, bits_of(shadow->size));
  drop(shadow->check);
  free(shadow);
}

static int is_set(const unsigned char* bits, size_t at) { return bits[at >> 3] >> (at & 7) & 1; }
static void set(unsigned char* bits, size_t at) { bits[at >> 3] |= (unsigned char)(1 << (at & 7)); }

// Something else than a kernel has written bytes.
HAL_EXPORT void hal_shadow_written(hal_shadow* shadow, unsigned long long offset, unsigned long long size) {
  if (!shadow || !shadow->written) return;
  if (size == shadow->size) shadow->is_all_written = 1;
  size_t at = offset, end = offset + size;
  for (; at < end && (at & 7); at++) set(shadow->written, at);
  size_t whole = (end - at) / 8;
  memset(shadow->written + (at >> 3), 0xFF, whole);
  for (at += whole * 8; at < end; at++) set(shadow->written, at);
}

// Bytes were copied: those that nothing has written are not written in the copy.
HAL_EXPORT void hal_shadow_copied(hal_shadow* to, unsigned long long to_offset, hal_shadow* from, unsigned long long from_offset,
                                  unsigned long long size) {
  if (!from || !from->written || from->is_all_written) {
    hal_shadow_written(to, to_offset, size);
  } else if (to && to->written) {
    for (size_t i = 0; i < size; i++) {
      if (is_set(from->written, from_offset + i)) set(to->written, to_offset + i);
    }
  }
}

// Looks for elements that nothing has written, whole ones. Several beside each other count if they have 16 bytes: less may be
// what a struct has between its fields. A single place with less counts if its elements have 4 bytes or more. Returns how many
// there are, and writes where the first one is, from `offset`, in elements.
HAL_EXPORT long long hal_shadow_unwritten(hal_shadow* shadow, unsigned long long offset, unsigned long long size, int element,
                                          long long* first) {
  if (!shadow || !shadow->written || shadow->is_all_written) return 0;
  enum { PADDING = 16 };
  size_t count = 0, small = 0, small_runs = 0, small_first = 0, run = 0;
  size_t elements = size / (size_t)element;
  for (size_t i = 0; i <= elements; i++) {
    size_t at = offset + i * (size_t)element;
    if (!run) {
      while (i < elements && !(at & 7) && shadow->written[at >> 3] == 0xFF && element <= 8) i += 8 / (size_t)element, at += 8;
      if (i >= elements) break;
    }
    int is_unwritten = i < elements;
    for (size_t j = at; is_unwritten && j < at + (size_t)element; j++) is_unwritten = !is_set(shadow->written, j);
    if (is_unwritten) {
      run++;
    } else if (run * (size_t)element >= PADDING) {
      if (!count) *first = (long long)(i - run);
      count += run;
      run = 0;
    } else if (run) {
      small_first = i - run;
      small = run;
      small_runs++;
      run = 0;
    }
  }
  if (count || small_runs != 1 || element < 4) return (long long)count;
  *first = (long long)small_first;
  return (long long)small;
}

// Adds memory that the dispatch may use, a part of a block. Returns 0 if there is no room.
HAL_EXPORT int hal_check_range(hal_check* check, char* base, unsigned long long size, int number, int flags, hal_shadow* shadow) {
  if (check->count == HAL_RANGES) return 0;
  hal_range* range = check->ranges + check->count++;
  *range = (hal_range){.base = base, .size = size, .number = number, .flags = (unsigned)flags};
  if (shadow) {
    range->origin = shadow->base;
    range->cells = shadow->check == check ? shadow->cells : NULL;  // of another device's memory, cells have its serial numbers
    range->written = shadow->is_all_written ? NULL : shadow->written;
  }
  return 1;
}

// Adds a variable, by its place among the variables of a thread; those in shared memory come first. Returns 0 if there is no room.
HAL_EXPORT int hal_check_variable(hal_check* check, int anchor, int offset, int size, int is_shared) {
  check->anchor = (unsigned)anchor;
  if (check->variables == HAL_VARIABLES) return 0;
  check->variable[check->variables].offset = (unsigned)offset;
  check->variable[check->variables].is_shared = (unsigned)is_shared;
  check->variable[check->variables++].size = (unsigned)size;
  return 1;
}

// Where the dispatch has first written bytes that nothing had written, in a range by the number of its parameter: the code, from
// the start of its library, the group and the item. Returns 0 if it has not.
HAL_EXPORT int hal_check_first(hal_check* check, int number, long long* out) {
  for (unsigned i = 0; i < check->count; i++) {
    const hal_range* range = check->ranges + i;
    if (range->number != number || !range->first_at) continue;
    *out++ = (long long)range->first_at, *out++ = (long long)range->first_group, *out++ = range->first_item;
    return 1;
  }
  return 0;
}

static void write_item(const hal_check* check, hal_access access, int is_known, long long* out) {
  int is_of_dispatch = is_known && access.who >> HAL_ITEM_BITS >= check->first;
  out[0] = is_of_dispatch ? (long long)check->groups[access.who >> HAL_ITEM_BITS] : -1;
  out[1] = is_of_dispatch ? (long long)(access.who & (HAL_MOST_ITEMS - 1)) : -1;
}

// Writes for elements of a buffer, by the number of its parameter, whether they are inside, and the group and the item that have
// written each last, and that have read it; -1 if none has, or it is not known.
HAL_EXPORT void hal_check_touched(hal_check* check, int number, long long first, int count, int element, long long* out) {
  const hal_range* range = 0;
  for (unsigned i = 0; i < check->count; i++) {
    if (check->ranges[i].number == number) range = check->ranges + i;
  }
  for (int i = 0; i < count; i++, out += 5) {
    long long at = (first + i) * element;
    int is_inside = range && at >= 0 && (unsigned long long)(at + element) <= range->size;
    hal_cell cell = {0};
    if (is_inside && range->cells) cell = range->cells[(size_t)(range->base + at - range->origin) >> 2];
    unsigned mask = is_inside ? ((element >= 4 ? 16u : 1u << element) - 1) << ((size_t)(range->base + at - range->origin) & 3) & 15 : 0;
    out[0] = is_inside;
    write_item(check, cell.write, cell.write.what & mask, out + 1);
    write_item(check, cell.read, (cell.read.what & mask) && !(cell.read.what & 16), out + 3);
  }
}

// How many findings there are.
HAL_EXPORT int hal_check_found(hal_check* check) { return ((checker*)check)->found; }

// Writes a finding, each of its fields as a number, in the order of the struct.
HAL_EXPORT void hal_check_finding(hal_check* check, int index, long long* out) {
  const hal_finding* f = ((checker*)check)->findings + index;
  *out++ = f->kind, *out++ = f->access, *out++ = f->size, *out++ = f->range;
  *out++ = (long long)f->at, *out++ = (long long)f->address, *out++ = f->offset;
  *out++ = (long long)f->group, *out++ = f->item;
  *out++ = (long long)f->other_at, *out++ = (long long)f->other_group, *out++ = f->other_item, *out++ = f->other_access;
  *out++ = (long long)f->mask, *out++ = (long long)f->count;
}

HAL_EXPORT void hal_function_check(hal_function* function, hal_check* check) { function->check = check; }
