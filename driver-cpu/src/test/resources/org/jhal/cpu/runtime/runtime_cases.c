// SPDX-License-Identifier: Apache-2.0
// Cases for the native runtime, each in a process of its own: the first argument names it. The kernels here are functions
// in C, so a case sees what a compiled kernel would.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "hal_abi.h"

enum { ILLEGAL_ADDRESS = 16, ARITHMETIC = 17, ILLEGAL_INSTRUCTION = 18, STACK_OVERFLOW = 19, NO_MEMORY = 20 };

void* hal_pool_open(int threads, const char* name);
void hal_pool_close(void* pool);
typedef struct {
  void* function;
  void* const* arguments;
  hal_index size;
  unsigned shared_size;
} hal_grid;
int hal_pool_run(void* pool, int rank, const hal_grid* grids, int count, int* ended);
void hal_pool_limit(void* pool, int most);
void hal_failure_text(char* text, int size);
void* hal_library_open(const void* code, int size, char* reason, int reason_size, int* is_refused);
void hal_library_close(void* opened);
const hal_kernel* hal_library_kernel(void* opened, int index);
typedef struct {
  hal_run* run;
  _Atomic long long group_nanos;
} hal_function;
hal_function* hal_function_make(const hal_kernel* kernel);
void hal_function_cooperate(hal_function* function);
typedef struct {
  char* address;
} hal_memory;
hal_memory* hal_memory_allocate(unsigned long long size);
long long hal_memory_free(hal_memory* block);
long long hal_memory_check(hal_memory* const* blocks, int count);
void hal_memory_trim(void);

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      printf("line %d: not so: %s\n", __LINE__, #condition);                    \
      fflush(stdout);                                                           \
      _exit(1);                                                                 \
    }                                                                           \
  } while (0)

static void* pool;

static int run_with(hal_run* body, unsigned x, unsigned y, unsigned z, unsigned shared) {
  hal_kernel kernel = {body, 0, NULL, NULL};
  void* function = hal_function_make(&kernel);
  hal_grid grid = {function, NULL, {x, y, z}, shared};
  int ended = 0;
  int failure = hal_pool_run(pool, 0, &grid, 1, &ended);
  CHECK(ended == 1);
  free(function);
  return failure;
}
static int run(hal_run* body, unsigned groups) { return run_with(body, groups, 1, 1, 0); }

static void* function_of(hal_run* body) {
  hal_kernel kernel = {body, 0, NULL, NULL};
  return hal_function_make(&kernel);
}

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// Waits until a flag is set; fails with its name after a minute.
static void await(_Atomic int* flag, const char* what) {
  for (long long end = now() + 60000000000LL; !atomic_load(flag);) {
    if (now() > end) {
      printf("waited a minute for %s\n", what);
      fflush(stdout);
      _exit(1);
    }
  }
}

// ---- kernels ----

static volatile int* volatile nowhere;
static volatile int zero;

static void nothing(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
}
static void reads_nowhere(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  *nowhere = 1;
}
static void divides(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
#if defined(__x86_64__)
  zero = 7 / zero;
#else
  raise(SIGFPE);
#endif
}

// ---- who gets a signal ----

static _Atomic int seen_info, seen_plain;
static sigjmp_buf* out;

