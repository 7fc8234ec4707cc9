// SPDX-License-Identifier: Apache-2.0
// Runs grids whose workgroups wait for each other: each on a thread of its own, as its shared memory is that of the thread.
// One grid runs at a time, so that its workgroups never wait for those of another; of those that wait, one of the highest rank.
#include "hal_runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A workgroup is ready until it may run; it runs until it has ended, or waits for the others.
enum { IDLE, READY, RUNNING, WAITING };

typedef struct {
  hal_thread thread;  // the first field, so that the thread of a kernel leads here
  hal_crew* crew;
  unsigned index;  // of the workgroup
  pthread_t id;
  pthread_cond_t go;
  _Atomic unsigned state;  // changes with the crew's lock held
} member;

// A caller that waits until its grid may run.
typedef struct caller caller;
struct caller {
  int rank;
  caller* next;  // who came later
};

struct hal_crew {
  pthread_mutex_t lock;  // guards what follows
  pthread_cond_t turn;   // another grid may run
  pthread_cond_t over;
  int is_busy;           // a grid runs
  caller* callers;       // in the order in which they came
  int threads;  // how many run at the same time at most
  int free;     // how many more may
  int is_closed;
  char name[16];
  const hal_grid* grid;
  hal_output* output;
  hal_failure* failure;  // of the grid; its first one stays
  unsigned count;        // workgroups
  unsigned arrived;      // of these, those that wait for the others
  unsigned ended;
  unsigned made;
  member* members[HAL_RESIDENT];
};

// Lets as many run as may. Called with the lock held.
static void go_on(hal_crew* crew) {
  for (unsigned i = 0; i < crew->count && crew->free > 0; i++) {
    member* m = crew->members[i];
    if (atomic_load(&m->state) != READY) continue;
    crew->free--;
    atomic_store(&m->state, RUNNING);
    pthread_cond_signal(&m->go);
  }
}

// Called with the lock held.
static void release(hal_crew* crew) {
  crew->arrived = 0;
  for (unsigned i = 0; i < crew->count; i++) {
    if (atomic_load(&crew->members[i]->state) == WAITING) atomic_store(&crew->members[i]->state, READY);
  }
  go_on(crew);
}

// The grid fails: those that wait do so in vain. Called with the lock held.
static void fail(member* m, int why) {
  hal_crew* crew = m->crew;
  if (!crew->failure->why) hal_failure_set(crew->failure, why, &m->thread);
  release(crew);
}

// Called with the lock held.
static void leave(member* m, unsigned state) {
  atomic_store(&m->state, state);
  m->crew->free++;
}

// Waits for all workgroups of the grid. Does not return if they never come.
static void meet(void) {
  member* m = (member*)hal_current();
  hal_crew* crew = m->crew;
  pthread_mutex_lock(&crew->lock);
  if (!crew->failure->why && crew->ended > 0) {
    m->thread.said = NULL;
    m->thread.has_address = 0;
    fail(m, HAL_STUCK);
  }
  int is_last = !crew->failure->why && ++crew->arrived == crew->count;
  if (is_last) release(crew);
  if (!is_last && !crew->failure->why) {
    leave(m, WAITING);
    go_on(crew);
    if (crew->count <= (unsigned)crew->threads) {  // they come soon
      pthread_mutex_unlock(&crew->lock);
      hal_watch(&m->state, WAITING);
      pthread_mutex_lock(&crew->lock);
    }
    while (atomic_load(&m->state) != RUNNING) pthread_cond_wait(&m->go, &crew->lock);
  }
  int failed = crew->failure->why;
  pthread_mutex_unlock(&crew->lock);
  if (failed) hal_stop(HAL_STUCK, NULL);  // which tells nobody
}

// Waits until its workgroup may run. Returns 0 if the crew is closed. Called with the lock held.
static int await_work(member* m) {
  while (!m->crew->is_closed && atomic_load(&m->state) != RUNNING) pthread_cond_wait(&m->go, &m->crew->lock);
  return !m->crew->is_closed;
}

static void* loop(void* argument) {
  member* m = argument;
  hal_crew* crew = m->crew;
  hal_faults_enter(&m->thread);
  pthread_mutex_lock(&crew->lock);
  while (await_work(m)) {
    int why = 0;
    if (!crew->failure->why) {
      pthread_mutex_unlock(&crew->lock);
      why = hal_run_groups(&m->thread, crew->grid, crew->output, m->index, 1, meet);
      pthread_mutex_lock(&crew->lock);
    }
    crew->ended++;
    leave(m, IDLE);
    if (why) {
      fail(m, why);
    } else if (crew->arrived > 0) {  // they wait for this one
      m->thread.said = NULL;
      m->thread.has_address = 0;
      fail(m, HAL_STUCK);
    } else {
      go_on(crew);
    }
    if (crew->ended == crew->count) pthread_cond_signal(&crew->over);
  }
  pthread_mutex_unlock(&crew->lock);
  hal_faults_leave();
  return NULL;
}

