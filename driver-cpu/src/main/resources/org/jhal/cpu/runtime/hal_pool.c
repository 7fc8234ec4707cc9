// SPDX-License-Identifier: Apache-2.0
// Spreads the workgroups of grids over threads.
#include "hal_runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

enum {
  STACK = 16 << 20,  // of a thread; pages that are not used take no memory
  PROBE = 8,         // the part of a short grid that is run before the rest is taken at once
  LINE = 64,         // bytes of a cache line
};

// About the time that a thread takes workgroups for at once, in nanoseconds.
static const long long CHUNK_NANOS = 50000;

// Grids that run one after the other. A thread is among the job's users while it looks at it. The grid changes when all its
// workgroups have ended and the last user leaves, so users never see it change.
typedef struct hal_job hal_job;
struct hal_job {
  const hal_grid* grids;            // the present one, and those behind it
  int grids_left;                   // with the present one
  int rank;                         // jobs with a higher one get threads first
  unsigned long long count;         // workgroups of the present grid
  _Atomic unsigned long long next;  // the first workgroup that no thread has taken
  _Atomic unsigned long long done;  // how many have ended, or will not begin
  _Atomic int has_failed;           // the present grid, which then is the last one
  hal_failure failure;              // of it; written by the thread that set that
  hal_output output;                // of the present grid
  int users;                        // guarded by the pool's lock
  hal_job *before, *after;          // in the pool's ring; guarded by its lock
  _Alignas(LINE) _Atomic unsigned is_over;
};

typedef struct hal_pool hal_pool;

typedef struct {
  hal_pool* pool;
  pthread_t id;
  hal_thread thread;
} worker;

struct hal_pool {
  pthread_mutex_t lock;
  pthread_cond_t work, end;
  hal_job* ring;      // jobs that are not over
  int running;        // threads that run workgroups, callers among them: none begins beyond `most`
  int most;           // at most `count`; the others are lent to another pool
  int looking;        // threads that will notice another version
  int sleeping;       // threads that have to be woken
  int waiting;        // callers that wait for an end
  int is_closed, count;
  hal_crew* crew;     // for grids whose workgroups wait for each other
  _Alignas(LINE) _Atomic unsigned version;  // grows when there is more work; changes with the lock held
  _Alignas(LINE) worker workers[];
};

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// ---- waiting ----

// To sleep and to be woken takes longer than most waits. So a thread first looks for what it waits for, and lets others have
// its processor in between, as the one that it waits for may need it. If one of them keeps the processor for long, the
// machine is crowded. Then threads sleep at once for a while, because the system soon runs a thread that is woken, but lets
// one that has yielded wait for its turn.
static const long long WATCH_NANOS = 30000;
static const long long KEPT_NANOS = 200000;        // of a processor: more shows that the machine is crowded
static const long long CROWDED_NANOS = 200000000;  // for how long it then counts as crowded
static _Atomic long long crowded_until;

// Waits a little for `word` to change from `old`.
void hal_watch(_Atomic unsigned* word, unsigned old) {
  long long start = now(), at = start;
  while (atomic_load(word) == old && at - start < WATCH_NANOS && at >= atomic_load(&crowded_until)) {
    long long before = at;
    sched_yield();
    at = now();
    if (at - before > KEPT_NANOS) atomic_store(&crowded_until, at + CROWDED_NANOS);
  }
}

// ---- the grids of a job ----

// Of a device's limits the product is less than 2^63.
static void set_grid(hal_job* job) {
  job->count = (unsigned long long)job->grids->size.x * job->grids->size.y * job->grids->size.z;
  atomic_store(&job->next, 0);
  atomic_store(&job->done, 0);
}

// Goes on to the next grid that has workgroups. Returns 0 if there is none, or if the caller has to act first.
static int next_grid(hal_job* job) {
  if (atomic_load(&job->has_failed) || hal_has_output(&job->output)) return 0;
  while (job->grids_left > 1) {
    job->grids++;
    job->grids_left--;
    set_grid(job);
    if (job->count > 0) return 1;
  }
  return 0;
}

