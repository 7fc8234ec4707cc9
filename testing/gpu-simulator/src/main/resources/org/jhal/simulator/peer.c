// SPDX-License-Identifier: Apache-2.0
// Which devices can use whose memory. Contexts are given access to what another device allocates by itself, and a pool
// gives access to its memory besides. Copies without it are refused, though some that real runtimes have go through the
// host then: who relies on that has not asked for access.
#include "internal.h"

int gs_peer_possible(int device, int peer) { return device != peer && !(gs.apart[device] >> peer & 1); }

GS_EXPORT void gpusim_peer(int device, int peer, int possible) {
  pthread_mutex_lock(&gs.lock);
  unsigned bit = 1u << peer;
  gs.apart[device] = possible ? gs.apart[device] & ~bit : gs.apart[device] | bit;
  pthread_mutex_unlock(&gs.lock);
}

int gs_peer_set(gs_context* context, int peer, int enable) {
  if (peer < 0 || peer >= gs.devices || peer == context->device) return GS_INVALID_DEVICE;
  if (enable && !gs_peer_possible(context->device, peer)) return GS_PEER_UNSUPPORTED;
  int code = enable ? gs_idle(1u << context->device | 1u << peer) : GS_OK;  // memory is mapped anew
  if (code) return code;
  unsigned bit = 1u << peer;
  int enabled = (context->peers & bit) != 0;
  if (enabled == enable) return enable ? GS_PEER_ENABLED : GS_PEER_NOT_ENABLED;
  context->peers ^= bit;
  return GS_OK;
}

int gs_pool_access(gs_handle handle, const gs_access* list, size_t count) {
  enum { NONE = 0, READ_WRITE = 3, ON_DEVICE = 1 };
  gs_pool* pool = gs_find(handle, GS_POOL);
  if (!pool || (count && !list)) return GS_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    const gs_access* a = &list[i];
    if (a->location != ON_DEVICE || a->device < 0 || a->device >= gs.devices) return GS_INVALID_VALUE;
    if (a->flags != NONE && a->flags != READ_WRITE) return GS_INVALID_VALUE;
    if (a->device == pool->device && a->flags == NONE) return GS_INVALID_VALUE;
    if (a->device != pool->device && !gs_peer_possible(a->device, pool->device)) return GS_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; i++) {
    unsigned bit = 1u << list[i].device;
    pool->access = list[i].flags ? pool->access | bit : pool->access & ~bit;
  }
  return GS_OK;
}

// What was enabled was for this context of the device, and not for one that comes after it.
void gs_peers_end(gs_context* context) {
  if (!context->primary) return;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    if (o->kind == GS_CONTEXT) ((gs_context*)o)->peers &= ~(1u << context->device);
  }
}

int gs_reaches(gs_context* context, gs_block* block) {
  int on_device = block->kind == GS_DEVICE_MEMORY || block->kind == GS_GLOBAL_MEMORY;
  if (!on_device || block->device == context->device) return 1;
  if (!(context->peers >> block->device & 1)) return 0;
  return !block->pool || (block->pool->access >> context->device & 1);
}
