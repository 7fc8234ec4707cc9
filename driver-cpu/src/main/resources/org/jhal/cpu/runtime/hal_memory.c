// SPDX-License-Identifier: Apache-2.0
// The memory of devices. It lies apart from the C heap, and what describes it lies in the C heap. So a kernel that writes outside its
// buffers damages neither.
//
// A large block has a mapping of its own, and ends at a guard that cannot be accessed: a kernel that goes past its end faults. Small
// blocks share mappings. Each has a canary on either side, bytes that nothing may write: that they have changed shows when they
// are next looked at. A large block has a canary where its alignment leaves a gap. Any thread may call these functions.
#include "hal_runtime.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  ALIGNMENT = 64,           // of blocks
  CANARY = 64,              // bytes on either side; behind a block also those that fill up its alignment
  GUARD = 128 << 10,        // bytes on either side of a mapping
  GUARDS = 8192,            // mappings with guards; a process may have 65,530 of all kinds, and each of these counts twice
  LARGE_PAGES = 4,          // from this size on, a block has its own mapping
  SHARED_BYTES = 256 << 10, // of a mapping for small blocks
  CLASSES = 128,            // of sizes of small blocks
  BUCKETS = 64,
};

// How much memory that no block uses is kept for later ones, as new pages take longer than all else: of large and of small blocks.
static const size_t KEPT = 64 << 20, KEPT_SHARED = 32 << 20;

typedef struct mapping mapping;

// A block, or room for one. Java reads the first field.
struct hal_memory {
  char* address;
  size_t size;
  char *first, *last;  // from the first byte of the canary before the block to behind the last one of that behind it
  mapping* within;
  hal_memory* next;    // of those in the mapping that are free
};