static void with_info(int number, siginfo_t* info, void* context) {
  (void)context;
  CHECK(info->si_signo == number);
  atomic_fetch_add(&seen_info, 1);
  if (out) siglongjmp(*out, 1);
}
static void plain(int number) {
  (void)number;
  atomic_fetch_add(&seen_plain, 1);
}
static void handle(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {.sa_flags = SA_SIGINFO | flags};
  action.sa_sigaction = handler;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

// A fault of another thread goes to the handler before, whether that takes information or not.
static void case_faults_of_others(void) {
  handle(SIGSEGV, with_info, 0);
  signal(SIGFPE, plain);
  pool = hal_pool_open(2, "t");
  CHECK(run(reads_nowhere, 8) == ILLEGAL_ADDRESS);
  CHECK(atomic_load(&seen_info) == 0);
  sigjmp_buf here;
  out = &here;
  if (!sigsetjmp(here, 1)) *nowhere = 1;
  out = NULL;
  CHECK(atomic_load(&seen_info) == 1);
  raise(SIGFPE);
  CHECK(atomic_load(&seen_plain) == 1);
  CHECK(run(divides, 8) == ARITHMETIC);
  CHECK(run(nothing, 8) == 0);
}

static _Atomic int is_running, may_end;
static pthread_t running;
static void waits(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  running = pthread_self();
  atomic_store(&is_running, 1);
  await(&may_end, "the end of the kernel");
}
static void* runs_waits(void* failure) {
  *(int*)failure = run(waits, 1);
  return NULL;
}

// A signal that somebody sends is no fault, even while a kernel runs on the thread that gets it.
static void case_sent_signal(void) {
  handle(SIGSEGV, with_info, 0);
  pool = hal_pool_open(1, "t");
  int failure = -1;
  pthread_t caller;
  pthread_create(&caller, NULL, runs_waits, &failure);
  await(&is_running, "the kernel");
  pthread_kill(running, SIGSEGV);
  await(&seen_info, "the handler before");
  atomic_store(&may_end, 1);
  pthread_join(caller, NULL);
  CHECK(failure == 0);
}

// The default action ends the process.
static void case_default_fault(void) {
  pool = hal_pool_open(1, "t");
  CHECK(run(reads_nowhere, 1) == ILLEGAL_ADDRESS);
  *nowhere = 1;
}
static void case_default_sent(void) {
  pool = hal_pool_open(1, "t");
  kill(getpid(), SIGSEGV);
  for (long long end = now() + 60000000000LL; now() < end;) {
  }
}

// A signal that is ignored stays ignored, and kernels stay guarded.
static void case_ignored(void) {
  signal(SIGFPE, SIG_IGN);
  pool = hal_pool_open(1, "t");
  raise(SIGFPE);
  CHECK(run(divides, 1) == ARITHMETIC);
}

// A handler that was to run once runs once, and then there is the default action.
static void case_once(void) {
  handle(SIGFPE, with_info, SA_RESETHAND);
  pool = hal_pool_open(1, "t");
  raise(SIGFPE);
  CHECK(atomic_load(&seen_info) == 1);
  raise(SIGFPE);
}

static sigset_t masks[2];
static int mask_index;
static void notes_mask(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  pthread_sigmask(SIG_BLOCK, NULL, &masks[mask_index]);
}

// After a fault the thread blocks what it blocked before, whatever the handler before wants blocked.
static void case_mask(void) {
  handle(SIGSEGV, with_info, 0);
  pool = hal_pool_open(1, "t");
  CHECK(run(notes_mask, 1) == 0);
  CHECK(run(reads_nowhere, 1) == ILLEGAL_ADDRESS);
  mask_index = 1;
  CHECK(run(notes_mask, 1) == 0);
  for (int i = 1; i < 65; i++) CHECK(sigismember(&masks[0], i) == sigismember(&masks[1], i));
  CHECK(sigismember(&masks[0], SIGTRAP) == 0);  // what __builtin_trap raises on some processors
}

// ---- stacks ----

static char* high;
static ucontext_t main_context, high_context;
static const hal_launch* high_launch;
static void stops(void) { high_launch->stop(HAL_TRAPPED, NULL); }
static void stops_on_high(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first, (void)count;
  high_launch = launch;
  getcontext(&high_context);
  high_context.uc_stack.ss_sp = high;
  high_context.uc_stack.ss_size = 1 << 20;
  high_context.uc_link = &main_context;
  makecontext(&high_context, stops, 0);
  swapcontext(&main_context, &high_context);
}

// A kernel may stop on a stack above the thread's own.
static void case_high_stack(void) {
  high = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pool = hal_pool_open(1, "t");
  for (int i = 0; i < 3; i++) CHECK(run(stops_on_high, 1) == HAL_TRAPPED);
}

enum { SIZE = 64 << 10, FIBERS = 1024 };
static int many;
static _Atomic int arrived, all_here;
static pthread_key_t has_arrived;

// Uses all stacks on all threads at once.
static void fills_stacks(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first, (void)count;
  for (unsigned i = 0; i < FIBERS; i++) {
    char* stack = launch->stack(i, SIZE);
    stack[0] = stack[SIZE - 1] = 1;
  }
  if (!pthread_getspecific(has_arrived)) {
    pthread_setspecific(has_arrived, (void*)1);
    if (atomic_fetch_add(&arrived, 1) + 1 == many) atomic_store(&all_here, 1);
  }
  while (!atomic_load(&all_here)) usleep(1000);
}
static void leaves_stack(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)count;
  char* stack = launch->stack(0, SIZE);
  for (unsigned i = 0; i <= first % FIBERS; i++) stack = launch->stack(i, SIZE);
  ((volatile char*)stack)[-1] = 1;
}

static void use_stacks(int threads) {
  many = threads;
  pthread_key_create(&has_arrived, NULL);
  pool = hal_pool_open(many, "t");
  CHECK(pool);
  CHECK(run(fills_stacks, (unsigned)many) == 0);
  for (unsigned groups = 1; groups < FIBERS; groups += 100) CHECK(run(leaves_stack, groups) == STACK_OVERFLOW);
  CHECK(run(nothing, 100) == 0);
}

// All stacks of many threads exist at once, and each has a guard below it. With a mapping for each stack, no process could
// have so many; older systems need that.
static void case_many_stacks(void) {
  char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  use_stacks(madvise(page, 4096, 102) ? 4 : 40);
}
static void case_few_stacks(void) { use_stacks(4); }

static volatile int deep;
static int __attribute__((noinline)) recurse(int n) {
  volatile char frame[1000];
  frame[0] = (char)n;
  return n == deep ? 0 : recurse(n + 1) + frame[0];
}
static void recurses(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  deep = -1;
  deep = recurse(0);
}

// Many threads fail at once, again and again.
static void case_many_failures(void) {
  pool = hal_pool_open(16, "t");
  hal_run* bodies[] = {reads_nowhere, divides, recurses};
  int wanted[] = {ILLEGAL_ADDRESS, ARITHMETIC, STACK_OVERFLOW};
  for (int i = 0; i < 300; i++) CHECK(run(bodies[i % 3], 64) == wanted[i % 3]);
  CHECK(run(nothing, 100) == 0);
}

// ---- memory ----

// How many threads this process has.
static int threads(void) {
  int count = 0;
  DIR* all = opendir("/proc/self/task");
  CHECK(all);
  for (struct dirent* one; (one = readdir(all));) count += one->d_name[0] != '.';
  closedir(all);
  return count;
}