static member* make_member(hal_crew* crew) {
  member* m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->crew = crew;
  m->index = crew->made;
  pthread_cond_init(&m->go, NULL);
  char name[16];
  snprintf(name, sizeof name, "%.8s-g%hu", crew->name, (unsigned short)m->index);
  if (hal_thread_make(&m->thread) && hal_thread_start(&m->id, loop, m, name)) return m;
  hal_thread_free(&m->thread);
  pthread_cond_destroy(&m->go);
  free(m);
  return NULL;
}

// Called with the lock held.
static int make_members(hal_crew* crew, unsigned count) {
  for (; crew->made < count; crew->made++) {
    crew->members[crew->made] = make_member(crew);
    if (!crew->members[crew->made]) return 0;
  }
  return 1;
}

// Whether nobody who waits has a higher rank, or the same and came earlier. Called with the lock held.
static int is_first(hal_crew* crew, const caller* one) {
  int came_earlier = 1;
  for (caller* other = crew->callers; other; other = other->next) {
    if (other == one) {
      came_earlier = 0;
    } else if (other->rank > one->rank || (came_earlier && other->rank == one->rank)) {
      return 0;
    }
  }
  return 1;
}

// Called with the lock held.
static void await_turn(hal_crew* crew, int rank) {
  caller own = {.rank = rank};
  caller** end = &crew->callers;
  while (*end) end = &(*end)->next;
  *end = &own;
  while (crew->is_busy || !is_first(crew, &own)) pthread_cond_wait(&crew->turn, &crew->lock);
  for (end = &crew->callers; *end != &own; end = &(*end)->next) {}
  *end = own.next;
  crew->is_busy = 1;
}

void hal_crew_limit(hal_crew* crew, int most) {
  pthread_mutex_lock(&crew->lock);
  crew->free += most - crew->threads;
  crew->threads = most;
  go_on(crew);
  pthread_mutex_unlock(&crew->lock);
}

void hal_crew_run(hal_crew* crew, int rank, const hal_grid* grid, unsigned count, hal_output* output, hal_failure* failure) {
  pthread_mutex_lock(&crew->lock);
  await_turn(crew, rank);
  if (count > HAL_RESIDENT || !make_members(crew, count)) {
    failure->why = HAL_NO_MEMORY;
    snprintf(failure->text, sizeof failure->text, "a thread for each of %u workgroups", count);
  } else {
    crew->grid = grid;
    crew->output = output;
    crew->failure = failure;
    crew->count = count;
    crew->arrived = crew->ended = 0;
    crew->free = crew->threads;
    for (unsigned i = 0; i < count; i++) atomic_store(&crew->members[i]->state, READY);
    go_on(crew);
    while (crew->ended < count) pthread_cond_wait(&crew->over, &crew->lock);
    crew->count = 0;
  }
  crew->is_busy = 0;
  pthread_cond_broadcast(&crew->turn);
  pthread_mutex_unlock(&crew->lock);
}

hal_crew* hal_crew_open(int threads, const char* name) {
  hal_crew* crew = calloc(1, sizeof *crew);
  if (!crew) return NULL;
  crew->threads = threads;
  snprintf(crew->name, sizeof crew->name, "%s", name);
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->turn, NULL);
  pthread_cond_init(&crew->over, NULL);
  return crew;
}

void hal_crew_close(hal_crew* crew) {
  if (!crew) return;
  pthread_mutex_lock(&crew->lock);
  crew->is_closed = 1;
  for (unsigned i = 0; i < crew->made; i++) pthread_cond_signal(&crew->members[i]->go);
  pthread_mutex_unlock(&crew->lock);
  for (unsigned i = 0; i < crew->made; i++) {
    member* m = crew->members[i];
    pthread_join(m->id, NULL);
    hal_thread_free(&m->thread);
    pthread_cond_destroy(&m->go);
    free(m);
  }
  pthread_cond_destroy(&crew->over);
  pthread_cond_destroy(&crew->turn);
  pthread_mutex_destroy(&crew->lock);
  free(crew);
}
