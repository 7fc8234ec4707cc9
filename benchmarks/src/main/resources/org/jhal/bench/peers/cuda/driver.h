/* The driver API for raw.c: its functions, found when the program runs, and every result checked. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program. */
static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("error ", stdout);
  vprintf(format, arguments);
  putchar('\n');
  fflush(stdout);
  va_end(arguments);
  exit(1);
}

/*
 * The driver's library is found when this runs, so that a toolkit without its stub will do. What the header calls
 * cuMemAlloc is a macro for cuMemAlloc_v2: that is looked up, and kept in a pointer cuMemAlloc_.
 */
#define FUNCTIONS(X) \
  X(cuCtxSetCurrent) \
  X(cuDeviceGet) \
  X(cuDeviceGetByPCIBusId) \
  X(cuDevicePrimaryCtxRetain) \
  X(cuEventCreate) \
  X(cuEventDestroy) \
  X(cuEventRecord) \
  X(cuEventSynchronize) \
  X(cuGetErrorName) \
  X(cuInit) \
  X(cuLaunchHostFunc) \
  X(cuLaunchKernel) \
  X(cuMemAlloc) \
  X(cuMemAllocAsync) \
  X(cuMemFree) \
  X(cuMemFreeAsync) \
  X(cuMemFreeHost) \
  X(cuMemHostAlloc) \
  X(cuMemcpyDtoDAsync) \
  X(cuMemcpyDtoH) \
  X(cuMemcpyDtoHAsync) \
  X(cuMemcpyHtoDAsync) \
  X(cuMemsetD32Async) \
  X(cuModuleGetFunction) \
  X(cuModuleLoadData) \
  X(cuStreamCreate) \
  X(cuStreamSynchronize)

#define DECLARE(function) static __typeof__(&function) function##_;
FUNCTIONS(DECLARE)

#define NAME(function) #function
#define LOOK_UP(function) function##_ = (__typeof__(&function))look_up(library, NAME(function));

static void *look_up(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (address == NULL) {
    die("libcuda.so.1 has no %s", name);
  }
  return address;
}

static void load_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) {
    die("%s", dlerror());
  }
  FUNCTIONS(LOOK_UP)
}

static void check(CUresult result, const char *call) {
  const char *name = NULL;
  if (result == CUDA_SUCCESS) {
    return;
  }
  if (cuGetErrorName_(result, &name) != CUDA_SUCCESS || name == NULL) {
    name = "an unknown error";
  }
  die("%s: %s (%d)", call, name, (int)result);
}

#define CALL(function, ...) check(function##_(__VA_ARGS__), #function)