static unsigned long long left_of(hal_job* job) {
  unsigned long long next = atomic_load(&job->next);
  return job->count > next ? job->count - next : 0;
}

// How many workgroups take CHUNK_NANOS, by what they have taken lately.
static unsigned long long chunk(hal_job* job) {
  long long nanos = atomic_load(&job->grids->function->group_nanos);
  return nanos > 0 ? (unsigned long long)(CHUNK_NANOS / nanos) + 1 : 1;
}

// How many workgroups a thread takes at once. Few are taken together, as another thread would hardly help; but a part
// of them first, as they may take longer than those before them.
static unsigned long long wanted(hal_job* job, int threads, int is_first) {
  unsigned long long left = left_of(job), most = chunk(job), fair = left / (2 * (unsigned)threads) + 1;
  if (left == 0 || atomic_load(&job->has_failed)) return left;
  if (left < most) return is_first ? left / PROBE + 1 : left;
  return fair < most ? fair : most;
}

// Lets threads know of work for `more` of them. Called with the lock held.
static void wake(hal_pool* pool, unsigned long long more) {
  if (more == 0) return;
  atomic_fetch_add(&pool->version, 1);
  unsigned long long looking = (unsigned)pool->looking, sleeping = (unsigned)pool->sleeping;
  if (more >= looking + sleeping) {
    pthread_cond_broadcast(&pool->work);
  } else {
    for (; more > looking; more--) pthread_cond_signal(&pool->work);
  }
}

// Adds a job to the ring, before the one whose turn it is. Called with the lock held.
static void add(hal_pool* pool, hal_job* job) {
  if (pool->ring) {
    job->after = pool->ring;
    job->before = pool->ring->before;
    job->before->after = job->after->before = job;
  } else {
    job->before = job->after = pool->ring = job;
  }
}

// Takes a job out of the ring, and ends the wait of its caller. Called with the lock held; the job is the caller's then.
static void end(hal_pool* pool, hal_job* job) {
  if (job->after == job) {
    pool->ring = NULL;
  } else {
    job->before->after = job->after;
    job->after->before = job->before;
    if (pool->ring == job) pool->ring = job->after;
  }
  atomic_store(&job->is_over, 1);
  if (pool->waiting) pthread_cond_broadcast(&pool->end);
}

// ---- threads ----

int hal_run_groups(hal_thread* thread, const hal_grid* grid, hal_output* output, unsigned long long first,
                   unsigned long long count, void (*meet)(void)) {
  if (!hal_reserve_shared(thread, grid->shared_size ? grid->shared_size : 64)) {
    thread->said = "what they share";
    return HAL_NO_MEMORY;
  }
  if (grid->function->check && !hal_check_enter(thread)) return HAL_NO_MEMORY;
  hal_print_begin(thread, output);
  hal_memory_begin(thread);
  hal_checked_launch launch = {
      {grid->arguments, grid->size, thread->shared, hal_stop, hal_fiber_stack, hal_kernel_memory, hal_print, meet},
      thread->checked};
  if (grid->function->check) {
    thread->checked->check = grid->function->check;
    thread->checked->dynamic = thread->shared;
    thread->checked->dynamic_size = grid->shared_size;
  }
  int why = hal_call(thread, grid->function->run, &launch.launch, first, count);
  hal_print_end(thread, output, first);
  return why;
}

// Begins now, at `start`, and returns when it has ended.
static long long run_piece(worker* w, hal_job* job, unsigned long long first, unsigned long long count, long long start) {
  if (atomic_load(&job->has_failed)) return start;
  int why = hal_run_groups(&w->thread, job->grids, &job->output, first, count, NULL);
  long long end = now(), each = (end - start) / (long long)count;
  atomic_store(&job->grids->function->group_nanos, each > 0 ? each : 1);
  int none = 0;
  if (why && atomic_compare_exchange_strong(&job->has_failed, &none, 1)) {
    hal_failure_set(&job->failure, why, &w->thread);
  }
  return end;
}

