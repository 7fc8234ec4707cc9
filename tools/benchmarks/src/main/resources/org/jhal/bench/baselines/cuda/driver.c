// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFINE(function) __typeof__(&function) function##_;
FUNCTIONS(DEFINE)

#define NAME(function) #function
#define LOOK_UP(function) function##_ = (__typeof__(&function))look_up(library, NAME(function));

static void *look_up(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (address == NULL) {
    die("libcuda.so.1 has no %s", name);
  }
  return address;
}

void load_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) {
    die("%s", dlerror());
  }
  FUNCTIONS(LOOK_UP)
}

static void end(const char *word, const char *format, va_list arguments) {
  printf("%s ", word);
  vprintf(format, arguments);
  putchar('\n');
  fflush(stdout);
  exit(1);
}

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end("error", format, arguments);
  va_end(arguments);
}

void absent(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end("absent", format, arguments);
  va_end(arguments);
}

void check(CUresult result, const char *call) {
  const char *name = NULL;
  if (result == CUDA_SUCCESS) {
    return;
  }
  if (cuGetErrorName_(result, &name) != CUDA_SUCCESS || name == NULL) {
    name = "an unknown error";
  }
  die("%s: %s (%d)", call, name, (int)result);
}
