// SPDX-License-Identifier: Apache-2.0
// Work: a kernel with its arguments, a copy or a fill. It is checked when it is made, again when it runs, and runs from a
// stream or from a graph.
#include <stdlib.h>

#include "internal.h"

typedef struct {
  gs_op op;
  gs_work* work;
} work_op;

gs_work* gs_work_ref(gs_work* work) {
  work->refs++;
  return work;
}

void gs_work_unref(gs_work* work) {
  if (work && --work->refs == 0) work->destroy(work);
}

int gs_work_begin(gs_context* context, const char* what, uint64_t* random) {
  uint64_t pause = gs_delay_of(what) + gs_delay_of("@work");
  if (gs.seed) pause += gs_random(random) % 3 ? 0 : gs_random(random) % 200000;
  if (pause && !context->sticky) {
    pthread_mutex_unlock(&gs.lock);
    gs_sleep(pause);
    pthread_mutex_lock(&gs.lock);
  }
  gs_hold(context, what);
  if (context->sticky) return GS_OK;
  int for_good;
  int code = gs_fault(what, &for_good);
  return code ? code : gs_fault("@work", &for_good);
}

int gs_work_run(gs_work* work) {
  pthread_mutex_lock(&gs.lock);
  int code = work->context->sticky;  // then nothing runs any more, and its memory may be freed
  if (!code) code = work->check(work, 1);
  pthread_mutex_unlock(&gs.lock);
  return code ? code : work->run(work);
}

void gs_work_launched(gs_work* work, int by) {
  if (work->function) work->function->module->launches += by;
}

static int run(gs_op* op) { return gs_work_run(((work_op*)op)->work); }

static void finish(gs_op* op) {
  gs_work* work = ((work_op*)op)->work;
  gs_work_launched(work, -1);
  gs_work_unref(work);
}

int gs_work_enqueue(gs_stream* stream, gs_work* work) {
  work_op* op = calloc(1, sizeof *op);
  op->op.what = work->what;
  op->op.run = run;
  op->op.finish = finish;
  op->work = work;
  gs_work_launched(work, 1);
  if (work->function) gs_place_count(stream->units);
  return gs_enqueue(stream, &op->op);
}