// Wakes threads if there is more work than was thought.
static void call_for_help(hal_pool* pool, hal_job* job) {
  unsigned long long more = left_of(job) / chunk(job);
  if (more == 0) return;
  pthread_mutex_lock(&pool->lock);
  wake(pool, more);
  pthread_mutex_unlock(&pool->lock);
}

// Runs workgroups of a job for about CHUNK_NANOS.
static void work_on(worker* w, hal_job* job) {
  long long at = now();
  for (int pieces = 0; pieces < 2; pieces++) {
    unsigned long long most = wanted(job, w->pool->count, pieces == 0);
    if (most == 0) return;
    unsigned long long first = atomic_fetch_add(&job->next, most);
    if (first >= job->count) return;
    unsigned long long count = job->count - first < most ? job->count - first : most;
    at = run_piece(w, job, first, count, at);
    atomic_fetch_add(&job->done, count);
    if (left_of(job) >= chunk(job)) break;
  }
  call_for_help(w->pool, job);
}

// Whether one more thread can help with a job. Called with the lock held.
static int can_be_helped(hal_job* job) { return job->users == 0 || left_of(job) >= chunk(job); }

// Of the jobs with the highest rank that a thread can help with, the next in turn. Called with the lock held.
static hal_job* choose(hal_pool* pool) {
  hal_job *best = NULL, *job = pool->ring;
  for (hal_job* first = job; job; job = job->after == first ? NULL : job->after) {
    if ((!best || job->rank > best->rank) && can_be_helped(job)) best = job;
  }
  if (!best) return NULL;
  pool->ring = best->after;  // the next thread takes the next one
  best->users++;
  return best;
}

// Waits until there may be work. Called with the lock held.
static void await_work(hal_pool* pool) {
  unsigned version = atomic_load(&pool->version);
  pool->looking++;
  pthread_mutex_unlock(&pool->lock);
  hal_watch(&pool->version, version);
  pthread_mutex_lock(&pool->lock);
  pool->looking--;
  if (pool->is_closed || atomic_load(&pool->version) != version) return;
  pool->sleeping++;
  pthread_cond_wait(&pool->work, &pool->lock);
  pool->sleeping--;
}

// The last user of a finished grid goes on to the next one. Called with the lock held.
static void leave(hal_pool* pool, hal_job* job) {
  if (--job->users > 0 || atomic_load(&job->done) < job->count) return;
  if (next_grid(job)) {
    wake(pool, left_of(job) / chunk(job));
  } else {
    end(pool, job);
  }
}

static void* loop(void* argument) {
  worker* w = argument;
  hal_pool* pool = w->pool;
  hal_faults_enter(&w->thread);
  pthread_mutex_lock(&pool->lock);
  while (!pool->is_closed) {
    hal_job* job = pool->running < pool->most ? choose(pool) : NULL;
    if (!job) {
      await_work(pool);
      continue;
    }
    pool->running++;
    pthread_mutex_unlock(&pool->lock);
    work_on(w, job);
    pthread_mutex_lock(&pool->lock);
    pool->running--;
    leave(pool, job);
  }
  pthread_mutex_unlock(&pool->lock);
  hal_faults_leave();
  return NULL;
}

int hal_thread_start(pthread_t* id, void* (*body)(void*), void* argument, const char* name) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_attr_setguardsize(&attributes, HAL_GUARD);
  sigset_t before;
  hal_block_signals(&before);  // new threads inherit that
  int is_started = !pthread_create(id, &attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (is_started) pthread_setname_np(*id, name);
  return is_started;
}

static int start(worker* w, const char* name, int index) {
  char full[16];  // a name has 15 characters at most
  snprintf(full, sizeof full, "%.10s-%hu", name, (unsigned short)index);
  if (hal_thread_make(&w->thread) && hal_thread_start(&w->id, loop, w, full)) return 1;
  hal_thread_free(&w->thread);
  return 0;
}

// ---- callers ----

