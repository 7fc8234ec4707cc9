// Spreads the workgroups of grids over threads.
#include "hal_runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  STACK = 16 << 20,  // of a thread; pages that are not used take no memory
  PROBE = 8,         // the part of a short grid that is run before the rest is taken at once
};

// About the time that a thread takes workgroups for at once, in nanoseconds.
static const long long CHUNK_NANOS = 50000;
// How long a thread looks for work before it sleeps, and how long a caller looks for the end.
static const long long SPIN_NANOS = 30000;

typedef struct hal_job hal_job;
struct hal_job {
  hal_function* function;
  void* const* arguments;
  hal_index grid;
  unsigned shared_size;
  unsigned long long count;
  _Atomic unsigned long long next;  // the first workgroup that no thread has taken
  _Atomic unsigned long long done;  // how many have ended, or will not begin
  _Atomic int failure;
  char text[HAL_TEXT];              // what is said about it; written by the thread that set it
  hal_output output;
  _Atomic int users;                // threads that look at it
  _Atomic int is_over;
  hal_job *before, *after;          // in the pool's ring; guarded by its lock
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
  hal_job* ring;             // jobs with workgroups that no thread has taken
  _Atomic unsigned version;  // grows with each job
  _Atomic int sleeping;      // changes with the lock held
  int waiting, is_closed;
  int count;
  worker workers[];
};

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// ---- threads ----

static int run(hal_thread* thread, hal_job* job, unsigned long long first, unsigned long long count) {
  if (!hal_reserve_shared(thread, job->shared_size ? job->shared_size : 64)) {
    thread->said = "what they share";
    return HAL_NO_MEMORY;
  }
  hal_print_begin(thread, &job->output);
  hal_launch launch = {job->arguments,   job->grid,        thread->shared, hal_stop,
                       hal_fiber_stack, hal_frame_memory, hal_print};
  int why = hal_call(thread, job->function->run, &launch, first, count);
  hal_print_end(thread, &job->output, first);
  return why;
}

static void unlink_job(hal_pool* pool, hal_job* job) {
  if (!job->after) return;
  if (job->after == job) {
    pool->ring = NULL;
  } else {
    job->before->after = job->after;
    job->after->before = job->before;
    if (pool->ring == job) pool->ring = job->after;
  }
  job->before = job->after = NULL;
}

static void end(hal_pool* pool, hal_job* job, unsigned long long count) {
  if (atomic_fetch_add(&job->done, count) + count < job->count) return;
  pthread_mutex_lock(&pool->lock);
  unlink_job(pool, job);
  atomic_store(&job->is_over, 1);
  if (pool->waiting) pthread_cond_broadcast(&pool->end);
  pthread_mutex_unlock(&pool->lock);
}

static unsigned long long left_of(hal_job* job) {
  unsigned long long next = atomic_load(&job->next);
  return job->count > next ? job->count - next : 0;
}

// How many workgroups take CHUNK_NANOS, by what they have taken lately.
static unsigned long long chunk(hal_job* job) {
  long long nanos = atomic_load(&job->function->group_nanos);
  return nanos > 0 ? (unsigned long long)(CHUNK_NANOS / nanos) + 1 : 1;
}

// How many workgroups a thread takes at once. Few are taken together, as another thread would hardly help; but a part
// of them first, as they may take longer than those before them.
static unsigned long long wanted(hal_job* job, int threads, int is_first) {
  unsigned long long left = left_of(job), most = chunk(job), fair = left / (2 * (unsigned)threads) + 1;
  if (left == 0 || atomic_load(&job->failure)) return left;
  if (left < most) return is_first ? left / PROBE + 1 : left;
  return fair < most ? fair : most;
}

static void run_piece(worker* w, hal_job* job, unsigned long long first, unsigned long long count) {
  if (atomic_load(&job->failure)) return;
  long long start = now();
  int why = run(&w->thread, job, first, count);
  long long each = (now() - start) / (long long)count;
  atomic_store(&job->function->group_nanos, each > 0 ? each : 1);
  int none = 0;
  if (why && atomic_compare_exchange_strong(&job->failure, &none, why)) hal_describe(&w->thread, job->text);
}

// Wakes threads if there is more work than was thought.
static void wake(hal_pool* pool, hal_job* job) {
  if (!atomic_load(&pool->sleeping) || left_of(job) <= chunk(job)) return;
  pthread_mutex_lock(&pool->lock);
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
}

// Runs workgroups of a job for about CHUNK_NANOS. Returns 0 if none are left.
static int work_on(worker* w, hal_job* job) {
  hal_pool* pool = w->pool;
  for (int pieces = 0; pieces < 2; pieces++) {
    unsigned long long most = wanted(job, pool->count, pieces == 0);
    if (most == 0) return pieces > 0;
    unsigned long long first = atomic_fetch_add(&job->next, most);
    if (first >= job->count) return pieces > 0;
    unsigned long long count = job->count - first < most ? job->count - first : most;
    run_piece(w, job, first, count);
    wake(pool, job);
    end(pool, job, count);
    if (left_of(job) >= chunk(job)) break;
  }
  return 1;
}

