// Runs compiled kernels on threads of its own. A fault of a kernel ends its dispatch, not the process: each thread has an
// alternate stack for signals, and the handler acts on these threads alone, while they run a kernel. All other signals go
// to the handler before it. Once loaded, this library stays.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hal_abi.h"

#define EXPORT __attribute__((visibility("default")))

// Why a dispatch has failed, beside what hal_abi.h has.
enum { ILLEGAL_ADDRESS = 16, ARITHMETIC = 17, ILLEGAL_INSTRUCTION = 18, STACK_OVERFLOW = 19, NO_MEMORY = 20 };

enum {
  STACK = 16 << 20,        // of a thread; pages that are not used take no memory
  GUARD = 64 << 10,        // below it
  SIGNAL_STACK = 64 << 10,
  PRINTED = 64 << 10,      // what a thread gathers before it writes it out
  FIBERS = 1024,           // the most items of a workgroup
};

// About the time that a thread takes workgroups for at once, in nanoseconds.
static const long long CHUNK_NANOS = 50000;
// How long a thread looks for work before it sleeps, and how long a caller looks for the end.
static const long long SPIN_NANOS = 30000;

typedef struct {
  hal_run* run;
  _Atomic long long group_nanos;  // what a workgroup has taken lately; 0 if none has run
} hal_function;

typedef struct hal_job hal_job;
struct hal_job {
  hal_function* function;
  void* const* arguments;
  hal_index grid;
  unsigned shared_size;
  unsigned long long count;
  _Atomic unsigned long long next;   // the first workgroup that no thread has taken
  _Atomic unsigned long long done;   // how many have ended, or will not begin
  _Atomic int failure;
  _Atomic int users;                 // threads that look at it
  _Atomic int is_over;
  hal_job *before, *after;           // in the pool's ring; guarded by its lock
};

typedef struct hal_pool hal_pool;

typedef struct {
  hal_pool* pool;
  pthread_t thread;
  char* shared;
  size_t shared_size;
  char* frames;         // of coroutines
  size_t frames_size;
  char* stacks;         // of fibers
  size_t stacks_size;
  unsigned stack_size, stack_count;
  char* low;            // the end of its own stack
  char* signal_stack;
  char* printed;
  size_t printed_length;
  sigjmp_buf out;
  volatile int is_inside;  // runs a kernel
  volatile int reason;
} worker;

struct hal_pool {
  pthread_mutex_t lock;
  pthread_cond_t work, end;
  hal_job* ring;              // jobs with workgroups that no thread has taken
  _Atomic unsigned version;   // grows with each job
  int sleeping, waiting, is_closed;
  int count;
  worker workers[];
};

static __thread worker* volatile self __attribute__((tls_model("initial-exec")));

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

// ---- faults ----

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[64];

static int is_overflow(worker* w, const char* address) {
  if (address >= w->low - GUARD && address < w->low + 4096) return 1;
  if (!w->stacks || address < w->stacks || address >= w->stacks + w->stacks_size) return 0;
  return (size_t)(address - w->stacks) % (w->stack_size + GUARD) < GUARD;
}

static void handler(int number, siginfo_t* info, void* context) {
  worker* w = self;
  if (w && w->is_inside) {
    w->reason = number == SIGFPE   ? ARITHMETIC
                : number == SIGILL ? ILLEGAL_INSTRUCTION
                : is_overflow(w, info->si_addr) ? STACK_OVERFLOW
                                                : ILLEGAL_ADDRESS;
    siglongjmp(w->out, 1);
  }
  struct sigaction* old = &before[number];
  if (old->sa_flags & SA_SIGINFO) {
    old->sa_sigaction(number, info, context);
  } else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
    sigaction(number, old, NULL);  // it comes again, and does what it did before
  } else {
    old->sa_handler(number);
  }
}

