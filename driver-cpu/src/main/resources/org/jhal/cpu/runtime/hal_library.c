// SPDX-License-Identifier: Apache-2.0
// Libraries of compiled kernels.
#include "hal_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
  void* handle;
  int file;  // its descriptor is part of the path by which the loader knows the library
} library;

static void path_of(int file, char path[64]) { snprintf(path, 64, "/proc/self/fd/%d", file); }

static int write_code(int file, const char* code, int size) {
  for (int done = 0; done < size;) {
    ssize_t n = write(file, code + done, (size_t)(size - done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    done += (int)n;
  }
  return 1;
}

// Makes a file in memory with the code of a library. Returns -1 and the reason if that fails.
static int make_file(const char* code, int size, char* reason, int reason_size) {
  int file = memfd_create("jhal-kernels", MFD_CLOEXEC);
  if (file < 0) {
    snprintf(reason, (size_t)reason_size, "cannot create a file in memory: %s", strerror(errno));
  } else if (!write_code(file, code, size)) {
    snprintf(reason, (size_t)reason_size, "cannot write %d bytes to a file in memory: %s", size, strerror(errno));
    close(file);
    file = -1;
  }
  return file;
}

// Opens a library of kernels. Returns NULL and the reason if that fails; `is_refused`: the loader refuses the library.
// Otherwise the process lacks memory or files.
HAL_EXPORT library* hal_library_open(const void* code, int size, char* reason, int reason_size, int* is_refused) {
  *is_refused = 0;
  library* opened = malloc(sizeof *opened);
  if (!opened) {
    snprintf(reason, (size_t)reason_size, "no memory");
    return NULL;
  }
  int file = make_file(code, size, reason, reason_size);
  if (file < 0) {
    free(opened);
    return NULL;
  }
  char path[64];
  path_of(file, path);
  fenv_t mode;  // a library compiled with -ffast-math changes the floating-point mode of the thread that loads it
  fegetenv(&mode);
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  fesetenv(&mode);
  if (!handle) {
    *is_refused = 1;
    snprintf(reason, (size_t)reason_size, "%s", dlerror());
    close(file);
    free(opened);
    return NULL;
  }
  *opened = (library){handle, file};
  return opened;
}

// The loader keeps some libraries after dlclose. Their files stay open: a later file of the same number would have the same
// path, and the loader would return the kept library for it.
HAL_EXPORT void hal_library_close(library* opened) {
  char path[64];
  path_of(opened->file, path);
  dlclose(opened->handle);
  void* kept = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (kept) {
    dlclose(kept);
  } else {
    close(opened->file);
  }
  free(opened);
}

HAL_EXPORT const hal_kernel* hal_library_kernel(library* opened, int index) {
  char name[32];
  snprintf(name, sizeof name, "hal_kernel_%d", index);
  return dlsym(opened->handle, name);
}

// The address of a variable, and its size. NULL if there is none of this index.
HAL_EXPORT void* hal_library_global(library* opened, int index, unsigned long* size) {
  char name[32];
  snprintf(name, sizeof name, "hal_global_%d", index);
  const hal_global* global = dlsym(opened->handle, name);
  if (!global) return NULL;
  *size = global->size;
  return global->address;
}

HAL_EXPORT int hal_kernel_count(const hal_kernel* kernel) { return (int)kernel->count; }
HAL_EXPORT int hal_kernel_size(const hal_kernel* kernel, int index) { return (int)kernel->parameters[index].size; }
HAL_EXPORT int hal_kernel_align(const hal_kernel* kernel, int index) { return (int)kernel->parameters[index].align; }
HAL_EXPORT int hal_kernel_is_pointer(const hal_kernel* kernel, int index) { return (int)kernel->parameters[index].is_pointer; }
HAL_EXPORT const char* hal_kernel_note(const hal_kernel* kernel) { return kernel->note; }

HAL_EXPORT hal_function* hal_function_make(const hal_kernel* kernel) {
  hal_function* function = calloc(1, sizeof *function);
  if (function) function->run = kernel->run;
  return function;
}
HAL_EXPORT void hal_function_cooperate(hal_function* function) { function->is_cooperative = 1; }
HAL_EXPORT void hal_function_free(hal_function* function) { free(function); }