// A thread that launches a grid works on it too, so that a short one needs no other thread. It does so on a stack of the
// runtime's, as its own may be short, and have no guard that a kernel's large frame cannot miss.
typedef struct {
  worker own;
  hal_job* job;
  char* stack;  // above its guard
  ucontext_t back, there;
} caller;

static pthread_key_t callers;
static int has_callers;

static void free_caller(void* memory) {
  caller* c = memory;
  hal_thread_free(&c->own.thread);
  munmap(c->stack - HAL_GUARD, HAL_GUARD + STACK);
  free(c);
}

static void make_callers(void) { has_callers = !pthread_key_create(&callers, free_caller); }

// The calling thread's; NULL if there is no memory. It is freed when the thread ends.
static caller* this_caller(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_callers);
  if (!has_callers) return NULL;
  caller* c = pthread_getspecific(callers);
  if (c) return c;
  char* memory = mmap(NULL, HAL_GUARD + STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  c = calloc(1, sizeof *c);
  if (c && hal_thread_make(&c->own.thread)) {
    c->stack = c->own.thread.low = memory + HAL_GUARD;
    c->own.thread.high = c->stack + STACK;
    if (!mprotect(c->stack, STACK, PROT_READ | PROT_WRITE) && !pthread_setspecific(callers, c)) return c;
    hal_thread_free(&c->own.thread);
  }
  free(c);
  munmap(memory, HAL_GUARD + STACK);
  return NULL;
}

// Whether nobody runs one of the other jobs of this rank, or one of a higher rank can be helped. Called with the lock held; the
// job is in the ring.
static int another_waits(hal_job* job) {
  for (hal_job* other = job->after; other != job; other = other->after) {
    if (other->rank == job->rank ? other->users == 0 : other->rank > job->rank && can_be_helped(other)) return 1;
  }
  return 0;
}

// Makes the calling thread a user of its job if it can help and takes no other job's turn. Called with the lock held.
static int join(hal_pool* pool, hal_job* job) {
  if (atomic_load(&job->is_over) || pool->running >= pool->most || another_waits(job) || !can_be_helped(job)) return 0;
  pool->running++;
  job->users++;
  return 1;
}

// Runs one grid after the other, since to change the stack takes longer than a short grid.
static void work_as_caller(void) {
  caller* c = pthread_getspecific(callers);
  hal_pool* pool = c->own.pool;
  int goes_on;
  do {
    work_on(&c->own, c->job);
    pthread_mutex_lock(&pool->lock);
    pool->running--;
    leave(pool, c->job);
    goes_on = join(pool, c->job);
    pthread_mutex_unlock(&pool->lock);
  } while (goes_on);
}

// Works on a job that the calling thread has joined, until it leaves it.
static void help(caller* c, hal_pool* pool, hal_job* job) {
  c->own.pool = pool;
  c->job = job;
  sigset_t before;
  hal_block_signals(&before);
  hal_faults_enter(&c->own.thread);
  getcontext(&c->there);
  c->there.uc_stack = (stack_t){.ss_sp = c->stack, .ss_size = STACK};
  c->there.uc_link = &c->back;
  makecontext(&c->there, work_as_caller, 0);
  swapcontext(&c->back, &c->there);
  hal_faults_leave();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Has a job run, by the calling thread as long as it can help, and by others.
static void launch(hal_pool* pool, hal_job* job) {
  caller* c = this_caller();
  pthread_mutex_lock(&pool->lock);
  add(pool, job);
  int others = !c || pool->running >= pool->most;  // they have to begin
  wake(pool, job->count / chunk(job) + (unsigned)others);
  if (c && join(pool, job)) {
    pthread_mutex_unlock(&pool->lock);
    help(c, pool, job);
    pthread_mutex_lock(&pool->lock);
  }
  if (pool->ring) wake(pool, 1);  // a thread may have been one too many until now, or be needed for this job
  pthread_mutex_unlock(&pool->lock);
}

// ---- for Java ----

HAL_EXPORT void hal_pool_close(hal_pool* pool);

// From now on, at most `most` threads begin to run workgroups at the same time.
HAL_EXPORT void hal_pool_limit(hal_pool* pool, int most) {
  pthread_mutex_lock(&pool->lock);
  pool->most = most;
  wake(pool, (unsigned)pool->count);
  pthread_mutex_unlock(&pool->lock);
  if (pool->crew) hal_crew_limit(pool->crew, most);
}

// Starts threads. Returns NULL if one of them cannot be started; then none is left.
HAL_EXPORT hal_pool* hal_pool_open(int threads, const char* name) {
  if (!hal_faults_install()) return NULL;
  size_t size = sizeof(hal_pool) + (size_t)threads * sizeof(worker);
  hal_pool* pool = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
  if (!pool) return NULL;
  memset(pool, 0, size);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->end, NULL);
  pool->crew = hal_crew_open(threads, name);
  for (int i = 0; pool->crew && i < threads; i++) {
    pool->workers[i].pool = pool;
    if (!start(&pool->workers[i], name, i)) break;
    pool->count++;  // threads read it when they have got work
  }
  hal_pool_limit(pool, pool->count);
  if (pool->count == threads) return pool;
  hal_pool_close(pool);
  return NULL;
}

