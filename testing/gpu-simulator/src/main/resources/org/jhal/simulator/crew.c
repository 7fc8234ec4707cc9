// SPDX-License-Identifier: Apache-2.0
// Cooperative launches: all blocks run at the same time, each on a thread of its own, and wait for each other.
#include <pthread.h>
#include <stdlib.h>

#include "internal.h"

struct gs_crew {
  gpusim_run* run;
  void** arguments;
  const unsigned *grid, *block;
  unsigned shared;
  pthread_mutex_t lock;  // guards what follows
  pthread_cond_t changed;
  unsigned count, arrived, ended, round;
  int code;  // of the first block that failed
};

typedef struct {
  gs_crew* crew;
  unsigned index;
  pthread_t id;
} member;

// Called with the lock held.
static void fail(gs_crew* crew, int code) {
  if (!crew->code) crew->code = code;
  pthread_cond_broadcast(&crew->changed);
}

int gs_crew_meet(gs_crew* crew) {
  pthread_mutex_lock(&crew->lock);
  if (crew->ended > 0) {
    fail(crew, GS_LAUNCH_FAILED);  // a real device would wait forever
  } else if (++crew->arrived == crew->count) {
    crew->arrived = 0;
    crew->round++;
    pthread_cond_broadcast(&crew->changed);
  } else {
    unsigned round = crew->round;
    while (crew->round == round && !crew->code) pthread_cond_wait(&crew->changed, &crew->lock);
  }
  int code = crew->code;
  pthread_mutex_unlock(&crew->lock);
  return code;
}

static void* run(void* argument) {
  member* m = argument;
  gs_crew* crew = m->crew;
  gs_guard_install();
  int code = gs_grid_run_block(crew->run, crew->arguments, crew->grid, crew->block, crew->shared, m->index, crew);
  pthread_mutex_lock(&crew->lock);
  crew->ended++;
  if (!code && crew->arrived > 0) code = GS_LAUNCH_FAILED;
  if (code) fail(crew, code);
  pthread_mutex_unlock(&crew->lock);
  gs_grid_thread_end();
  return NULL;
}

int gs_crew_run(gpusim_run* kernel, void** arguments, const unsigned grid[3], const unsigned block[3], unsigned shared) {
  gs_crew crew = {.run = kernel,
                  .arguments = arguments,
                  .grid = grid,
                  .block = block,
                  .shared = shared,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .changed = PTHREAD_COND_INITIALIZER,
                  .count = grid[0] * grid[1] * grid[2]};
  member* members = calloc(crew.count, sizeof *members);
  unsigned started = 0;
  for (; started < crew.count; started++) {
    members[started] = (member){.crew = &crew, .index = started};
    if (pthread_create(&members[started].id, NULL, run, &members[started])) break;
  }
  if (started < crew.count) {
    pthread_mutex_lock(&crew.lock);
    fail(&crew, GS_OUT_OF_MEMORY);
    pthread_mutex_unlock(&crew.lock);
  }
  for (unsigned i = 0; i < started; i++) pthread_join(members[i].id, NULL);
  free(members);
  return crew.code;
}
