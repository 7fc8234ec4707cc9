// SPDX-License-Identifier: Apache-2.0
// A rank's part of a group is work in its stream. It begins when the stream comes to it, waits there until those of the
// others have begun, and ends with them, or by itself when its communicator is aborted.
#include <stdlib.h>

#include "collective.h"

static uint64_t aborted;
static uint64_t reached;  // by their streams

uint64_t gs_parts_aborted(void) { return aborted; }

uint64_t gs_parts_reached(void) { return reached; }

void gs_parts_reset(void) {
  aborted = 0;
  reached = 0;
}

void gs_group_launch_unref(gs_group_launch* launch) {
  if (--launch->refs == 0) free(launch);
}

gs_group_launch* gs_group_launch_open(void) {
  gs_group_launch* launch = calloc(1, sizeof *launch);
  launch->refs = 1;
  launch->open = 1;
  launch->generation = gs.generation;
  return launch;
}

// No more is to be launched, or what is launched ends by itself.
void gs_group_launch_close(gs_group_launch* launch) {
  if (!launch->open) return;
  if (launch->generation == gs.generation) {
    for (int i = 0; i < GS_MAX_DEVICES; i++) gs.half[i] -= launch->running[i];
  }
  launch->open = 0;
  gs_changed();
}

static void count_half(gs_part* part, int by) {
  gs_group_launch* launch = part->launch;
  if (!launch->open || launch->generation != gs.generation) return;
  launch->running[part->comm->device] += by;
  gs.half[part->comm->device] += by;
  gs_changed();
}

static int is_over(gs_part* part) {
  return gs_comm_ends(part->comm) || part->context->sticky || part->launch->generation != gs.generation;
}

// Each rank's memory is looked at when all have come. One whose memory is gone loses its context, and the others wait on.
static void compute(gs_meeting* meeting) {
  for (int i = 0; i < meeting->members; i++) {
    gs_call* call = &meeting->call[i];
    meeting->code[i] = gs_call_check_memory(call, call->context, 1);
    if (meeting->code[i]) meeting->left = 1;
  }
  if (meeting->left) return;
  meeting->computing = 1;
  pthread_mutex_unlock(&gs.lock);
  int code = gs_guarded(gs_meeting_compute, meeting);
  pthread_mutex_lock(&gs.lock);
  for (int i = 0; i < meeting->members; i++) meeting->code[i] = code;
  meeting->computing = 0;
  meeting->done = 1;
}

// Does what can be done now; whether something is left to wait for. To compute is to let go of the lock: what others have
// changed meanwhile is looked at again.
static int step(gs_part* part, int* code) {
  int waits, has_computed;
  do {
    waits = has_computed = 0;
    for (int i = 0; i < part->count; i++) {
      gs_meeting* meeting = part->at[i].meeting;
      if (!meeting->done && !meeting->left && !meeting->computing && meeting->begun == meeting->members) {
        compute(meeting);
        gs_changed();
        has_computed = 1;
      }
      if (meeting->code[part->at[i].member]) *code = meeting->code[part->at[i].member];
      waits |= !meeting->done;
    }
  } while (has_computed && !*code);
  return waits && !*code;
}

static int is_computing(gs_part* part) {
  for (int i = 0; i < part->count; i++) {
    if (part->at[i].meeting->computing) return 1;
  }
  return 0;
}

static void leave(gs_part* part) {
  for (int i = 0; i < part->count; i++) part->at[i].meeting->left |= !part->at[i].meeting->done;
}

static int run(gs_op* op) {
  gs_part* part = (gs_part*)op;
  int code = GS_OK, waits = 1;
  pthread_mutex_lock(&gs.lock);
  reached++;
  while (gs_collective_stalls(part->comm->rank) && !is_over(part)) gs_wait_change(UINT64_MAX);
  if (!is_over(part)) {
    for (int i = 0; i < part->count; i++) part->at[i].meeting->begun++;
    gs_changed();
  }
  while (!is_over(part) && (waits = step(part, &code))) gs_wait_change(UINT64_MAX);
  while (is_computing(part)) gs_wait_change(UINT64_MAX);
  if (waits && gs_comm_ends(part->comm)) aborted++;
  leave(part);
  pthread_mutex_unlock(&gs.lock);
  return code;
}

void gs_part_drop(gs_part* part) {
  leave(part);
  for (int i = 0; i < part->count; i++) gs_meeting_unref(part->at[i].meeting);
  gs_group_launch_unref(part->launch);
  gs_unref(&part->comm->object);
}

static void finish(gs_op* op) {
  gs_part* part = (gs_part*)op;
  count_half(part, -1);
  part->comm->parts--;
  gs_part_drop(part);
}

gs_part* gs_part_make(gs_group_launch* launch, gs_comm* comm, gs_stream* stream, int calls) {
  gs_part* part = calloc(1, sizeof *part + (size_t)calls * sizeof *part->at);
  part->op = (gs_op){.what = "@collective", .run = run, .finish = finish};
  part->launch = launch;
  launch->refs++;
  part->comm = comm;
  gs_ref(&comm->object);
  part->context = stream->object.context;
  return part;
}

void gs_part_launch(gs_part* part, gs_stream* stream) {
  gs_comm* comm = part->comm;
  comm->parts++;
  if (comm->open) gs_group_launch_unref(comm->open);
  comm->open = part->launch;
  comm->open->refs++;
  count_half(part, 1);
  gs_enqueue(stream, &part->op);
}