static void install(void) {
  for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
    struct sigaction action;
    sigaction(SIGNALS[i], NULL, &before[SIGNALS[i]]);
    action = before[SIGNALS[i]];
    action.sa_sigaction = handler;
    action.sa_flags = (action.sa_flags & ~SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGNALS[i], &action, NULL);
  }
  Dl_info own;  // the handler must stay where it is
  if (dladdr((void*)install, &own)) dlopen(own.dli_fname, RTLD_NOW | RTLD_NODELETE);
}

// ---- what kernels call ----

static void stop(int why) {
  worker* w = self;
  w->reason = why;
  siglongjmp(w->out, 1);
}

// The stacks of fibers, each with a guard below it. A workgroup asks for them in order, so none is in use when the first
// one is asked for.
static void* fiber_stack(unsigned index, unsigned long size) {
  worker* w = self;
  if (w->stack_size != size) {
    if (w->stacks) munmap(w->stacks, w->stacks_size);
    w->stack_size = w->stack_count = 0;
    w->stacks_size = (size + GUARD) * FIBERS;
    w->stacks = mmap(NULL, w->stacks_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (w->stacks == MAP_FAILED) {
      w->stacks = NULL;
      stop(NO_MEMORY);
    }
    w->stack_size = (unsigned)size;
  }
  char* stack = w->stacks + index * (size + GUARD) + GUARD;
  if (index >= w->stack_count) {
    if (index >= FIBERS || mprotect(stack, size, PROT_READ | PROT_WRITE)) stop(NO_MEMORY);
    w->stack_count = index + 1;
  }
  return stack;
}

static void* frame_memory(unsigned long size) {
  worker* w = self;
  if (size > w->frames_size) {
    free(w->frames);
    w->frames_size = (size + 4095) / 4096 * 4096;
    w->frames = aligned_alloc(64, w->frames_size);
    if (!w->frames) {
      w->frames_size = 0;
      stop(NO_MEMORY);
    }
  }
  return w->frames;
}

static void flush(worker* w) {
  for (size_t at = 0; at < w->printed_length;) {
    ssize_t n = write(STDOUT_FILENO, w->printed + at, w->printed_length - at);
    if (n < 0 && errno != EINTR) break;
    at += n > 0 ? (size_t)n : 0;
  }
  w->printed_length = 0;
}

// What does not fit is dropped: a kernel must not wait for whoever reads the output.
static void print(const char* text, unsigned long length) {
  worker* w = self;
  size_t room = PRINTED - w->printed_length;
  size_t taken = length < room ? length : room;
  memcpy(w->printed + w->printed_length, text, taken);
  w->printed_length += taken;
}

// ---- jobs ----

static int reserve(worker* w, size_t size) {
  if (size <= w->shared_size) return 1;
  free(w->shared);
  w->shared_size = (size + 4095) / 4096 * 4096;
  w->shared = aligned_alloc(64, w->shared_size);
  if (!w->shared) w->shared_size = 0;
  return w->shared != NULL;
}

// Runs some workgroups. Returns why they have failed, or 0.
static int run(worker* w, hal_job* job, unsigned long long first, unsigned long long count) {
  if (!reserve(w, job->shared_size ? job->shared_size : 64)) return NO_MEMORY;
  hal_launch launch = {job->arguments, job->grid, w->shared, stop, fiber_stack, frame_memory, print};
  if (sigsetjmp(w->out, 0)) {
    w->is_inside = 0;
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) sigaddset(&all, SIGNALS[i]);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    return w->reason;
  }
  w->is_inside = 1;
  job->function->run(&launch, first, count);
  w->is_inside = 0;
  return 0;
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

// Takes workgroups of a job for about CHUNK_NANOS, and runs them. Returns 0 if none are left.
static int work_on(worker* w, hal_job* job, int threads) {
  long long nanos = atomic_load(&job->function->group_nanos);
  unsigned long long next = atomic_load(&job->next);
  unsigned long long left = job->count > next ? job->count - next : 0;
  unsigned long long share = left / (unsigned)(2 * threads) + 1;
  unsigned long long most = nanos > 0 ? (unsigned long long)(CHUNK_NANOS / nanos) + 1 : 1;
  unsigned long long wanted = nanos > 0 && nanos * (long long)left < CHUNK_NANOS ? left : share < most ? share : most;
  if (wanted == 0) return 0;
  unsigned long long first = atomic_fetch_add(&job->next, wanted);
  if (first >= job->count) return 0;
  unsigned long long count = job->count - first < wanted ? job->count - first : wanted;
  if (!atomic_load(&job->failure)) {
    long long start = now();
    int why = run(w, job, first, count);
    long long each = (now() - start) / (long long)count;
    atomic_store(&job->function->group_nanos, each > 0 ? each : 1);
    int none = 0;
    if (why) atomic_compare_exchange_strong(&job->failure, &none, why);
    if (w->printed_length) flush(w);
  }
  end(w->pool, job, count);
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
      pool->sleeping++;
      pthread_cond_wait(&pool->work, &pool->lock);
      pool->sleeping--;
    }
  }
  hal_job* job = pool->is_closed && !pool->ring ? NULL : pool->ring;
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
  stack_t stack = {.ss_sp = w->signal_stack, .ss_size = SIGNAL_STACK};
  sigaltstack(&stack, NULL);
  pthread_attr_t attributes;
  void* low;
  size_t size;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  w->low = low;
  self = w;
  for (hal_job* job = take(pool); job; job = take(pool)) {
    if (!work_on(w, job, pool->count)) {
      pthread_mutex_lock(&pool->lock);
      unlink_job(pool, job);
      pthread_mutex_unlock(&pool->lock);
    }
    atomic_fetch_sub(&job->users, 1);
  }
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, NULL);
  return NULL;
}

