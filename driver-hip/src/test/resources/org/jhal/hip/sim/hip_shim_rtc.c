// SPDX-License-Identifier: Apache-2.0
// HIPRTC over NVRTC: the architectures are those of NVIDIA, and what is made is a CUBIN. Options pass as they are; both
// compilers take --gpu-architecture, -D and --std.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "hip_shim.h"

#define NVRTC_FUNCTIONS(X)                                                                               \
  X(nvrtcCreateProgram, void**, const char*, const char*, int, const char* const*, const char* const*)   \
  X(nvrtcDestroyProgram, void**)                                                                         \
  X(nvrtcAddNameExpression, void*, const char*)                                                          \
  X(nvrtcGetLoweredName, void*, const char*, const char**)                                               \
  X(nvrtcCompileProgram, void*, int, const char* const*)                                                 \
  X(nvrtcGetCUBINSize, void*, size_t*)                                                                   \
  X(nvrtcGetCUBIN, void*, char*)                                                                         \
  X(nvrtcGetProgramLogSize, void*, size_t*)                                                              \
  X(nvrtcGetProgramLog, void*, char*)                                                                    \
  X(nvrtcGetNumSupportedArchs, int*)                                                                     \
  X(nvrtcGetSupportedArchs, int*)

#define DECLARE(name, ...) static int (*name)(__VA_ARGS__);
NVRTC_FUNCTIONS(DECLARE)
static const char* (*nvrtcGetErrorString)(int);

enum { SUCCESS = 0, INTERNAL_ERROR = 11, MOST = 128, COMGR_INVALID_ARGUMENT = 2 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded, count, architectures[MOST];
static char names[MOST][64];

#define TARGET "amdgcn-amd-amdhsa--"

static void load(void) {
  static const char* const candidates[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", NULL};
  void* library = shim_open("JHAL_SHIM_NVRTC", candidates);
  if (!library) return;
  is_loaded = 1;
#define RESOLVE(name, ...)                \
  *(void**)&name = dlsym(library, #name); \
  if (!name) is_loaded = 0;
  NVRTC_FUNCTIONS(RESOLVE)
  RESOLVE(nvrtcGetErrorString)
  if (!is_loaded || nvrtcGetNumSupportedArchs(&count) || count > MOST || nvrtcGetSupportedArchs(architectures)) {
    is_loaded = count = 0;
  }
  for (int i = 0; i < count; i++) snprintf(names[i], sizeof names[i], TARGET "sm_%d", architectures[i]);
}

static int ready(void) {
  pthread_once(&once, load);
  return is_loaded;
}

#define FORWARD(call) return ready() ? call : INTERNAL_ERROR

HIP hiprtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* texts,
                        const char* const* includes) {
  FORWARD(nvrtcCreateProgram(program, source, name, headers, texts, includes));
}

HIP hiprtcDestroyProgram(void** program) { FORWARD(nvrtcDestroyProgram(program)); }

HIP hiprtcAddNameExpression(void* program, const char* expression) {
  FORWARD(nvrtcAddNameExpression(program, expression));
}

HIP hiprtcGetLoweredName(void* program, const char* expression, const char** symbol) {
  FORWARD(nvrtcGetLoweredName(program, expression, symbol));
}

HIP hiprtcCompileProgram(void* program, int n, const char* const* options) {
  FORWARD(nvrtcCompileProgram(program, n, options));
}

HIP hiprtcGetCodeSize(void* program, size_t* size) { FORWARD(nvrtcGetCUBINSize(program, size)); }
HIP hiprtcGetCode(void* program, char* to) { FORWARD(nvrtcGetCUBIN(program, to)); }
HIP hiprtcGetProgramLogSize(void* program, size_t* size) { FORWARD(nvrtcGetProgramLogSize(program, size)); }
HIP hiprtcGetProgramLog(void* program, char* to) { FORWARD(nvrtcGetProgramLog(program, to)); }

__attribute__((visibility("default"))) const char* hiprtcGetErrorString(int code) {
  return ready() ? nvrtcGetErrorString(code) : "NVRTC is not found";
}

// ---- which architectures the compiler knows ----

HIP amd_comgr_get_isa_count(size_t* result) {
  *result = ready() ? (size_t)count : 0;
  return SUCCESS;
}

HIP amd_comgr_get_isa_name(size_t index, const char** name) {
  if (!ready() || index >= (size_t)count) return COMGR_INVALID_ARGUMENT;
  *name = names[index];
  return SUCCESS;
}

HIP amd_comgr_get_isa_metadata(const char* name, uint64_t* metadata) {
  for (int i = 0; ready() && i < count; i++) {
    if (!strcmp(names[i], name)) {
      *metadata = 1;
      return SUCCESS;
    }
  }
  return COMGR_INVALID_ARGUMENT;
}

HIP amd_comgr_destroy_metadata(uint64_t metadata) { return metadata == 1 ? SUCCESS : COMGR_INVALID_ARGUMENT; }
