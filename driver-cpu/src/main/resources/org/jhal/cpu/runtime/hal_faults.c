// SPDX-License-Identifier: Apache-2.0
// Faults of kernels. A signal handler ends the kernel that faulted, and its thread continues with the next one. The handler
// acts only on faults of the runtime's own threads while they run a kernel. It passes every other signal to the handler that
// was installed before it, such as the JVM's. It is never removed, so the library must never be unloaded.
#include "hal_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// __builtin_trap raises SIGILL or SIGTRAP, depending on the processor.
static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { COUNT = sizeof SIGNALS / sizeof *SIGNALS };

static struct sigaction before[64];

// The C library's sigaction. libjsig replaces it by one that calls new handlers after the JVM's. But the JVM's handler runs on
// the stack that faulted, so it cannot start when a kernel has used up its stack.
static int (*set_action)(int, const struct sigaction*, struct sigaction*) = sigaction;

// The handler reads it, so its storage must exist before the first fault.
static __thread hal_thread* volatile self __attribute__((tls_model("initial-exec")));

hal_thread* hal_current(void) { return self; }

// Whether an instruction raised the signal, rather than a call such as kill.
static int is_fault(const siginfo_t* info) { return info->si_code > 0; }

static void pass_on(int number, siginfo_t* info, void* context) {
  struct sigaction* old = &before[number];
  struct sigaction action = *old;
  int has_handler = action.sa_flags & SA_SIGINFO || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
  if (has_handler && action.sa_flags & SA_RESETHAND) *old = (struct sigaction){.sa_handler = SIG_DFL};
  if (action.sa_flags & SA_SIGINFO) {
    action.sa_sigaction(number, info, context);
  } else if (has_handler) {
    action.sa_handler(number);
  } else if (is_fault(info)) {
    set_action(number, &action, NULL);  // the instruction faults again, and the system takes the default action
  } else if (action.sa_handler == SIG_DFL) {
    set_action(number, &action, NULL);
    raise(number);
  }
}

static void handler(int number, siginfo_t* info, void* context) {
  hal_thread* thread = self;
  if (!thread || !thread->is_inside || !is_fault(info)) {
    pass_on(number, info, context);
    return;
  }
  thread->address = info->si_addr;
  thread->has_address = (number == SIGSEGV || number == SIGBUS) && info->si_code != SI_KERNEL;
  thread->reason = number == SIGFPE                                   ? HAL_ARITHMETIC
                   : number == SIGILL || number == SIGTRAP            ? HAL_ILLEGAL_INSTRUCTION
                   : hal_is_below_stack(thread, (char*)info->si_addr) ? HAL_STACK_OVERFLOW
                                                                      : HAL_ILLEGAL_ADDRESS;
  thread->said = NULL;
  siglongjmp(thread->out, 1);
}

static int is_installed;

static void install(void) {
  // RTLD_NOLOAD finds this library by name even if its file was deleted.
  Dl_info own;
  if (!dladdr((void*)install, &own) || !dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)) return;
  void* library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  void* found = library ? dlsym(library, "sigaction") : NULL;
  if (found) memcpy(&set_action, &found, sizeof found);
  for (int i = 0; i < COUNT; i++) {
    struct sigaction action;
    set_action(SIGNALS[i], NULL, &before[SIGNALS[i]]);  // the new handler needs it from its first signal on
    action = before[SIGNALS[i]];
    action.sa_sigaction = handler;
    action.sa_flags = (action.sa_flags & ~SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
    set_action(SIGNALS[i], &action, NULL);
  }
  is_installed = 1;
}

int hal_faults_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  return is_installed;
}

void hal_block_signals(sigset_t* old) {
  sigset_t blocked;
  sigfillset(&blocked);
  for (int i = 0; i < COUNT; i++) sigdelset(&blocked, SIGNALS[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, old);
}

void hal_faults_enter(hal_thread* thread) {
  stack_t stack = {.ss_sp = thread->signal_stack, .ss_size = HAL_SIGNAL_STACK};
  sigaltstack(&stack, &thread->signal_stack_before);
  pthread_attr_t attributes;
  if (!thread->low && !pthread_getattr_np(pthread_self(), &attributes)) {
    void* low;
    size_t size;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    thread->low = low;
    thread->high = (char*)low + size;
  }
  pthread_sigmask(SIG_BLOCK, NULL, &thread->mask);
  self = thread;
}

void hal_faults_leave(void) {
  sigaltstack(&self->signal_stack_before, NULL);
  self = NULL;
}

int hal_call(hal_thread* thread, hal_run* run, const hal_launch* launch, unsigned long long first, unsigned long long count) {
  if (sigsetjmp(thread->out, 0)) {
    thread->is_inside = 0;
    pthread_sigmask(SIG_SETMASK, &thread->mask, NULL);  // signals that are blocked while a handler runs
    return thread->reason;
  }
  thread->is_inside = 1;
  run(launch, first, count);
  thread->is_inside = 0;
  return 0;
}

void hal_stop(int why, const char* text) {
  hal_thread* thread = self;
  thread->reason = why;
  thread->said = text;
  thread->has_address = 0;
  siglongjmp(thread->out, 1);
}

void hal_describe(const hal_thread* thread, char text[HAL_TEXT]) {
  text[0] = 0;
  if (thread->said) {
    snprintf(text, HAL_TEXT, "%s", thread->said);
  } else if (thread->has_address && thread->reason == HAL_ILLEGAL_ADDRESS) {
    snprintf(text, HAL_TEXT, "address 0x%zx", (size_t)thread->address);
  }
}