// Ends the threads, none of which runs a kernel.
HAL_EXPORT void hal_pool_close(hal_pool* pool) {
  pthread_mutex_lock(&pool->lock);
  pool->is_closed = 1;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < pool->count; i++) {
    pthread_join(pool->workers[i].id, NULL);
    hal_thread_free(&pool->workers[i].thread);
  }
  hal_crew_close(pool->crew);
  pthread_cond_destroy(&pool->work);
  pthread_cond_destroy(&pool->end);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

// Waits until a job is over.
static void await(hal_pool* pool, hal_job* job) {
  hal_watch(&job->is_over, 0);
  if (atomic_load(&job->is_over)) return;
  pthread_mutex_lock(&pool->lock);
  pool->waiting++;
  while (!atomic_load(&job->is_over)) pthread_cond_wait(&pool->end, &pool->lock);
  pool->waiting--;
  pthread_mutex_unlock(&pool->lock);
}

static __thread hal_failure last_failure;

void hal_failure_set(hal_failure* failure, int why, const hal_thread* thread) {
  failure->why = why;
  hal_describe(thread, failure->text);
  failure->address = why == HAL_ILLEGAL_ADDRESS && thread->has_address ? thread->address : NULL;
}

// How many grids the pool's threads may run one after the other: up to one whose workgroups need threads of their own.
static int alike(const hal_grid* grids, int count) {
  int alike = 1;
  while (alike < count && !grids[alike].function->is_cooperative) alike++;
  return alike;
}

// Runs grids one after the other and waits for their end. Stops behind the first one that fails. Returns why that has
// failed, or 0; `ended`: how many grids have ended, with the one that has failed. Threads that have to choose run grids of a
// higher rank first, and look after each CHUNK_NANOS.
HAL_EXPORT int hal_pool_run(hal_pool* pool, int rank, const hal_grid* grids, int count, int* ended) {
  last_failure = (hal_failure){0};
  for (*ended = 0; *ended < count && !last_failure.why; ++*ended) {
    const hal_grid* first = grids + *ended;
    hal_job job = {.grids = first, .grids_left = alike(first, count - *ended), .rank = rank};
    set_grid(&job);
    if (job.count == 0) continue;
    hal_output_begin(&job.output);
    if (first->function->is_cooperative) {
      hal_crew_run(pool->crew, rank, first, (unsigned)job.count, &job.output, &job.failure);
    } else {
      launch(pool, &job);
      await(pool, &job);
    }
    hal_output_write(&job.output);
    last_failure = job.failure;
    *ended = (int)(job.grids - grids);
  }
  return last_failure.why;
}

// More about the last failure that hal_pool_run has returned on this thread.
HAL_EXPORT void* hal_failure_address(void) { return last_failure.address; }
HAL_EXPORT void hal_failure_text(char* text, int size) { snprintf(text, (size_t)size, "%s", last_failure.text); }