// The next job in turn, with the worker among its users; sleeps until there is one. NULL when the pool is closed.
static hal_job* take(hal_pool* pool) {
  pthread_mutex_lock(&pool->lock);
  while (!pool->ring && !pool->is_closed) {
    unsigned version = atomic_load(&pool->version);
    pthread_mutex_unlock(&pool->lock);
    long long until = now() + SPIN_NANOS;
    while (atomic_load(&pool->version) == version && now() < until) relax();
    pthread_mutex_lock(&pool->lock);
    if (!pool->ring && !pool->is_closed && atomic_load(&pool->version) == version) {
      atomic_fetch_add(&pool->sleeping, 1);
      pthread_cond_wait(&pool->work, &pool->lock);
      atomic_fetch_sub(&pool->sleeping, 1);
    }
  }
  hal_job* job = pool->ring;
  if (job) {
    pool->ring = job->after;  // the next thread takes the next one
    atomic_fetch_add(&job->users, 1);
  }
  pthread_mutex_unlock(&pool->lock);
  return job;
}

static void* loop(void* argument) {
  worker* w = argument;
  hal_pool* pool = w->pool;
  hal_faults_enter(&w->thread);
  for (hal_job* job = take(pool); job; job = take(pool)) {
    if (!work_on(w, job)) {
      pthread_mutex_lock(&pool->lock);
      unlink_job(pool, job);
      pthread_mutex_unlock(&pool->lock);
    }
    atomic_fetch_sub(&job->users, 1);
  }
  hal_faults_leave();
  return NULL;
}

static int start(worker* w, const pthread_attr_t* attributes, const char* name, int index) {
  if (!hal_thread_make(&w->thread) || pthread_create(&w->id, attributes, loop, w)) {
    hal_thread_free(&w->thread);
    return 0;
  }
  char full[16];  // a name has 15 characters at most
  snprintf(full, sizeof full, "%.10s-%hu", name, (unsigned short)index);
  pthread_setname_np(w->id, full);
  return 1;
}

// ---- for Java ----

HAL_EXPORT void hal_pool_close(hal_pool* pool);

// Starts threads, perhaps fewer than asked for. Returns NULL if there is none.
HAL_EXPORT hal_pool* hal_pool_open(int threads, const char* name) {
  if (!hal_faults_install()) return NULL;
  hal_pool* pool = calloc(1, sizeof *pool + (size_t)threads * sizeof(worker));
  if (!pool) return NULL;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->end, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_attr_setguardsize(&attributes, HAL_GUARD);
  sigset_t before;
  hal_block_signals(&before);  // new threads inherit that
  for (int i = 0; i < threads; i++) {
    pool->workers[i].pool = pool;
    if (!start(&pool->workers[i], &attributes, name, i)) break;
    pool->count++;  // threads read it when they have got work
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (pool->count > 0) return pool;
  hal_pool_close(pool);
  return NULL;
}

HAL_EXPORT int hal_pool_threads(hal_pool* pool) { return pool->count; }

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
  pthread_cond_destroy(&pool->work);
  pthread_cond_destroy(&pool->end);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

// Adds a job to the ring, and wakes as many threads as it seems to need.
static void add(hal_pool* pool, hal_job* job) {
  unsigned long long chunks = job->count / chunk(job) + 1;
  pthread_mutex_lock(&pool->lock);
  if (pool->ring) {
    job->after = pool->ring;
    job->before = pool->ring->before;
    job->before->after = job->after->before = job;
  } else {
    job->before = job->after = pool->ring = job;
  }
  atomic_fetch_add(&pool->version, 1);
  unsigned sleeping = (unsigned)atomic_load(&pool->sleeping);
  if (sleeping > 0 && chunks >= sleeping) {
    pthread_cond_broadcast(&pool->work);
  } else if (sleeping > 0) {
    while (chunks-- > 0) pthread_cond_signal(&pool->work);
  }
  pthread_mutex_unlock(&pool->lock);
}

// Waits until no workgroup of the job runs, and no thread looks at it.
static void await(hal_pool* pool, hal_job* job) {
  long long until = now() + SPIN_NANOS;
  while (!atomic_load(&job->is_over) && now() < until) relax();
  if (!atomic_load(&job->is_over)) {
    pthread_mutex_lock(&pool->lock);
    pool->waiting++;
    while (!atomic_load(&job->is_over)) pthread_cond_wait(&pool->end, &pool->lock);
    pool->waiting--;
    pthread_mutex_unlock(&pool->lock);
  }
  for (int i = 0; atomic_load(&job->users); i++) {  // they are about to leave it
    if (i < 1000) {
      relax();
    } else {
      sched_yield();
    }
  }
}

static __thread char failure_text[HAL_TEXT];

// Runs a grid and waits for its end. Returns why it has failed, or 0.
HAL_EXPORT int hal_pool_run(hal_pool* pool, hal_function* function, void* const* arguments, unsigned x, unsigned y, unsigned z,
                            unsigned shared) {
  hal_job job = {.function = function, .arguments = arguments, .grid = {x, y, z}, .shared_size = shared};
  job.count = (unsigned long long)x * y * z;  // of a device's limits the product is less than 2^63
  if (job.count == 0) return 0;
  hal_output_begin(&job.output);
  add(pool, &job);
  await(pool, &job);
  hal_output_write(&job.output);
  int failure = atomic_load(&job.failure);
  if (failure) memcpy(failure_text, job.text, sizeof failure_text);
  return failure;
}

// More about the last failure that hal_pool_run has returned on this thread.
HAL_EXPORT void hal_failure_text(char* text, int size) { snprintf(text, (size_t)size, "%s", failure_text); }
