// SPDX-License-Identifier: Apache-2.0
// Where the calls of all ranks meet that belong together. The n-th one of a rank belongs to the n-th of each other one.
#include <stdlib.h>

#include "collective.h"

enum { KEPT = 64 };  // to find out that others were launched in another order

static gs_meeting* meetings;  // the newest first
static int count;
static uint64_t launches[GS_MAX_DEVICES];

void gs_meeting_unref(gs_meeting* meeting) {
  if (--meeting->refs > 0) return;
  gs_clique_unref(meeting->clique);
  free(meeting);
}

void gs_meetings_forget(void) {
  while (meetings) {
    gs_meeting* meeting = meetings;
    meetings = meeting->next;
    gs_meeting_unref(meeting);
  }
  count = 0;
}

// Lets the oldest one go that is over.
static void prune(void) {
  gs_meeting** oldest = NULL;
  for (gs_meeting** at = &meetings; *at; at = &(*at)->next) {
    if ((*at)->done || (*at)->left) oldest = at;
  }
  if (!oldest) return;
  gs_meeting* meeting = *oldest;
  *oldest = meeting->next;
  count--;
  gs_meeting_unref(meeting);
}

static gs_meeting* find(const gs_call* call, int sender, int receiver, uint64_t number) {
  gs_clique* clique = call->comm->clique;
  for (gs_meeting* m = meetings; m; m = m->next) {
    if (m->clique == clique && m->sender == sender && m->receiver == receiver && m->number == number) return m;
  }
  gs_meeting* m = calloc(1, sizeof *m);
  m->refs = 1;
  m->clique = clique;
  clique->refs++;
  m->sender = sender;
  m->receiver = receiver;
  m->number = number;
  m->members = sender < 0 ? clique->count : 2;
  m->next = meetings;
  meetings = m;
  if (++count > KEPT) prune();
  return m;
}

static int agrees(const gs_call* one, const gs_call* two) {
  if (one->count != two->count || one->type != two->type) return 0;
  if (one->kind == GS_SEND || one->kind == GS_RECEIVE) return 1;  // as they have met
  return one->kind == two->kind && one->reduction == two->reduction && one->root == two->root;
}

// What one of the others was called with, or null.
static const gs_call* other_call(gs_meeting* meeting, int member) {
  for (int i = 0; i < meeting->members; i++) {
    if (i != member && meeting->call[i].context) return &meeting->call[i];
  }
  return NULL;
}

// Of what one thread launches, all but the first would have to be in a group with it.
static int is_blocked(gs_meeting* meeting) {
  for (int i = 0; i < meeting->members; i++) {
    if (meeting->alone[i] && pthread_equal(meeting->thread[i], pthread_self())) return 1;
  }
  return 0;
}

// Another clique's, which shares two devices with this one, and was launched before this on one of them and after it on
// the other: each would wait for the other one.
static void check_order(gs_meeting* meeting, int device) {
  for (gs_meeting* other = meetings; other; other = other->next) {
    if (other->clique == meeting->clique || !other->order[device]) continue;
    for (int i = 0; i < GS_MAX_DEVICES; i++) {
      if (other->order[i] && meeting->order[i] && other->order[i] > meeting->order[i]) {
        gs_misuse("two communicators were launched in one order on device %d and in the other one on device %d", i,
                  device);
        return;
      }
    }
  }
}

int gs_meeting_join(gs_part* part, const gs_call* call, int alone) {
  gs_comm* comm = call->comm;
  gs_meeting* meeting;
  int member = comm->rank;
  if (call->kind == GS_SEND) {
    member = 0;
    meeting = find(call, comm->rank, call->root, comm->sent[call->root]++);
  } else if (call->kind == GS_RECEIVE) {
    member = 1;
    meeting = find(call, call->root, comm->rank, comm->received[call->root]++);
  } else {
    meeting = find(call, -1, -1, comm->launched++);
  }
  const gs_call* before = other_call(meeting, member);
  if (before && !agrees(before, call)) {
    gs_misuse("rank %d does not ask for the same as another one", comm->rank);
    return GS_CO_INVALID_USAGE;
  }
  if (alone && is_blocked(meeting)) {
    gs_misuse("one thread calls for several ranks outside of a group");
    return GS_CO_INVALID_USAGE;
  }
  meeting->call[member] = *call;
  meeting->call[member].context = part->context;
  meeting->alone[member] = alone;
  meeting->thread[member] = pthread_self();
  meeting->order[comm->device] = ++launches[comm->device];
  check_order(meeting, comm->device);
  meeting->refs++;
  part->at[part->count].meeting = meeting;
  part->at[part->count++].member = member;
  return GS_CO_OK;
}