static void limit_memory(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

// Where a thread does not start, there is no pool, and none of its threads is left.
static void case_no_thread(void) {
  limit_memory(16 << 20);
  CHECK(hal_pool_open(4, "t") == NULL);
  limit_memory(256 << 20);  // for some of them
  CHECK(hal_pool_open(64, "t") == NULL);
  for (long long end = now() + 60000000000LL; threads() > 1;) CHECK(now() < end);
  limit_memory(RLIM_INFINITY);
  pool = hal_pool_open(4, "t");
  CHECK(threads() == 5);
}

static void uses_shared(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first, (void)count;
  memset(launch->shared, 1, 1 << 20);
}
static void uses_much(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first, (void)count;
  memset(launch->memory(512 << 20), 1, 4096);
}

// A kernel for whose memory there is no room fails, and the pool goes on.
static void case_no_memory(void) {
  pool = hal_pool_open(2, "t");
  limit_memory(256 << 20);
  CHECK(run_with(uses_shared, 4, 1, 1, 1 << 30) == NO_MEMORY);
  CHECK(run(uses_much, 4) == NO_MEMORY);
  limit_memory(RLIM_INFINITY);
  CHECK(run_with(uses_shared, 4, 1, 1, 1 << 20) == 0);
  CHECK(run(uses_much, 4) == 0);
}

static char* parts[6];
static void asks_for_parts(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first, (void)count;
  static const size_t sizes[] = {1, 100, 64, 5 << 20, 4096, 65};
  for (int i = 0; i < 6; i++) {
    parts[i] = launch->memory(sizes[i]);
    CHECK((size_t)parts[i] % 64 == 0);
    memset(parts[i], i, sizes[i]);
  }
  for (int i = 0; i < 6; i++) {
    for (size_t at = 0; at < sizes[i]; at++) CHECK(parts[i][at] == i);
  }
}

// What a kernel asks for is its own until it returns, and the next one gets the same again, in one piece.
static void case_memory_of_kernels(void) {
  pool = hal_pool_open(1, "t");
  for (int i = 0; i < 2; i++) CHECK(run(asks_for_parts, 1) == 0);
  char* before[6];
  memcpy(before, parts, sizeof parts);
  CHECK(run(asks_for_parts, 1) == 0);
  CHECK(memcmp(before, parts, sizeof parts) == 0);
  CHECK(parts[5] - parts[0] == 3 * 64 + 64 + (5 << 20) + 4096);
}

// ---- blocks of memory ----

enum { BLOCKS = 600 };
static unsigned long long block_size(unsigned i) {
  static const unsigned long long bases[] = {0, 1, 64, 200, 1024, 1025, 5000, 16383, 16384, 70000, 1 << 20};
  return bases[i % 11] + i / 11;
}
static hal_memory* filled(unsigned long long size, unsigned with) {
  hal_memory* made = hal_memory_allocate(size);
  CHECK(made && (size_t)made->address % 64 == 0);
  memset(made->address, (int)with, size);
  return made;
}
static void check_content(const hal_memory* block, unsigned long long size, unsigned with) {
  for (unsigned long long at = 0; at < size; at++) CHECK((unsigned char)block->address[at] == (unsigned char)with);
}

// Blocks overlap neither each other nor canaries, also in memory that was used before.
static void case_blocks(void) {
  hal_memory* blocks[BLOCKS];
  for (int round = 0; round < 3; round++) {
    for (unsigned i = 0; i < BLOCKS; i++) blocks[i] = filled(block_size(i), i);
    CHECK(hal_memory_check(blocks, BLOCKS) == 0);
    for (unsigned i = round; i < BLOCKS; i += 2) {
      check_content(blocks[i], block_size(i), i);
      CHECK(hal_memory_free(blocks[i]) == 0);
      blocks[i] = filled(block_size(i + 7), i);
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
      check_content(blocks[i], block_size(i % 2 == (unsigned)round % 2 && i >= (unsigned)round ? i + 7 : i), i);
      CHECK(hal_memory_free(blocks[i]) == 0);
    }
    if (round == 1) hal_memory_trim();
  }
}

// Every byte of a canary counts, and a damaged one is mended when it is found. The C heap is not beside it.
static void case_canaries(void) {
  hal_memory* blocks[] = {hal_memory_allocate(100), NULL, hal_memory_allocate(6400), hal_memory_allocate(100000)};
  int sizes[] = {100, 0, 6400, 100000}, behind[] = {28 + 64, 0, 64, 32}, before[] = {64, 0, 64, 64};
  void* heap[64];
  for (int i = 0; i < 64; i++) heap[i] = malloc(100);
  for (long long i = 0; i < 4; i++) {
    for (int at = 0; at < behind[i]; at++) {
      blocks[i]->address[sizes[i] + at] ^= 1;
      CHECK(hal_memory_check(blocks, 4) == (i << 32 | (at + 1) << 16));
      CHECK(hal_memory_check(blocks, 4) == 0);
    }
    for (int at = 1; at <= before[i]; at++) {
      blocks[i]->address[-at] ^= 0x80;
      CHECK(hal_memory_check(blocks, 4) == (i << 32 | at));
      CHECK(hal_memory_check(blocks, 4) == 0);
    }
  }
  for (int i = 0; i < 4; i++) {
    if (!blocks[i]) continue;
    memset(blocks[i]->address - before[i], 0, (size_t)(before[i] + sizes[i] + behind[i]));
    CHECK(hal_memory_free(blocks[i]) == (before[i] | behind[i] << 16));
  }
  for (int i = 0; i < 64; i++) free(heap[i]);
  CHECK(hal_memory_free(NULL) == 0);
}

// Where there is no room for another block, memory that is kept for later ones is given back first.
static void case_blocks_without_memory(void) {
  limit_memory(256 << 20);
  hal_memory* kept[40];
  for (int i = 0; i < 40; i++) CHECK((kept[i] = hal_memory_allocate((1 << 20) + (unsigned)i * 8192)) != NULL);
  for (int i = 0; i < 40; i++) CHECK(hal_memory_free(kept[i]) == 0);
  CHECK(hal_memory_allocate(1 << 30) == NULL);
  CHECK(hal_memory_allocate(1ull << 60) == NULL);
  CHECK(hal_memory_free(filled(200 << 20, 1)) == 0);
  hal_memory *last = NULL, *small = NULL;
  while ((small = hal_memory_allocate(12000)) != NULL) last = small;
  CHECK(last != NULL);
  hal_memory_free(last);
  CHECK(hal_memory_allocate(12000) != NULL);
  limit_memory(RLIM_INFINITY);
}

// More large blocks than a process may have mappings. Those that get no guard have a canary.
static void case_blocks_without_guards(void) {
  enum { MANY = 40000 };
  static hal_memory* blocks[MANY];
  for (unsigned i = 0; i < MANY; i++) {
    blocks[i] = hal_memory_allocate(16384);
    CHECK(blocks[i]);
    blocks[i]->address[0] = 1;
  }
  blocks[MANY - 1]->address[16384] ^= 1;
  CHECK(hal_memory_check(blocks, MANY) == ((MANY - 1LL) << 32 | 1 << 16));
  blocks[MANY - 1]->address[-1] ^= 1;
  CHECK(hal_memory_check(blocks, MANY) == ((MANY - 1LL) << 32 | 1));
  for (unsigned i = 0; i < MANY; i += 2) CHECK(hal_memory_free(blocks[i]) == 0);
  for (unsigned i = 1; i < MANY; i += 2) CHECK(hal_memory_free(blocks[i]) == 0);
  CHECK(hal_memory_free(filled(16384, 1)) == 0);
}

static void* makes_blocks(void* seed) {
  enum { AT_ONCE = 50 };
  hal_memory* blocks[AT_ONCE] = {NULL};
  unsigned sizes[AT_ONCE], state = (unsigned)(long)seed;
  for (int round = 0; round < 20000; round++) {
    state = state * 1664525 + 1013904223;
    unsigned at = state >> 16 & 0xFF, i = at % AT_ONCE;
    if (blocks[i]) {
      check_content(blocks[i], sizes[i] < 100 ? sizes[i] : 100, i);
      CHECK(hal_memory_free(blocks[i]) == 0);
    }
    sizes[i] = (state >> 8) % (at % 7 == 0 ? 200000 : 3000);
    blocks[i] = filled(sizes[i], i);
    if (round % 1000 == 0) hal_memory_trim();
  }
  for (int i = 0; i < AT_ONCE; i++) CHECK(hal_memory_free(blocks[i]) == 0);
  return NULL;
}
static void case_blocks_of_threads(void) {
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, makes_blocks, (void*)(i + 1));
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

// ---- grids ----

static _Atomic unsigned long long largest, taken;
static void counts(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first;
  unsigned long long before = atomic_load(&largest);
  while (count > before && !atomic_compare_exchange_weak(&largest, &before, count)) {
  }
  for (unsigned long long i = 0; i < count && i < 1000; i++) usleep(10);
  if (atomic_fetch_add(&taken, 1) == 200) launch->stop(HAL_TRAPPED, NULL);
}

// The largest grid of all is taken in pieces of some microseconds.
static void case_largest_grid(void) {
  pool = hal_pool_open(2, "t");
  CHECK(run_with(counts, 2147483647, 65535, 65535, 0) == HAL_TRAPPED);
  CHECK(atomic_load(&largest) < 1000);
}

static int is_slow;
static _Atomic int threads_seen, all_seen;
static pthread_key_t was_seen;
static void sometimes_slow(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch;
  if (!is_slow) return;
  if (!pthread_getspecific(was_seen)) {
    pthread_setspecific(was_seen, (void*)1);
    if (atomic_fetch_add(&threads_seen, 1) + 1 == 4) atomic_store(&all_seen, 1);
  }
  if (first > 0) await(&all_seen, "all threads to run workgroups");  // the thread that was first has called them by then
  for (unsigned long long i = 0; i < count; i++) usleep(20000);
}

// Workgroups that take much longer than those of the last run are spread over all threads nevertheless.
static void case_slower_than_before(void) {
  pthread_key_create(&was_seen, NULL);
  pool = hal_pool_open(4, "t");
  hal_kernel kernel = {sometimes_slow, 0, NULL, NULL};
  void* function = hal_function_make(&kernel);
  hal_grid grid = {function, NULL, {40, 1, 1}, 0};
  int ended;
  for (int i = 0; i < 3; i++) CHECK(hal_pool_run(pool, 0, &grid, 1, &ended) == 0);
  usleep(10000);  // so that the threads sleep
  is_slow = 1;
  CHECK(hal_pool_run(pool, 0, &grid, 1, &ended) == 0);
  CHECK(atomic_load(&threads_seen) == 4);
}

// ---- the thread that launches ----

static pthread_t ran_on;
static uintptr_t ran_at;
static void notes_thread(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  char here;
  ran_on = pthread_self();
  ran_at = (uintptr_t)&here;
}

// A short grid needs no other thread, but a stack of the runtime's.
static void case_caller_runs_short_grid(void) {
  pool = hal_pool_open(2, "t");
  hal_kernel kernel = {notes_thread, 0, NULL, NULL};
  hal_function* function = hal_function_make(&kernel);
  atomic_store(&function->group_nanos, 1);  // a run is measured as long if its thread loses the processor meanwhile
  hal_grid grid = {function, NULL, {1, 1, 1}, 0};
  int ended;
  CHECK(hal_pool_run(pool, 0, &grid, 1, &ended) == 0);
  char here;
  CHECK(pthread_equal(ran_on, pthread_self()));
  CHECK(ran_at - (uintptr_t)&here + (1 << 20) > 2 << 20);
}

static void raises_usr1(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  CHECK(pthread_equal(ran_on, pthread_self()));
  pthread_kill(pthread_self(), SIGUSR1);
  CHECK(!atomic_load(&seen_plain));
}
static void sees_usr1(int number) {
  (void)number;
  atomic_fetch_add(&seen_plain, 1);
}

// The thread's own signals wait until the kernel has ended, however that ends; its mask and its signal stack stay as they were.
static void case_caller_keeps_its_signals(void) {
  static char own_stack[64 << 10];
  stack_t own = {.ss_sp = own_stack, .ss_size = sizeof own_stack}, after;
  sigaltstack(&own, NULL);
  signal(SIGUSR1, sees_usr1);
  pool = hal_pool_open(1, "t");
  run(notes_thread, 1);
  CHECK(run(notes_thread, 1) == 0);
  CHECK(run(raises_usr1, 1) == 0);
  CHECK(atomic_load(&seen_plain) == 1);
  CHECK(run(reads_nowhere, 1) == ILLEGAL_ADDRESS);
  CHECK(run(recurses, 1) == STACK_OVERFLOW);
  CHECK(run(notes_thread, 1) == 0);
  CHECK(pthread_equal(ran_on, pthread_self()));
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  CHECK(!sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGSEGV));
  sigaltstack(NULL, &after);
  CHECK(after.ss_sp == own_stack);
}

