// SPDX-License-Identifier: Apache-2.0
// Runs a grid on the calling thread. Threads of a block run one after the other on a fiber; one that
// comes to a barrier, or gives something to its warp, keeps its fiber, and the next ones run on another, until all have
// come there.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "grid.h"

enum { FIBER_STACK = 64 << 10, SIGNAL_STACK = 64 << 10 };

typedef struct {
  sigjmp_buf out;
} guard;

// Read in signal handlers, so it must not be allocated at the first use.
static __thread guard* volatile guarding __attribute__((tls_model("initial-exec")));
__thread grid* gs_grid_current;
static __thread fiber* cache;
static __thread void* signal_stack;

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[64];

// ---- faults of kernels and copies become codes; those of others go where they went before ----

static void handler(int signal, siginfo_t* info, void* context) {
  if (guarding) siglongjmp(guarding->out, signal == SIGSEGV || signal == SIGBUS ? GS_ILLEGAL_ADDRESS : GS_LAUNCH_FAILED);
  struct sigaction* old = &before[signal];
  if (old->sa_flags & SA_SIGINFO) {
    old->sa_sigaction(signal, info, context);
  } else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
    sigaction(signal, old, NULL);  // it comes again, and does what it did before
  } else {
    old->sa_handler(signal);
  }
}

static void install(void) {
  for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
    struct sigaction action;
    sigaction(SIGNALS[i], NULL, &before[SIGNALS[i]]);
    action.sa_sigaction = handler;
    action.sa_flags = (before[SIGNALS[i]].sa_flags & ~SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
    action.sa_mask = before[SIGNALS[i]].sa_mask;
    sigaction(SIGNALS[i], &action, NULL);
  }
}

void gs_guard_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  stack_t stack = {.ss_size = SIGNAL_STACK};
  signal_stack = malloc(SIGNAL_STACK);
  stack.ss_sp = signal_stack;
  sigaltstack(&stack, NULL);
}

int gs_guarded(int (*function)(void*), void* argument) {
  guard here;
  int code = sigsetjmp(here.out, 1);
  if (!code) {
    guarding = &here;
    code = function(argument);
  }
  guarding = NULL;
  return code;
}

void gs_grid_trap(gpusim_thread* self, int code) {
  (void)self;
  siglongjmp(guarding->out, code);
}

// ---- fibers ----

static void begin_block(grid* g) {
  g->at_thread = (gpusim_index){0, 0, 0};
  g->begun_all = 0;
  g->counted[g->round & 1] = 0;
  memset(g->ended, 0, sizeof g->ended);
  memset(g->shared, 0xCD, g->shared_size);
}

static void next_block(grid* g) {
  if (g->crew) {
    g->over = 1;
    return;
  }
  if (++g->at_block.x == g->grid.x) {
    g->at_block.x = 0;
    if (++g->at_block.y == g->grid.y) {
      g->at_block.y = 0;
      if (++g->at_block.z == g->grid.z) {
        g->over = 1;
        return;
      }
    }
  }
  begin_block(g);
}

static void next_thread(grid* g) {
  if (++g->at_thread.x == g->block.x) {
    g->at_thread.x = 0;
    if (++g->at_thread.y == g->block.y) {
      g->at_thread.y = 0;
      if (++g->at_thread.z == g->block.z) g->begun_all = 1;
    }
  }
}

void gs_grid_ready(grid* g, fiber* f) {
  f->next = NULL;
  *g->ready_end = f;
  g->ready_end = &f->next;
}

static void fiber_main(void) {
  for (;;) {
    grid* g = gs_grid_current;
    fiber* f = g->running;
    while (!g->begun_all) {
      f->self.thread = g->at_thread;
      f->self.block = g->at_block;
      next_thread(g);
      g->run(g->arguments, &f->self);
      gs_warp_leave(g, &f->self);
      // As long as nobody waits, this fiber goes through block after block.
      if (g->begun_all && !g->suspended) {
        next_block(g);
        if (g->over) break;
      }
    }
    f->next = g->idle;
    g->idle = f;
    gs_place_switch(&f->place, &g->main);
  }
}

static void sync_threads(gpusim_thread* self) {
  grid* g = gs_grid_current;
  fiber* f = (fiber*)self;
  f->next = NULL;
  if (g->waiting_last) {
    g->waiting_last->next = f;
  } else {
    g->waiting = f;
  }
  g->waiting_last = f;
  g->suspended++;
  gs_place_switch(&f->place, &g->main);
  g->suspended--;
}