// ---- for Java ----

EXPORT hal_pool* hal_pool_open(int threads, const char* name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  hal_pool* pool = calloc(1, sizeof *pool + (size_t)threads * sizeof(worker));
  if (!pool) return NULL;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->end, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_attr_setguardsize(&attributes, GUARD);
  sigset_t all, old;
  sigfillset(&all);  // signals to the process are for threads of the JVM
  for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) sigdelset(&all, SIGNALS[i]);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  for (int i = 0; i < threads; i++) {
    worker* w = &pool->workers[i];
    w->pool = pool;
    w->signal_stack = malloc(SIGNAL_STACK);
    w->printed = malloc(PRINTED);
    if (!w->signal_stack || !w->printed || pthread_create(&w->thread, &attributes, loop, w)) {
      free(w->signal_stack);
      free(w->printed);
      break;
    }
    char full[16];  // a name has 15 characters at most
    snprintf(full, sizeof full, "%.10s-%hu", name, (unsigned short)i);
    pthread_setname_np(w->thread, full);
    pool->count++;
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return pool;
}

EXPORT int hal_pool_threads(hal_pool* pool) { return pool->count; }

// Ends the threads, none of which runs a kernel.
EXPORT void hal_pool_close(hal_pool* pool) {
  pthread_mutex_lock(&pool->lock);
  pool->is_closed = 1;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < pool->count; i++) {
    worker* w = &pool->workers[i];
    pthread_join(w->thread, NULL);
    free(w->shared);
    free(w->frames);
    if (w->stacks) munmap(w->stacks, w->stacks_size);
    free(w->signal_stack);
    free(w->printed);
  }
  pthread_cond_destroy(&pool->work);
  pthread_cond_destroy(&pool->end);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