static _Atomic int at_once, most_at_once;
static void counts_itself(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  int all = atomic_fetch_add(&at_once, 1) + 1;
  for (int most = atomic_load(&most_at_once); all > most && !atomic_compare_exchange_weak(&most_at_once, &most, all);) {
  }
  for (int i = 0; i < 20; i++) sched_yield();
  atomic_fetch_sub(&at_once, 1);
}
static void* launches_often(void* function) {
  hal_grid grid = {function, NULL, {30, 1, 1}, 0};
  int ended;
  for (int i = 0; i < 200; i++) CHECK(hal_pool_run(pool, 0, &grid, 1, &ended) == 0);
  return NULL;
}

// However many threads launch, no more run than the pool has.
static void case_callers_are_among_the_threads(void) {
  for (int threads = 1; threads <= 3; threads++) {
    pool = hal_pool_open(threads, "t");
    void* function = function_of(counts_itself);
    atomic_store(&most_at_once, 0);
    pthread_t launching[4];
    for (int i = 0; i < 4; i++) pthread_create(&launching[i], NULL, launches_often, function);
    for (int i = 0; i < 4; i++) pthread_join(launching[i], NULL);
    CHECK(atomic_load(&most_at_once) <= threads);
    hal_pool_close(pool);
    free(function);
  }
  pool = NULL;
}