static void sync_grid(gpusim_thread* self) {
  sync_threads(self);
  if (!self->thread.x && !self->thread.y && !self->thread.z) {
    int code = gs_crew_meet(gs_grid_current->crew);
    if (code) gs_grid_trap(self, code);
  }
  sync_threads(self);
}

static int count_threads(gpusim_thread* self, int yes) {
  grid* g = gs_grid_current;
  unsigned round = g->round;
  g->counted[round & 1] += yes != 0;
  sync_threads(self);
  return g->counted[round & 1];
}

static void print(gpusim_thread* self, const char* text, unsigned long length) {
  (void)self;
  gs_text_append(&gs_grid_current->printed, text, length);
}

static fiber* fiber_get(grid* g) {
  fiber* f = g->idle;
  if (f) {
    g->idle = f->next;
    return f;
  }
  f = cache;
  if (f) {
    cache = f->next;
  } else {
    f = calloc(1, sizeof *f);
    f->stack = mmap(NULL, FIBER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  f->other = g->all;
  g->all = f;
  gs_place_begin(&f->place, f->stack, FIBER_STACK, fiber_main);
  f->self.block_dim = g->block;
  f->self.grid_dim = g->grid;
  f->self.shared = g->shared;
  f->self.sync = sync_threads;
  f->self.trap = gs_grid_trap;
  f->self.count = count_threads;
  f->self.exchange = gs_warp_exchange;
  f->self.print = print;
  f->self.sync_grid = g->crew ? sync_grid : NULL;
  return f;
}

static void resume(grid* g, fiber* f) {
  g->running = f;
  gs_place_switch(&g->main, &f->place);
}

// All that are not over have come to the barrier.
static void release(grid* g) {
  g->round++;
  g->counted[g->round & 1] = 0;
  fiber* released = g->waiting;
  g->waiting = g->waiting_last = NULL;
  while (released) {
    fiber* f = released;
    released = f->next;
    gs_grid_ready(g, f);
  }
}

static int run_blocks(void* argument) {
  grid* g = argument;
  begin_block(g);
  while (!g->over) {
    fiber* f = g->ready;
    if (f) {
      g->ready = f->next;
      if (!g->ready) g->ready_end = &g->ready;
      resume(g, f);
    } else if (!g->begun_all) {
      resume(g, fiber_get(g));
    } else if (!g->exchanging) {
      release(g);
    } else if (!gs_warp_settle(g)) {
      return GS_LAUNCH_FAILED;
    }
  }
  return GS_OK;
}

int gs_grid_run(gpusim_run* run, void** arguments, const unsigned size[3], const unsigned block[3], unsigned shared) {
  return gs_grid_run_block(run, arguments, size, block, shared, 0, NULL);
}

int gs_grid_run_block(gpusim_run* run, void** arguments, const unsigned size[3], const unsigned block[3],
                      unsigned shared, unsigned long long index, gs_crew* crew) {
  grid g = {.run = run, .arguments = arguments, .shared_size = shared, .crew = crew};
  g.grid = (gpusim_index){size[0], size[1], size[2]};
  g.at_block = (gpusim_index){(unsigned)(index % size[0]), (unsigned)(index / size[0] % size[1]),
                              (unsigned)(index / size[0] / size[1])};
  g.block = (gpusim_index){block[0], block[1], block[2]};
  g.shared = aligned_alloc(256, (shared / 256 + 1) * 256);
  g.ready_end = &g.ready;
  gs_grid_current = &g;
  int code = gs_guarded(run_blocks, &g);
  gs_grid_current = NULL;
  while (g.all) {
    fiber* f = g.all;
    g.all = f->other;
    f->next = cache;
    cache = f;
  }
  free(g.shared);
  if (g.printed.length) {
    fwrite(g.printed.chars, 1, g.printed.length, stdout);
    fflush(stdout);
  }
  free(g.printed.chars);
  return code;
}

void gs_grid_thread_end(void) {
  while (cache) {
    fiber* f = cache;
    cache = f->next;
    munmap(f->stack, FIBER_STACK);
    free(f);
  }
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  free(signal_stack);
}
