// SPDX-License-Identifier: Apache-2.0
// How much memory a device has left, and pools of memory that comes and goes in stream order.
#include <stdlib.h>

#include "internal.h"

static void pool_free(gs_object* object) { free(object); }

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void keep(gs_pool* pool, uint64_t bytes) {
  uint64_t wanted = most(pool->used, bytes);
  if (pool->reserved > wanted) pool->reserved = wanted;
}

static uint64_t occupied(int device) {
  uint64_t bytes = gs.direct[device];
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->kind == GS_POOL && ((gs_pool*)o)->device == device) bytes += ((gs_pool*)o)->reserved;
  }
  return bytes;
}

// Whether so much more fits; pools give back what they only keep.
static int fits(int device, uint64_t bytes) {
  if (bytes > gs.memory) return 0;
  if (occupied(device) + bytes <= gs.memory) return 1;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->kind == GS_POOL && ((gs_pool*)o)->device == device) keep((gs_pool*)o, 0);
  }
  return occupied(device) + bytes <= gs.memory;
}

uint64_t gs_device_memory_free(int device) {
  uint64_t used = occupied(device);
  return used < gs.memory ? gs.memory - used : 0;
}

int gs_direct_take(int device, uint64_t size) {
  if (!fits(device, size)) return GS_OUT_OF_MEMORY;
  gs.direct[device] += size;
  return GS_OK;
}

// Takes memory; credit is what will have come back when the memory is first used.
int gs_pool_take(gs_pool* pool, uint64_t size, uint64_t credit) {
  if (credit > pool->used) credit = pool->used;
  uint64_t used = pool->used + size - credit;
  if (pool->most && used > pool->most) return GS_OUT_OF_MEMORY;
  if (used > pool->reserved) {
    if (!fits(pool->device, used - pool->reserved)) return GS_OUT_OF_MEMORY;
    pool->reserved = most(pool->reserved, used);
  }
  pool->used += size;
  pool->used_high = most(pool->used_high, pool->used);
  pool->reserved_high = most(pool->reserved_high, pool->reserved);
  return GS_OK;
}

void gs_pool_give(gs_pool* pool, uint64_t size) { pool->used -= size; }

// What happens whenever the host waits for a device: pools shrink to their thresholds.
void gs_pools_settle(int device) {
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->kind == GS_POOL && ((gs_pool*)o)->device == device) keep((gs_pool*)o, ((gs_pool*)o)->threshold);
  }
}

static int make(int device, uint64_t limit, gs_handle* handle) {
  if (device < 0 || device >= gs.devices) return GS_INVALID_DEVICE;
  gs_pool* pool = calloc(1, sizeof *pool);
  pool->device = device;
  pool->most = limit;
  gs_object_add(&pool->object, GS_POOL, NULL, pool_free);
  *handle = pool->object.id;
  return GS_OK;
}

int gs_pool_create(const gs_pool_properties* properties, gs_handle* handle) {
  if (!handle || !properties || properties->allocation != 1 || properties->location != 1) return GS_INVALID_VALUE;
  if (properties->handles) return GS_NOT_SUPPORTED;
  return make(properties->device, properties->most, handle);
}

int gs_pool_default(int device, gs_handle* handle) {
  if (device < 0 || device >= gs.devices) return GS_INVALID_DEVICE;
  if (!gs.default_pool[device]) {
    int code = make(device, 0, handle);
    if (code) return code;
    gs.default_pool[device] = gs_find(*handle, GS_POOL);
    gs.default_pool[device]->is_default = 1;
  }
  *handle = gs.default_pool[device]->object.id;
  return GS_OK;
}

int gs_pool_current(int device, gs_handle* handle) {
  if (device < 0 || device >= gs.devices) return GS_INVALID_DEVICE;
  if (!gs.current_pool[device]) return gs_pool_default(device, handle);
  *handle = gs.current_pool[device]->object.id;
  return GS_OK;
}

int gs_pool_make_current(int device, gs_handle handle) {
  if (device < 0 || device >= gs.devices) return GS_INVALID_DEVICE;
  gs_pool* pool = gs_find(handle, GS_POOL);
  if (!pool || pool->device != device) return GS_INVALID_VALUE;
  gs.current_pool[device] = pool;
  return GS_OK;
}

int gs_pool_destroy(gs_handle handle) {
  gs_pool* pool = gs_find(handle, GS_POOL);
  if (!pool) return GS_INVALID_VALUE;
  if (pool->is_default) {
    gs_misuse("a device's own pool cannot be destroyed");
    return GS_INVALID_VALUE;
  }
  int code = gs_idle(1u << pool->device);
  if (code) return code;
  gs_context* primary = gs.primary[pool->device];
  int dead = primary && primary->sticky;  // nothing can be given back any more
  if (pool->used && !dead) gs_misuse("%llu bytes of the pool are in use", (unsigned long long)pool->used);
  if (gs.current_pool[pool->device] == pool) gs.current_pool[pool->device] = NULL;
  gs_object_remove(&pool->object);
  return GS_OK;
}

int gs_pool_trim(gs_handle handle, uint64_t bytes) {
  gs_pool* pool = gs_find(handle, GS_POOL);
  int code = pool ? gs_idle(1u << pool->device) : GS_INVALID_VALUE;
  if (!code) keep(pool, bytes);
  return code;
}

static int is_reuse(int attribute) { return attribute >= 1 && attribute < GS_POOL_THRESHOLD; }

int gs_pool_get(gs_handle handle, int attribute, void* value) {
  gs_pool* pool = gs_find(handle, GS_POOL);
  if (!pool || !value) return GS_INVALID_VALUE;
  if (is_reuse(attribute)) {
    *(int*)value = 1;
    return GS_OK;
  }
  switch (attribute) {
    case GS_POOL_THRESHOLD: *(uint64_t*)value = pool->threshold; return GS_OK;
    case GS_POOL_RESERVED: *(uint64_t*)value = pool->reserved; return GS_OK;
    case GS_POOL_RESERVED_HIGH: *(uint64_t*)value = pool->reserved_high; return GS_OK;
    case GS_POOL_USED: *(uint64_t*)value = pool->used; return GS_OK;
    case GS_POOL_USED_HIGH: *(uint64_t*)value = pool->used_high; return GS_OK;
    default: return GS_INVALID_VALUE;
  }
}

// The high-water marks can only be set back to 0.
int gs_pool_set(gs_handle handle, int attribute, const void* data) {
  gs_pool* pool = gs_find(handle, GS_POOL);
  if (!pool || !data) return GS_INVALID_VALUE;
  if (is_reuse(attribute)) return GS_OK;
  uint64_t value = *(const uint64_t*)data;
  if (attribute == GS_POOL_THRESHOLD) {
    pool->threshold = value;
  } else if (value == 0 && attribute == GS_POOL_RESERVED_HIGH) {
    pool->reserved_high = pool->reserved;
  } else if (value == 0 && attribute == GS_POOL_USED_HIGH) {
    pool->used_high = pool->used;
  } else {
    return GS_INVALID_VALUE;
  }
  return GS_OK;
}

void gs_pools_reset(void) {
  for (gs_object* o = gs_first(NULL); o;) {
    if (o->kind == GS_POOL) {
      gs_object_remove(o);
      o = gs_first(NULL);
    } else {
      o = gs_first(o);
    }
  }
  for (int i = 0; i < GS_MAX_DEVICES; i++) {
    gs.default_pool[i] = NULL;
    gs.current_pool[i] = NULL;
    gs.direct[i] = 0;
  }
}