// Runs a grid and waits for its end. Returns why it has failed, or 0.
EXPORT int hal_pool_run(hal_pool* pool, hal_function* function, void* const* arguments, unsigned x, unsigned y, unsigned z,
                        unsigned shared) {
  hal_job job = {.function = function, .arguments = arguments, .grid = {x, y, z}, .shared_size = shared};
  job.count = (unsigned long long)x * y * z;
  if (job.count == 0) return 0;
  long long nanos = atomic_load(&function->group_nanos);
  long long wanted = nanos > 0 ? nanos * (long long)(job.count < 1000000 ? job.count : 1000000) / CHUNK_NANOS + 1 : pool->count;
  pthread_mutex_lock(&pool->lock);
  if (pool->ring) {
    job.after = pool->ring;
    job.before = pool->ring->before;
    job.before->after = job.after->before = &job;
  } else {
    job.before = job.after = pool->ring = &job;
  }
  atomic_fetch_add(&pool->version, 1);
  if (pool->sleeping && wanted >= pool->sleeping) {
    pthread_cond_broadcast(&pool->work);
  } else if (pool->sleeping) {
    while (wanted-- > 0) pthread_cond_signal(&pool->work);
  }
  pthread_mutex_unlock(&pool->lock);
  long long until = now() + SPIN_NANOS;
  while (!atomic_load(&job.is_over) && now() < until) relax();
  if (!atomic_load(&job.is_over)) {
    pthread_mutex_lock(&pool->lock);
    pool->waiting++;
    while (!atomic_load(&job.is_over)) pthread_cond_wait(&pool->end, &pool->lock);
    pool->waiting--;
    pthread_mutex_unlock(&pool->lock);
  }
  while (atomic_load(&job.users)) relax();  // they are about to leave it
  return atomic_load(&job.failure);
}

typedef struct {
  void* handle;
  int file;  // stays open: its number is the name by which the loader knows the library
} library;

// Opens a library of kernels. Returns NULL and the reason if that fails.
EXPORT library* hal_library_open(const void* code, int size, char* reason, int reason_size) {
  library* opened = calloc(1, sizeof *opened);
  if (!opened) return NULL;
  opened->file = memfd_create("jhal-kernels", MFD_CLOEXEC);
  int done = 0;
  while (opened->file >= 0 && done < size) {
    ssize_t n = write(opened->file, (const char*)code + done, (size_t)(size - done));
    if (n <= 0) break;
    done += (int)n;
  }
  if (done == size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", opened->file);
    opened->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opened->handle) snprintf(reason, (size_t)reason_size, "%s", dlerror());
  } else {
    snprintf(reason, (size_t)reason_size, "no memory for a library of %d bytes: %s", size, strerror(errno));
  }
  if (opened->handle) return opened;
  if (opened->file >= 0) close(opened->file);
  free(opened);
  return NULL;
}

EXPORT void hal_library_close(library* opened) {
  dlclose(opened->handle);
  close(opened->file);
  free(opened);
}

EXPORT const hal_kernel* hal_library_kernel(library* opened, int index) {
  char name[32];
  snprintf(name, sizeof name, "hal_kernel_%d", index);
  return dlsym(opened->handle, name);
}

EXPORT int hal_kernel_count(const hal_kernel* kernel) { return (int)kernel->count; }
EXPORT int hal_kernel_size(const hal_kernel* kernel, int index) { return (int)kernel->parameters[index].size; }
EXPORT int hal_kernel_align(const hal_kernel* kernel, int index) { return (int)kernel->parameters[index].align; }
EXPORT int hal_kernel_is_pointer(const hal_kernel* kernel, int index) { return (int)kernel->parameters[index].is_pointer; }

EXPORT hal_function* hal_function_make(const hal_kernel* kernel) {
  hal_function* function = calloc(1, sizeof *function);
  if (function) function->run = kernel->run;
  return function;
}
EXPORT void hal_function_free(hal_function* function) { free(function); }

EXPORT void* hal_memory_allocate(unsigned long long size) {
  unsigned long long rounded = (size + 63) / 64 * 64;
  return aligned_alloc(64, rounded ? rounded : 64);
}
EXPORT void hal_memory_free(void* memory) { free(memory); }

EXPORT void hal_memory_copy(void* to, const void* from, unsigned long long size) { memmove(to, from, size); }

EXPORT void hal_memory_fill(char* to, unsigned long long size, unsigned pattern, int pattern_bytes) {
  if (pattern_bytes == 1) {
    memset(to, (int)(pattern & 0xFF), size);
    return;
  }
  unsigned word = pattern_bytes == 2 ? (pattern & 0xFFFF) * 0x00010001u : pattern;
  unsigned long long at = 0;
  for (; at + 4 <= size; at += 4) memcpy(to + at, &word, 4);
  memcpy(to + at, &word, size - at);
}
