// SPDX-License-Identifier: Apache-2.0
// The table of all memory. Freed memory stays in it for a while, so that its use is found.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

enum { PAGE = 4096, ALIGNMENT = 256, QUARANTINE = 4096, GUARDED = 8192 };
static const size_t FILLED = 1 << 20;  // memory up to this size is filled when it comes and goes
static const int FRESH = 0xCD, STALE = 0xDD;

static gs_block** blocks;  // by address
static size_t count, capacity;
static gs_block* freed[QUARANTINE];  // a ring
static size_t freed_next;
static uint64_t made;

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// The index of the first block that begins after the address.
static size_t after(uint64_t address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (blocks[middle]->base <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Only registrations may overlap; the one that begins last is found.
gs_block* gs_block_at(uint64_t address) {
  for (size_t index = after(address); index; index--) {
    gs_block* block = blocks[index - 1];
    if (address - block->base < block->size) return block;
    if (block->kind != GS_REGISTERED_MEMORY) break;
  }
  return NULL;
}

gs_block* gs_block_each(size_t index) { return index < count ? blocks[index] : NULL; }

gs_block* gs_block_make(gs_context* context, enum gs_memory_kind kind, uint64_t base, size_t size) {
  if (count == capacity) {
    capacity = capacity ? capacity * 2 : 256;
    blocks = realloc(blocks, capacity * sizeof *blocks);
  }
  gs_block* block = calloc(1, sizeof *block);
  block->kind = kind;
  block->state = GS_LIVE;
  block->base = base;
  block->size = size;
  block->id = ++made;
  block->context = context;
  block->device = context->device;
  size_t index = after(base);
  memmove(blocks + index + 1, blocks + index, (count - index) * sizeof *blocks);
  blocks[index] = block;
  count++;
  return block;
}

static void forget(gs_block* block) {
  size_t index = after(block->base) - 1;
  memmove(blocks + index, blocks + index + 1, (count - index - 1) * sizeof *blocks);
  count--;
  if (block->map) munmap(block->map, block->map_size);
  free(block);
}

static void fill(gs_block* block, int value) {
  if (block->size <= FILLED) {
    memset((void*)block->base, value, block->size);
  } else {
    memset((void*)block->base, value, FILLED);
    memset((void*)(block->base + block->size - FILLED), value, FILLED);
  }
}

// Device memory ends at a page that nobody may touch, as long as there is not too much of it.
gs_block* gs_block_map(gs_context* context, enum gs_memory_kind kind, int device, size_t size) {
  size_t pages = round_up(size, PAGE);
  size_t guard = kind == GS_DEVICE_MEMORY && count < GUARDED ? PAGE : 0;
  char* map = mmap(NULL, pages + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return NULL;
  if (guard) mprotect(map + pages, guard, PROT_NONE);
  uint64_t base = (uint64_t)map + (guard ? pages - round_up(size, ALIGNMENT) : 0);
  gs_block* block = gs_block_make(context, kind, base, size);
  block->map = map;
  block->map_size = pages + guard;
  block->device = device;
  fill(block, FRESH);
  return block;
}

// Ends a block. Its address stays known for a while.
void gs_block_release(gs_block* block) {
  if (!block->map) {
    forget(block);
    return;
  }
  if (block->pool) {
    gs_pool_give(block->pool, block->size);
    gs_unref(&block->pool->object);
    block->pool = NULL;
  } else if (block->kind == GS_DEVICE_MEMORY) {
    gs.direct[block->device] -= block->size;
  }
  block->state = GS_FREED;
  block->context = NULL;
  if (block->kind == GS_HOST_MEMORY) {
    // Host code may look at it without being asked, so it stays readable.
    madvise(block->map, block->map_size, MADV_DONTNEED);
    if (block->size <= FILLED) fill(block, STALE);
  } else {
    mmap(block->map, block->map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  gs_block** slot = &freed[freed_next++ % QUARANTINE];
  if (*slot) forget(*slot);
  *slot = block;
}

// Ends all blocks of a context. If something may still be running on them, their memory stays.
void gs_blocks_end(gs_context* context, int leak) {
  for (size_t i = 0; i < count;) {
    gs_block* block = blocks[i];
    if (block->context != context || block->state == GS_FREED) {
      i++;
      continue;
    }
    if (block->kind != GS_GLOBAL_MEMORY) gs.abandoned[GS_COUNT_MEMORY + (int)block->kind]++;
    if (leak && block->map) {
      block->map_size = 0;
      block->map = (void*)block->base;
    }
    size_t before = count;
    gs_block_release(block);
    i = count < before ? 0 : i + 1;
  }
}

static const char* kind_of(gs_block* block) {
  static const char* const names[] = {"device memory", "host memory", "registered memory", "a global"};
  return names[block->kind];
}

int gs_range_check(gs_context* context, uint64_t address, size_t size, enum gs_side side, int running) {
  if (!size) return GS_OK;
  unsigned long long at = address, bytes = size;
  gs_block* block = gs_block_at(address);
  int bad = running ? GS_ILLEGAL_ADDRESS : GS_INVALID_VALUE;
  if (!block) {
    if (side != GS_SIDE_DEVICE) return GS_OK;
    gs_misuse("%#llx is no memory of the device", at);
    return bad;
  }
  unsigned long long base = block->base, length = block->size;
  if (block->state == GS_FREED || (block->state == GS_FREEING && !running)) {
    gs_misuse("%#llx is in %s of %llu bytes that was freed", at, kind_of(block), length);
  } else if (block->state == GS_PENDING && running) {
    gs_misuse("%#llx is in %s of %llu bytes that is not allocated yet", at, kind_of(block), length);
  } else if (side == GS_SIDE_HOST && block->kind == GS_DEVICE_MEMORY) {
    gs_misuse("%#llx is %s, not of the host", at, kind_of(block));
  } else if (size > block->size - (address - block->base)) {
    gs_misuse("%llu bytes at offset %llu go beyond %s of %llu bytes", bytes, at - base, kind_of(block), length);
  } else if (!gs_reaches(context, block)) {
    gs_misuse("%#llx is in memory of device %d, which device %d has no access to", at, block->device, context->device);
  } else {
    return GS_OK;
  }
  return bad;
}

int gs_memory_alloc(gs_context* context, uint64_t* address, size_t size) {
  if (!size) return GS_INVALID_VALUE;
  if (gs_direct_take(context->device, size)) return GS_OUT_OF_MEMORY;
  gs_block* block = gs_block_map(context, GS_DEVICE_MEMORY, context->device, size);
  if (!block) {
    gs.direct[context->device] -= size;
    return GS_OUT_OF_MEMORY;
  }
  *address = block->base;
  return GS_OK;
}

// The live block that begins exactly there, or null and a misuse.
static gs_block* owned(uint64_t address, enum gs_memory_kind kind) {
  gs_block* block = gs_block_at(address);
  unsigned long long at = address;
  if (!block) {
    gs_misuse("%#llx was never given out", at);
  } else if (block->state == GS_FREED || block->state == GS_FREEING) {
    gs_misuse("%#llx was freed before", at);
  } else if (block->base != address) {
    gs_misuse("%#llx is inside of %s, not its beginning", at, kind_of(block));
  } else if (block->kind != kind) {
    gs_misuse("%#llx is %s", at, kind_of(block));
  } else {
    return block;
  }
  return NULL;
}

int gs_memory_free(uint64_t address) {
  if (!address) return GS_OK;
  gs_block* block = gs_block_at(address);
  int code = block ? gs_idle(1u << block->device) : GS_OK;
  if (code) return code;
  block = owned(address, GS_DEVICE_MEMORY);
  if (!block) return GS_INVALID_VALUE;
  gs_block_release(block);
  return GS_OK;
}

int gs_host_alloc(gs_context* context, void** address, size_t size, unsigned flags) {
  if (!size) return GS_INVALID_VALUE;
  int code = gs_idle(GS_EVERY_DEVICE);
  if (code) return code;
  gs_block* block = gs_block_map(context, GS_HOST_MEMORY, context->device, size);
  if (!block) return GS_OUT_OF_MEMORY;
  block->flags = flags;
  *address = (void*)block->base;
  return GS_OK;
}

int gs_host_free(void* address) {
  int code = gs_idle(GS_EVERY_DEVICE);
  if (code) return code;
  gs_block* block = owned((uint64_t)address, GS_HOST_MEMORY);
  if (!block) return GS_INVALID_VALUE;
  gs_block_release(block);
  return GS_OK;
}

static int is_known(gs_block* block, int but_registered) {
  return block && !(but_registered && block->kind == GS_REGISTERED_MEMORY);
}

int gs_host_register(gs_context* context, void* address, size_t size, unsigned flags, int again) {
  uint64_t base = (uint64_t)address;
  if (!base || !size) return GS_INVALID_VALUE;
  int code = gs_idle(GS_EVERY_DEVICE);
  if (code) return code;
  gs_block* block = gs_block_at(base);
  int known = is_known(block, again);
  for (size_t i = after(base); i < count && blocks[i]->base < base + size; i++) known |= is_known(blocks[i], again);
  if (known) return GS_ALREADY_REGISTERED;
  if (!block || block->base != base) gs_block_make(context, GS_REGISTERED_MEMORY, base, size)->flags = flags;
  return GS_OK;
}

static gs_block* registered(void* address) {
  gs_block* block = gs_block_at((uint64_t)address);
  return block && block->kind == GS_REGISTERED_MEMORY && block->base == (uint64_t)address ? block : NULL;
}

int gs_host_unregister(void* address) {
  int code = gs_idle(GS_EVERY_DEVICE);
  gs_block* block = registered(address);
  if (!code && block) code = gs_quiet_locked(block->context->device);
  if (code) return code;
  block = registered(address);
  if (!block) {
    gs_misuse("%p is not registered", address);
    return GS_NOT_REGISTERED;
  }
  gs_block_release(block);
  return GS_OK;
}

int gs_memory_info_of(uint64_t address, gs_memory_info* info) {
  gs_block* block = gs_block_at(address);
  if (!block || block->state == GS_FREED) return GS_INVALID_VALUE;
  info->kind = block->kind;
  info->base = block->base;
  info->size = block->size;
  info->id = block->id;
  info->device = block->device;
  info->flags = block->flags;
  info->context = block->context ? block->context->object.id : 0;
  info->pool = block->pool ? block->pool->object.id : 0;
  return GS_OK;
}