// ---- lists of grids ----

enum { GRIDS = 300 };
static hal_grid list[GRIDS];
static void* list_arguments[GRIDS][1];
static unsigned long long groups_before[GRIDS];
static _Atomic unsigned long long groups_ended;
static _Atomic int disorder;

static void set_list(int index, void* function, unsigned groups) {
  list_arguments[index][0] = &groups_before[index];
  list[index] = (hal_grid){function, list_arguments[index], {groups, 1, 1}, 0};
  if (index + 1 < GRIDS) groups_before[index + 1] = groups_before[index] + groups;
}

// All workgroups of the grids before have ended, and none of those behind has begun.
static void in_order(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first;
  unsigned long long before = *(unsigned long long*)launch->arguments[0];
  unsigned long long ended = atomic_load(&groups_ended);
  if (ended < before || ended + count > before + launch->grid.x) atomic_store(&disorder, 1);
  if (launch->grid.x < 10) usleep(20);
  atomic_fetch_add(&groups_ended, count);
}

// Grids of a list run one after the other, whatever their sizes and however many threads run them.
static void case_list_in_order(void) {
  for (int threads = 1; threads <= 4; threads++) {
    pool = hal_pool_open(threads, "t");
    void* function = function_of(in_order);
    unsigned sizes[] = {1, 0, 5000, 7, 100000, 2, 0};
    for (int i = 0; i < GRIDS; i++) set_list(i, function, sizes[(unsigned)i % 7]);
    atomic_store(&groups_ended, 0);
    int ended = 0;
    CHECK(hal_pool_run(pool, 0, list, GRIDS, &ended) == 0);
    CHECK(ended == GRIDS);
    CHECK(!atomic_load(&disorder));
    CHECK(atomic_load(&groups_ended) == groups_before[GRIDS - 1] + list[GRIDS - 1].size.x);
    hal_pool_close(pool);
    free(function);
  }
  pool = NULL;
}