struct mapping {
  char* base;
  size_t bytes, guard;     // of all, and of the guard on either side
  size_t room;             // of each block, with its canaries
  unsigned rooms, made, used;
  int is_large;
  hal_memory* free;        // among those that were made
  mapping** list;          // that it is in while it has room for another block
  mapping *before, *after; // in that list
  mapping *older, *newer;  // of the large ones that are kept
  hal_memory blocks[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // for all that follows
static mapping* shared[CLASSES];
static mapping* kept[BUCKETS];
static mapping *oldest, *newest;
static size_t kept_bytes, kept_shared;
static int guards;

static size_t page;                                    // these two constant
static unsigned char pattern[256 + ALIGNMENT + CANARY];  // of canaries, by the lowest byte of the address

__attribute__((constructor)) static void begin(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = (unsigned char)(i * 167 + 13);
}

static size_t up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// ---- canaries ----

static const unsigned char* expected(const char* at) { return pattern + ((uintptr_t)at & 255); }

static size_t before_length(const hal_memory* block) { return (size_t)(block->address - block->first); }
static size_t behind_length(const hal_memory* block) { return (size_t)(block->last - block->address) - block->size; }

static void mark(hal_memory* block) {
  char* end = block->address + block->size;
  size_t before = before_length(block), behind = behind_length(block);
  if (before) memcpy(block->first, expected(block->first), before);
  if (behind) memcpy(end, expected(end), behind);
}

// Not for no bytes beside a guard, where vector instructions take long even if they access nothing.
static int is_intact(const char* bytes, size_t count) { return !count || !memcmp(bytes, expected(bytes), count); }

// How far before the start of a block bytes have changed, and, from bit 16 on, how far past its end; 0 if none has.
static long long damage(const hal_memory* block) {
  const char* end = block->address + block->size;
  size_t before = before_length(block), behind = behind_length(block);
  if (is_intact(block->first, before) && is_intact(end, behind)) return 0;
  size_t at = 0;
  while (at < before && is_intact(block->first + at, 1)) at++;
  while (behind > 0 && is_intact(end + behind - 1, 1)) behind--;
  return (long long)((before - at) | behind << 16);
}

// Places a block in its room, from `low` to `high`.
static hal_memory* place(hal_memory* block, char* address, size_t size, char* low, char* high) {
  char* end = address + up(size, ALIGNMENT);
  block->address = address;
  block->size = size;
  block->first = address - low < CANARY ? low : address - CANARY;
  block->last = high - end < CANARY ? high : end + CANARY;
  mark(block);
  return block;
}

// ---- mappings ----

static void link_in(mapping* m) {
  m->before = NULL;
  m->after = *m->list;
  if (m->after) m->after->before = m;
  *m->list = m;
}

static void link_out(mapping* m) {
  if (m->after) m->after->before = m->before;
  *(m->before ? &m->before->after : m->list) = m->after;
}

static int take_guard(void) {
  pthread_mutex_lock(&lock);
  int has_one = guards < GUARDS;
  guards += has_one;
  pthread_mutex_unlock(&lock);
  return has_one;
}

static void give_guard_back(void) {
  pthread_mutex_lock(&lock);
  guards--;
  pthread_mutex_unlock(&lock);
}

// NULL if there is no memory.
static char* map(size_t bytes, size_t guard) {
  int access = guard ? PROT_NONE : PROT_READ | PROT_WRITE;
  char* base = mmap(NULL, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return NULL;
  if (guard && mprotect(base + guard, bytes - 2 * guard, PROT_READ | PROT_WRITE)) {
    munmap(base, bytes);
    return NULL;
  }
  return base;
}

static void unmap(mapping* m) {
  // If that would split mappings, and there are too many, only the pages are given back.
  if (munmap(m->base, m->bytes)) madvise(m->base + m->guard, m->bytes - 2 * m->guard, MADV_DONTNEED);
  if (m->guard) give_guard_back();
  free(m);
}

static void unmap_all(mapping* first) {
  while (first) {
    mapping* m = first;
    first = m->after;
    unmap(m);
  }
}

static mapping* make(size_t room, unsigned rooms, size_t guard) {
  mapping* made = malloc(sizeof *made + rooms * sizeof *made->blocks);
  if (!made) return NULL;
  size_t bytes = up(room * rooms, page) + 2 * guard;
  char* base = map(bytes, guard);
  if (!base) {
    free(made);
    return NULL;
  }
  *made = (mapping){.base = base, .bytes = bytes, .guard = guard, .room = room, .rooms = rooms};
  return made;
}

// With guards, unless there are too many already, or the system refuses them.
static mapping* make_guarded(size_t room, unsigned rooms) {
  if (!take_guard()) return NULL;
  mapping* made = make(room, rooms, GUARD);
  if (!made) give_guard_back();
  return made;
}

static hal_memory* block_at(mapping* m, unsigned index) {
  m->blocks[index].within = m;
  return &m->blocks[index];
}

// ---- small blocks ----

// Rounds up to one of the sizes of rooms, of which there are eight between two powers of two, and returns its number.
static unsigned class_of(size_t* room) {
  if (*room <= 1024) return (unsigned)(*room / ALIGNMENT);
  unsigned power = 63 - (unsigned)__builtin_clzll(*room - 1);
  size_t step = (size_t)1 << (power - 3);
  *room = up(*room, step);
  return 16 + (power - 10) * 8 + (unsigned)(*room / step) - 8;
}

static mapping* make_shared(size_t room) {
  unsigned rooms = SHARED_BYTES / room < 8 ? 8 : (unsigned)(SHARED_BYTES / room);
  mapping* made = make_guarded(room, rooms);
  return made ? made : make(room, rooms, 0);
}

static hal_memory* allocate_small(size_t size) {
  size_t room = up(size, ALIGNMENT) + 2 * CANARY;
  mapping** list = &shared[class_of(&room)];
  pthread_mutex_lock(&lock);
  if (!*list) {
    pthread_mutex_unlock(&lock);
    mapping* more = make_shared(room);
    if (!more) return NULL;
    more->list = list;
    pthread_mutex_lock(&lock);
    link_in(more);
  }
  mapping* m = *list;
  if (m->used == 0 && m->made > 0) kept_shared -= m->bytes;
  hal_memory* block = m->free;
  if (block) {
    m->free = block->next;
  } else {
    block = block_at(m, m->made++);
  }
  if (++m->used == m->rooms) link_out(m);
  pthread_mutex_unlock(&lock);
  char* low = m->base + m->guard + (size_t)(block - m->blocks) * room;
  return place(block, low + CANARY, size, low, low + room);
}

static void free_small(hal_memory* block) {
  mapping* m = block->within;
  pthread_mutex_lock(&lock);
  if (m->used-- == m->rooms) link_in(m);
  block->next = m->free;
  m->free = block;
  int is_too_much = 0;
  if (m->used == 0) {
    is_too_much = kept_shared + m->bytes > KEPT_SHARED;
    if (is_too_much) {
      link_out(m);
    } else {
      kept_shared += m->bytes;
    }
  }
  pthread_mutex_unlock(&lock);
  if (is_too_much) unmap(m);
}

static void shrink_small(void) {
  for (int i = 0; i < CLASSES; i++) {
    mapping* unused = NULL;
    pthread_mutex_lock(&lock);
    for (mapping *m = shared[i], *after; m; m = after) {
      after = m->after;
      if (m->used > 0 || m->made == 0) continue;
      link_out(m);
      kept_shared -= m->bytes;
      m->after = unused;
      unused = m;
    }
    pthread_mutex_unlock(&lock);
    unmap_all(unused);
  }
}

// ---- large blocks ----

HAL_EXPORT void hal_memory_trim(void);

static mapping** bucket(size_t room) { return &kept[room / page % BUCKETS]; }

// Takes a mapping from those that are kept. Called with the lock held.
static void take_out(mapping* m) {
  link_out(m);
  *(m->older ? &m->older->newer : &oldest) = m->newer;
  *(m->newer ? &m->newer->older : &newest) = m->older;
  kept_bytes -= m->room;
}

static mapping* find_kept(size_t room) {
  pthread_mutex_lock(&lock);
  mapping* m = *bucket(room);
  while (m && m->room != room) m = m->after;
  if (m) take_out(m);
  pthread_mutex_unlock(&lock);
  return m;
}

// Gives those back that were not used for the longest time, until there are at most `most` bytes.
static void shrink_large(size_t most) {
  mapping* unused = NULL;
  pthread_mutex_lock(&lock);
  while (kept_bytes > most) {
    mapping* m = oldest;
    take_out(m);
    m->after = unused;
    unused = m;
  }
  pthread_mutex_unlock(&lock);
  unmap_all(unused);
}

static void keep(mapping* m) {
  pthread_mutex_lock(&lock);
  m->list = bucket(m->room);
  link_in(m);
  m->older = newest;
  m->newer = NULL;
  *(newest ? &newest->newer : &oldest) = m;
  newest = m;
  kept_bytes += m->room;
  int is_too_much = kept_bytes > KEPT;
  pthread_mutex_unlock(&lock);
  if (is_too_much) shrink_large(KEPT);
}

// Of a block that cannot have guards, the canaries are those of a small one.
static mapping* make_large(size_t size) {
  mapping* m = make_guarded(up(size, page), 1);
  return m ? m : make(up(size, ALIGNMENT) + 2 * CANARY, 1, 0);
}

static hal_memory* allocate_large(size_t size) {
  mapping* m = find_kept(up(size, page));
  if (!m) m = make_large(size);
  if (!m) {
    hal_memory_trim();
    m = make_large(size);
  }
  if (!m) return NULL;
  m->is_large = 1;
  char* low = m->base + m->guard;
  char* high = low + m->room;
  char* address = m->guard ? high - up(size, ALIGNMENT) : low + CANARY;
  return place(block_at(m, 0), address, size, low, high);
}

static void free_large(mapping* m) {
  if (m->guard && m->room <= KEPT / 2) {
    keep(m);
  } else {
    unmap(m);
  }
}

// ---- for Java ----

// Returns NULL if there is not enough memory.
HAL_EXPORT hal_memory* hal_memory_allocate(unsigned long long size) {
  if (size > 1ull << 56) return NULL;
  return size < LARGE_PAGES * page ? allocate_small(size) : allocate_large(size);
}

// Returns the damage to the block's canaries.
HAL_EXPORT long long hal_memory_free(hal_memory* block) {
  if (!block) return 0;
  long long found = damage(block);
  if (block->within->is_large) {
    free_large(block->within);
  } else {
    free_small(block);
  }
  return found;
}

// Looks at the canaries of blocks, and mends the first ones that are damaged. Returns 0 if none are; otherwise their damage, and from
// bit 32 on the block's index. A NULL is no block.
HAL_EXPORT long long hal_memory_check(hal_memory* const* blocks, int count) {
  for (int i = 0; i < count; i++) {
    long long found = blocks[i] ? damage(blocks[i]) : 0;
    if (found) {
      mark(blocks[i]);
      return found | (long long)i << 32;
    }
  }
  return 0;
}

// Gives memory back that is only kept for later.
HAL_EXPORT void hal_memory_trim(void) {
  shrink_small();
  shrink_large(0);
}

HAL_EXPORT void hal_memory_copy(void* to, const void* from, unsigned long long size) { memmove(to, from, size); }

HAL_EXPORT void hal_memory_fill(char* to, unsigned long long size, unsigned pattern_word, int pattern_bytes) {
  if (pattern_bytes == 1) {
    memset(to, (int)(pattern_word & 0xFF), size);
    return;
  }
  unsigned word = pattern_bytes == 2 ? (pattern_word & 0xFFFF) * 0x00010001u : pattern_word;
  unsigned long long at = 0;
  for (; at + 4 <= size; at += 4) memcpy(to + at, &word, 4);
  memcpy(to + at, &word, size - at);
}
