// SPDX-License-Identifier: Apache-2.0
// What the threads of a warp give each other.
#include "grid.h"

static unsigned index_of(const gpusim_thread* self) {
  return (self->thread.z * self->block_dim.y + self->thread.y) * self->block_dim.x + self->thread.x;
}

// The lanes of a warp whose threads have not ended.
static unsigned long long alive(grid* g, unsigned warp) {
  unsigned first = warp * g->lanes, threads = g->block.x * g->block.y * g->block.z - first;
  unsigned count = threads < g->lanes ? threads : g->lanes;
  unsigned long long ones = count < WORD ? (1ull << count) - 1 : ~0ull;
  return ones & ~(g->ended[first / WORD] >> first % WORD);
}

static int meets(const fiber* f, unsigned long long mask, unsigned place) {
  return f->mask == mask && (mask || f->place_of_call == place);
}

// Lets those go on that wait with this mask; of those with none, only those at the place that is first in the source.
static void deliver(grid* g, unsigned warp, unsigned long long mask) {
  gpusim_exchanged all = {0};
  unsigned place = ~0u;
  for (fiber* f = g->warps[warp]; f; f = f->next) {
    if (!mask && !f->mask && f->place_of_call < place) place = f->place_of_call;
  }
  for (fiber* f = g->warps[warp]; f; f = f->next) {
    if (!meets(f, mask, place)) continue;
    all.given |= 1ull << f->lane;
    all.values[f->lane] = f->value;
  }
  for (fiber** at = &g->warps[warp]; *at;) {
    fiber* f = *at;
    if (!meets(f, mask, place)) {
      at = &f->next;
      continue;
    }
    *at = f->next;
    *f->result = all;
    f->result = NULL;
    g->exchanging--;
    if (f != g->running) gs_grid_ready(g, f);
  }
}

// Whether all that the mask names, and that have not ended, have come.
static int complete(grid* g, unsigned warp, unsigned long long mask) {
  unsigned long long arrived = 0, expected = alive(g, warp);
  for (fiber* f = g->warps[warp]; f; f = f->next) {
    if (f->mask == mask) arrived |= 1ull << f->lane;
  }
  if (mask) expected &= mask;
  return (arrived & expected) == expected;
}

void gs_warp_exchange(gpusim_thread* self, unsigned lanes, unsigned long long mask, unsigned place,
                      unsigned long long value, gpusim_exchanged* result) {
  grid* g = gs_grid_current;
  fiber* f = (fiber*)self;
  unsigned index = index_of(self), warp = index / lanes;
  g->lanes = lanes;
  f->lane = index % lanes;
  if (mask && !(mask >> f->lane & 1)) {
    gs_misuse("lane %u of a warp of %u is not in its own mask, %#llx", f->lane, lanes, mask);
    gs_grid_trap(self, GS_LAUNCH_FAILED);
  }
  f->mask = mask;
  f->place_of_call = place;
  f->value = value;
  f->result = result;
  f->next = g->warps[warp];
  g->warps[warp] = f;
  g->exchanging++;
  if (complete(g, warp, mask)) deliver(g, warp, mask);
  if (!f->result) return;
  g->suspended++;
  gs_place_switch(&f->place, &g->main);
  g->suspended--;
}

void gs_warp_leave(grid* g, const gpusim_thread* self) {
  unsigned index = index_of(self);
  g->ended[index / WORD] |= 1ull << index % WORD;
  if (!g->exchanging) return;
  unsigned warp = index / g->lanes;
  for (fiber* f = g->warps[warp]; f;) {
    if (complete(g, warp, f->mask)) {
      deliver(g, warp, f->mask);
      f = g->warps[warp];
    } else {
      f = f->next;
    }
  }
}

int gs_warp_settle(grid* g) {
  for (unsigned warp = 0; warp < GS_MAX_THREADS / 32; warp++) {
    for (fiber* f = g->warps[warp]; f; f = f->next) {
      if (f->mask) continue;
      deliver(g, warp, 0);
      return 1;
    }
  }
  for (unsigned warp = 0; warp < GS_MAX_THREADS / 32; warp++) {
    fiber* f = g->warps[warp];
    if (f) gs_misuse("lane %u of warp %u waits for the lanes %#llx, not all of which come", f->lane, warp, f->mask);
  }
  return 0;
}