static void says_why(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first, (void)count;
  launch->stop(HAL_ASSERTED, launch->grid.x == 1 ? "the second" : "the fourth");
}

// A list ends with the grid that fails, of which the reason is known, and can go on behind it.
static void case_list_with_failures(void) {
  pool = hal_pool_open(2, "t");
  void *good = function_of(in_order), *bad = function_of(says_why);
  for (int i = 0; i < GRIDS; i++) set_list(i, good, 0);
  list[0].size.x = 1;
  list[1] = (hal_grid){bad, NULL, {1, 1, 1}, 0};
  list[3] = (hal_grid){bad, NULL, {2, 1, 1}, 0};
  list[GRIDS - 1].size.x = 3;
  int ended = 0;
  char text[256];
  CHECK(hal_pool_run(pool, 0, list, GRIDS, &ended) == HAL_ASSERTED);
  CHECK(ended == 2);
  hal_failure_text(text, sizeof text);
  CHECK(!strcmp(text, "the second"));
  CHECK(atomic_load(&groups_ended) == 1);
  CHECK(hal_pool_run(pool, 0, list + 2, GRIDS - 2, &ended) == HAL_ASSERTED);
  CHECK(ended == 2);
  hal_failure_text(text, sizeof text);
  CHECK(!strcmp(text, "the fourth"));
  CHECK(hal_pool_run(pool, 0, list + 4, GRIDS - 4, &ended) == 0);
  CHECK(ended == GRIDS - 4);
  CHECK(atomic_load(&groups_ended) == 4);
}

static _Atomic int list_has_begun, other_has_ended, grids_begun;
static void slow_until_other(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  atomic_fetch_add(&grids_begun, 1);
  atomic_store(&list_has_begun, 1);
  if (!atomic_load(&other_has_ended)) usleep(1000);
}
enum { LONG_LIST = 60000 };  // a minute, if nothing comes in between
static void* runs_long_list(void* unused) {
  (void)unused;
  static hal_grid grids[LONG_LIST];
  void* function = function_of(slow_until_other);
  for (int i = 0; i < LONG_LIST; i++) grids[i] = (hal_grid){function, NULL, {1, 1, 1}, 0};
  int ended;
  CHECK(hal_pool_run(pool, 0, grids, LONG_LIST, &ended) == 0);
  CHECK(ended == LONG_LIST);
  return NULL;
}

// A grid does not wait for the end of another caller's list, even if there is only one thread.
static void case_lists_take_turns(void) {
  pool = hal_pool_open(1, "t");
  pthread_t caller;
  pthread_create(&caller, NULL, runs_long_list, NULL);
  await(&list_has_begun, "the list");
  for (int i = 0; i < 3; i++) CHECK(run(nothing, 1000) == 0);
  CHECK(atomic_load(&grids_begun) < LONG_LIST);
  atomic_store(&other_has_ended, 1);
  pthread_join(caller, NULL);
  CHECK(atomic_load(&grids_begun) == LONG_LIST);
}

enum { URGENT = 500 };  // workgroups
static _Atomic int urgent_runs, urgent_is_over, low_has_begun, low_beside;
static void spins_low(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  if (atomic_load(&urgent_runs)) atomic_fetch_add(&low_beside, 1);
  atomic_store(&low_has_begun, 1);
  for (int i = 0; i < 100; i++) sched_yield();
}
static void spins_urgent(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch;
  atomic_store(&urgent_runs, first + count < URGENT);
  for (int i = 0; i < 100; i++) sched_yield();
}
static void* launches_low(void* function) {
  hal_grid grid = {function, NULL, {1000, 1, 1}, 0};
  int ended;
  while (!atomic_load(&urgent_is_over)) CHECK(hal_pool_run(pool, 0, &grid, 1, &ended) == 0);
  return NULL;
}

// The one thread runs nothing of a lower rank between the workgroups of a grid, and leaves another grid for it.
static void case_higher_rank_first(void) {
  pool = hal_pool_open(1, "t");
  pthread_t caller;
  pthread_create(&caller, NULL, launches_low, function_of(spins_low));
  await(&low_has_begun, "a grid of a low rank");
  hal_grid grid = {function_of(spins_urgent), NULL, {URGENT, 1, 1}, 0};
  int ended;
  for (int i = 0; i < 5; i++) CHECK(hal_pool_run(pool, 1, &grid, 1, &ended) == 0);
  atomic_store(&urgent_is_over, 1);
  pthread_join(caller, NULL);
  CHECK(atomic_load(&low_beside) == 0);
}

// Threads that are lent to another pool run nothing, and do so again when they are back.
static void case_limited_threads(void) {
  pool = hal_pool_open(4, "t");
  void* function = function_of(counts_itself);
  for (int most = 1; most <= 4; most++) {
    hal_pool_limit(pool, most);
    atomic_store(&most_at_once, 0);
    pthread_t callers[6];
    for (int i = 0; i < 6; i++) pthread_create(&callers[i], NULL, launches_often, function);
    for (int i = 0; i < 6; i++) pthread_join(callers[i], NULL);
    CHECK(atomic_load(&most_at_once) <= most);
  }
}

static _Atomic int crew_at_once, crew_most, crew_first;
static void meets(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)first, (void)count;
  for (int round = 0; round < 20; round++) {
    int now_running = atomic_fetch_add(&crew_at_once, 1) + 1, most = atomic_load(&crew_most);
    while (now_running > most && !atomic_compare_exchange_weak(&crew_most, &most, now_running)) {}
    for (int i = 0; i < 20; i++) sched_yield();
    atomic_fetch_sub(&crew_at_once, 1);
    launch->meet();
  }
}

// So are those on which workgroups wait for each other.
static void case_limited_crew(void) {
  pool = hal_pool_open(4, "t");
  hal_function* function = function_of(meets);
  hal_function_cooperate(function);
  for (int most = 1; most <= 4; most++) {
    hal_pool_limit(pool, most);
    atomic_store(&crew_most, 0);
    hal_grid grid = {function, NULL, {8, 1, 1}, 0};
    int ended;
    CHECK(hal_pool_run(pool, 0, &grid, 1, &ended) == 0);
    CHECK(atomic_load(&crew_most) <= most);
  }
}

// How many threads of this process run, beside the one that asks.
static int threads_running(void) {
  int running = 0;
  DIR* tasks = opendir("/proc/self/task");
  CHECK(tasks);
  for (struct dirent* task; (task = readdir(tasks));) {
    char path[300], state = '?';
    if (task->d_name[0] == '.' || atoi(task->d_name) == getpid()) continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
    FILE* file = fopen(path, "r");
    CHECK(file);
    CHECK(fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
    fclose(file);
    running += state != 'S';
  }
  closedir(tasks);
  return running;
}

static _Atomic int crew_has_begun, crew_may_end, crew_order;
static void holds_crew(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  atomic_store(&crew_has_begun, 1);
  await(&crew_may_end, "the end of the grid");
}
static void is_low(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  int none = 0;
  atomic_compare_exchange_strong(&crew_first, &none, 1);
  atomic_fetch_add(&crew_order, 1);
}
static void is_high(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  (void)launch, (void)first, (void)count;
  int none = 0;
  atomic_compare_exchange_strong(&crew_first, &none, 2);
  atomic_fetch_add(&crew_order, 1);
}
typedef struct {
  int rank;
  hal_run* body;
} crew_call;
static void* launches_cooperative(void* argument) {
  crew_call* call = argument;
  hal_function* function = function_of(call->body);
  hal_function_cooperate(function);
  hal_grid grid = {function, NULL, {1, 1, 1}, 0};
  int ended;
  CHECK(hal_pool_run(pool, call->rank, &grid, 1, &ended) == 0);
  return NULL;
}

// Of the grids that wait for the end of another one, that of the highest rank runs first.
static void case_higher_rank_first_in_crew(void) {
  pool = hal_pool_open(2, "t");
  pthread_t holder, low, high;
  pthread_create(&holder, NULL, launches_cooperative, &(crew_call){0, holds_crew});
  await(&crew_has_begun, "the first grid");
  pthread_create(&low, NULL, launches_cooperative, &(crew_call){0, is_low});
  long long end = now() + 60000000000LL;
  while (threads_running() > 1) CHECK(now() < end);  // it waits
  pthread_create(&high, NULL, launches_cooperative, &(crew_call){1, is_high});
  while (threads_running() > 1) CHECK(now() < end);
  atomic_store(&crew_may_end, 1);
  pthread_join(holder, NULL);
  pthread_join(low, NULL);
  pthread_join(high, NULL);
  CHECK(atomic_load(&crew_order) == 2);
  CHECK(atomic_load(&crew_first) == 2);
}

// Threads without work sleep, and so does a caller whose kernel takes long.
static void case_idle_threads_sleep(void) {
  pool = hal_pool_open(4, "t");
  CHECK(run(nothing, 100) == 0);
  long long end = now() + 60000000000LL;
  while (threads_running() > 0) CHECK(now() < end);
  pthread_t caller;
  int failure = -1;
  pthread_create(&caller, NULL, runs_waits, &failure);
  await(&is_running, "the kernel");
  while (threads_running() > 1) CHECK(now() < end);
  atomic_store(&may_end, 1);
  pthread_join(caller, NULL);
  CHECK(failure == 0);
}

// ---- libraries ----

static void* open_library(const char* path) {
  FILE* file = fopen(path, "rb");
  CHECK(file);
  static char code[1 << 20];
  size_t size = fread(code, 1, sizeof code, file);
  fclose(file);
  char reason[256] = "";
  int is_refused;
  void* library = hal_library_open(code, (int)size, reason, sizeof reason, &is_refused);
  if (!library) printf("%s\n", reason);
  CHECK(library);
  return library;
}

static int number_of(void* library) {
  const hal_kernel* kernel = hal_library_kernel(library, 0);
  CHECK(kernel);
  return (int)kernel->count;
}

// A library that the loader keeps is not taken for one that is opened after it was closed.
static void case_kept_library(const char* first, const char* second) {
  void* one = open_library(first);
  CHECK(number_of(one) == 1);
  hal_library_close(one);
  void* two = open_library(second);
  CHECK(number_of(two) == 2);
}

// A library that sets the floating-point mode when it is loaded, as -ffast-math does, sets it for no thread of Java.
static void case_floating_point(const char* library) {
  CHECK(fegetround() == FE_TONEAREST);
  open_library(library);
  CHECK(fegetround() == FE_TONEAREST);
}

// The reason names what failed, and what the process lacks is not taken for a fault of the library.
static void case_no_library(void) {
  char reason[256] = "";
  int is_refused = 0;
  CHECK(hal_library_open("none", 4, reason, sizeof reason, &is_refused) == NULL);
  CHECK(is_refused && strlen(reason) > 0);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit two = {2, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &two);
  CHECK(hal_library_open("none", 4, reason, sizeof reason, &is_refused) == NULL);
  CHECK(!is_refused && strstr(reason, "cannot write 4 bytes") && strstr(reason, strerror(EFBIG)));
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, none = {0, 0};
  setrlimit(RLIMIT_FSIZE, &all);
  setrlimit(RLIMIT_NOFILE, &none);
  CHECK(hal_library_open("none", 4, reason, sizeof reason, &is_refused) == NULL);
  CHECK(!is_refused && strstr(reason, "cannot create a file") && strstr(reason, strerror(EMFILE)));
}

// ---- output ----

static void print(const hal_launch* launch, const char* text) { launch->print(text, strlen(text)); }
static void prints(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  for (unsigned long long i = first; i < first + count; i++) {
    char line[200];
    snprintf(line, sizeof line, "workgroup %llu %0100d", i, 0);
    print(launch, line);
    print(launch, " ends here\n");
    usleep(10);
  }
}
static void* runs_prints(void* groups) {
  CHECK(run(prints, (unsigned)(long)groups) == 0);
  return NULL;
}

// The lines of a dispatch come in the order of its workgroups, those of two dispatches one after the other.
static void case_output(void) {
  pool = hal_pool_open(4, "t");
  pthread_t callers[3];
  for (int i = 0; i < 3; i++) pthread_create(&callers[i], NULL, runs_prints, (void*)2000L);
  for (int i = 0; i < 3; i++) pthread_join(callers[i], NULL);
}
static void case_too_much_output(void) {
  pool = hal_pool_open(4, "t");
  CHECK(run(prints, 20000) == 0);
}
static void prints_and_stops(const hal_launch* launch, unsigned long long first, unsigned long long count) {
  prints(launch, first, count);
  launch->stop(HAL_TRAPPED, NULL);
}
static void case_output_of_a_failure(void) {
  pool = hal_pool_open(1, "t");
  CHECK(run(prints_and_stops, 1) == HAL_TRAPPED);
}

// What the grids of a list print comes in their order, too.
static void case_output_of_a_list(void) {
  pool = hal_pool_open(4, "t");
  void* function = function_of(prints);
  for (int i = 0; i < 3; i++) set_list(i, function, 2000);
  int ended;
  CHECK(hal_pool_run(pool, 0, list, 3, &ended) == 0);
  CHECK(ended == 3);
}

int main(int count, char** arguments) {
  const char* name = arguments[1];
#define CASE(of, call) \
  if (!strcmp(name, #of)) { call; hal_pool_close(pool ? pool : hal_pool_open(1, "t")); return 0; }
  CASE(faults_of_others, case_faults_of_others())
  CASE(sent_signal, case_sent_signal())
  CASE(default_fault, case_default_fault())
  CASE(default_sent, case_default_sent())
  CASE(ignored, case_ignored())
  CASE(once, case_once())
  CASE(mask, case_mask())
  CASE(high_stack, case_high_stack())
  CASE(many_stacks, case_many_stacks())
  CASE(few_stacks, case_few_stacks())
  CASE(many_failures, case_many_failures())
  CASE(no_thread, case_no_thread())
  CASE(no_memory, case_no_memory())
  CASE(memory_of_kernels, case_memory_of_kernels())
  CASE(blocks, case_blocks())
  CASE(canaries, case_canaries())
  CASE(blocks_without_memory, case_blocks_without_memory())
  CASE(blocks_without_guards, case_blocks_without_guards())
  CASE(blocks_of_threads, case_blocks_of_threads())
  CASE(largest_grid, case_largest_grid())
  CASE(slower_than_before, case_slower_than_before())
  CASE(caller_runs_short_grid, case_caller_runs_short_grid())
  CASE(caller_keeps_its_signals, case_caller_keeps_its_signals())
  CASE(callers_are_among_the_threads, case_callers_are_among_the_threads())
  CASE(list_in_order, case_list_in_order())
  CASE(list_with_failures, case_list_with_failures())
  CASE(lists_take_turns, case_lists_take_turns())
  CASE(higher_rank_first, case_higher_rank_first())
  CASE(limited_threads, case_limited_threads())
  CASE(limited_crew, case_limited_crew())
  CASE(higher_rank_first_in_crew, case_higher_rank_first_in_crew())
  CASE(idle_threads_sleep, case_idle_threads_sleep())
  CASE(no_library, case_no_library())
  CASE(output, case_output())
  CASE(output_of_a_list, case_output_of_a_list())
  CASE(too_much_output, case_too_much_output())
  CASE(output_of_a_failure, case_output_of_a_failure())
  CASE(kept_library, case_kept_library(arguments[2], arguments[3]))
  CASE(floating_point, case_floating_point(arguments[2]))
  printf("there is no case %s among %d arguments\n", name, count);
  return 2;
}
