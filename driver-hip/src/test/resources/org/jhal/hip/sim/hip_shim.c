// SPDX-License-Identifier: Apache-2.0
// The runtime. Needs no headers of CUDA; what its functions take is written down here.
#include "hip_shim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_FUNCTIONS(X)                                                                        \
  X(cuInit, unsigned)                                                                            \
  X(cuDeviceGetCount, int*)                                                                      \
  X(cuDeviceGetAttribute, int*, int, int)                                                        \
  X(cuDeviceGetName, char*, int, int)                                                            \
  X(cuDeviceGetUuid, char*, int)                                                                 \
  X(cuDeviceTotalMem_v2, size_t*, int)                                                           \
  X(cuDeviceCanAccessPeer, int*, int, int)                                                       \
  X(cuDevicePrimaryCtxRetain, handle*, int)                                                      \
  X(cuCtxEnablePeerAccess, handle, unsigned)                                                     \
  X(cuCtxSetCurrent, handle)                                                                     \
  X(cuStreamCreate, handle*, unsigned)                                                           \
  X(cuStreamCreateWithPriority, handle*, unsigned, int)                                          \
  X(cuCtxGetStreamPriorityRange, int*, int*)                                                     \
  X(cuStreamDestroy_v2, handle)                                                                  \
  X(cuStreamSynchronize, handle)                                                                 \
  X(cuStreamQuery, handle)                                                                       \
  X(cuStreamWaitEvent, handle, handle, unsigned)                                                 \
  X(cuStreamWaitValue32_v2, handle, uint64_t, unsigned, unsigned)                                \
  X(cuEventCreate, handle*, unsigned)                                                            \
  X(cuEventDestroy_v2, handle)                                                                   \
  X(cuEventRecord, handle, handle)                                                               \
  X(cuEventElapsedTime, float*, handle, handle)                                                  \
  X(cuEventQuery, handle)                                                                        \
  X(cuEventSynchronize, handle)                                                                  \
  X(cuMemAlloc_v2, uint64_t*, size_t)                                                            \
  X(cuMemGetAddressRange_v2, uint64_t*, size_t*, uint64_t)                                       \
  X(cuMemFree_v2, uint64_t)                                                                      \
  X(cuMemPoolCreate, handle*, const void*)                                                       \
  X(cuMemPoolDestroy, handle)                                                                    \
  X(cuMemPoolTrimTo, handle, size_t)                                                             \
  X(cuMemPoolSetAttribute, handle, int, void*)                                                   \
  X(cuMemPoolSetAccess, handle, const void*, size_t)                                             \
  X(cuMemAllocFromPoolAsync, uint64_t*, size_t, handle, handle)                                  \
  X(cuMemFreeAsync, uint64_t, handle)                                                            \
  X(cuMemHostAlloc, void**, size_t, unsigned)                                                    \
  X(cuMemFreeHost, void*)                                                                        \
  X(cuMemHostRegister_v2, void*, size_t, unsigned)                                               \
  X(cuMemHostUnregister, void*)                                                                  \
  X(cuMemHostGetDevicePointer_v2, uint64_t*, void*, unsigned)                                    \
  X(cuMemcpyAsync, uint64_t, uint64_t, size_t, handle)                                           \
  X(cuMemcpyHtoDAsync_v2, uint64_t, const void*, size_t, handle)                                 \
  X(cuMemcpyDtoHAsync_v2, void*, uint64_t, size_t, handle)                                       \
  X(cuMemcpyDtoDAsync_v2, uint64_t, uint64_t, size_t, handle)                                    \
  X(cuMemsetD8Async, uint64_t, unsigned char, size_t, handle)                                    \
  X(cuMemsetD16Async, uint64_t, unsigned short, size_t, handle)                                  \
  X(cuMemsetD32Async, uint64_t, unsigned, size_t, handle)                                        \
  X(cuModuleLoadData, handle*, const void*)                                                      \
  X(cuModuleUnload, handle)                                                                      \
  X(cuModuleGetGlobal_v2, uint64_t*, size_t*, handle, const char*)                               \
  X(cuModuleGetFunction, handle*, handle, const char*)                                           \
  X(cuFuncGetAttribute, int*, int, handle)                                                       \
  X(cuFuncSetAttribute, handle, int, int)                                                        \
  X(cuLaunchKernel, handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    handle, void**, void**)

#define DECLARE(name, ...) static int (*name)(__VA_ARGS__);
CUDA_FUNCTIONS(DECLARE)

enum { SUCCESS = 0, INVALID_VALUE = 1, INSUFFICIENT_DRIVER = 35, NO_DEVICE = 100, INVALID_DEVICE = 101, UNKNOWN = 999 };
enum { DEVICES = 16 };

// ---- result codes ----

// What HIP calls a failure of CUDA. Codes that both have mean the same, but for 911 and 912.
int shim_code(int cuda) {
  switch (cuda) {
    case 34:                      // stub library
    case 803:                     // driver and library do not fit
    case 804: return INSUFFICIENT_DRIVER;
    case 46:                      // device in use
    case 102:                     // not licensed
    case 802: return NO_DEVICE;   // system not ready
    case 220: return 214;         // NVLink: like memory that cannot be corrected
    case 221: return 303;         // no compiler of PTX: a library is missing
    case 222:                     // PTX is too new
    case 223: return 209;         // must not be compiled: no code for this device
    case 714:                     // the ways in which a kernel ends, which HIP does not tell apart
    case 715:
    case 716:
    case 717:
    case 718: return 719;
    case 800: return 801;         // not permitted
    case 703: case 706: case 707: case 711: case 805: case 806: case 807: case 808: case 809: case 810: case 811:
    case 812: case 909: case 911: case 912: return UNKNOWN;
    default: return cuda;
  }
}

// ---- loading, and devices of threads ----

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int loaded = NO_DEVICE;
static int device_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static handle contexts[DEVICES];  // primary ones, each retained once and for all
static __thread int current;

void* shim_open(const char* variable, const char* const* names) {
  const char* given = getenv(variable);
  if (given && *given) return dlopen(given, RTLD_NOW | RTLD_LOCAL);
  void* library = NULL;
  for (; !library && *names; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  return library;
}

static void load(void) {
  static const char* const names[] = {"libcuda.so.1", NULL};
  void* library = shim_open("JHAL_SHIM_CUDA", names);
  if (!library) return;
  const char* missing = NULL;
#define RESOLVE(name, ...)                       \
  *(void**)&name = dlsym(library, #name);        \
  if (!name) missing = #name;
  CUDA_FUNCTIONS(RESOLVE)
  for (const shim_function* f = shim_graph_functions; f->name; f++) {
    *f->to = dlsym(library, f->name);
    if (!*f->to) missing = f->name;
  }
  if (missing) {
    fprintf(stderr, "hip_shim: the CUDA driver lacks %s\n", missing);
    loaded = INSUFFICIENT_DRIVER;
    return;
  }
  loaded = shim_code(cuInit(0));
  if (!loaded) loaded = shim_code(cuDeviceGetCount(&device_count));
  if (device_count > DEVICES) device_count = DEVICES;
}

static int initialise(void) {
  pthread_once(&once, load);
  return loaded;
}

// How many there are may change in a simulator.
static int count(void) {
  int now = 0;
  return initialise() || cuDeviceGetCount(&now) ? 0 : now < DEVICES ? now : DEVICES;
}

static int retain(int device, handle* context) {
  int code = SUCCESS;
  pthread_mutex_lock(&lock);
  if (!contexts[device]) code = shim_code(cuDevicePrimaryCtxRetain(&contexts[device], device));
  *context = contexts[device];
  pthread_mutex_unlock(&lock);
  return code;
}

// For tests whose simulated driver has ended all contexts.
__attribute__((visibility("default"))) void hip_shim_forget(void) {
  pthread_mutex_lock(&lock);
  memset(contexts, 0, sizeof contexts);
  pthread_mutex_unlock(&lock);
  current = 0;
}

// Makes the context of the thread's device current: others in the process may have changed that.
int shim_enter(handle* context) {
  int code = initialise();
  if (!code) code = retain(current, context);
  return code ? code : shim_code(cuCtxSetCurrent(*context));
}

static int enter(void) {
  handle context;
  return shim_enter(&context);
}

#define FORWARD(call)                  \
  int entered_ = enter();              \
  return entered_ ? entered_ : shim_code(call)

#define DEVICE(device)                    \
  int initialised_ = initialise();        \
  if (initialised_) return initialised_;  \
  if ((device) < 0 || (device) >= count()) return INVALID_DEVICE

HIP hipInit(unsigned flags) {
  if (flags) return INVALID_VALUE;
  return initialise();
}

HIP hipRuntimeGetVersion(int* version) {
  const char* given = getenv("JHAL_SHIM_VERSION");
  *version = given && *given ? atoi(given) : 70000000;
  return SUCCESS;
}

HIP hipGetDeviceCount(int* devices) {
  *devices = count();
  return *devices ? SUCCESS : loaded ? loaded : NO_DEVICE;
}

HIP hipGetDevice(int* device) {
  *device = current;
  return initialise();
}

// Other libraries, such as the one for collectives, take the thread's CUDA context for its device. A call that needs the
// context reports why there is none.
HIP hipSetDevice(int device) {
  DEVICE(device);
  current = device;
  (void)enter();
  return SUCCESS;
}

// hipDeviceAttribute_t to CUdevice_attribute.
static const short attributes[][2] = {
    {0, 32},   {2, 40},   {3, 19},   {4, 91},   {5, 13},   {6, 20},   {7, 90},   {8, 31},   {9, 89},   {10, 95},
    {12, 15},  {14, 79},  {15, 86},  {16, 18},  {17, 84},  {18, 17},  {19, 38},  {20, 80},  {23, 75},  {24, 83},
    {25, 106}, {26, 2},   {27, 3},   {28, 4},   {29, 5},   {30, 6},   {31, 7},   {56, 1},   {57, 39},  {58, 11},
    {59, 37},  {60, 36},  {61, 76},  {63, 16},  {65, 88},  {67, 33},  {68, 34},  {69, 50},  {71, 12},  {72, 82},
    {73, 111}, {74, 97},  {75, 97},  {76, 81},  {77, 87},  {78, 78},  {80, 35},  {81, 14},  {83, 9},   {85, 41},
    {87, 10},  {88, 115}, {89, 102}, {90, 99},  {10002, 81},
};

HIP hipDeviceGetAttribute(int* value, int attribute, int device) {
  DEVICE(device);
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    if (attributes[i][0] == attribute) return shim_code(cuDeviceGetAttribute(value, attributes[i][1], device));
  }
  return INVALID_VALUE;
}

HIP hipDeviceGetName(char* name, int length, int device) {
  DEVICE(device);
  return shim_code(cuDeviceGetName(name, length, device));
}

HIP hipDeviceGetUuid(char* bytes, int device) {
  DEVICE(device);
  return shim_code(cuDeviceGetUuid(bytes, device));
}

HIP hipDeviceTotalMem(size_t* bytes, int device) {
  DEVICE(device);
  return shim_code(cuDeviceTotalMem_v2(bytes, device));
}

// Of hipDeviceProp_t, in the layout of ROCm 6, only what no attribute tells.
HIP hipGetDevicePropertiesR0600(char* properties, int device) {
  DEVICE(device);
  enum { SIZE = 1472, NAME = 256, MEMORY_AT = 288, ARCHITECTURE_AT = 1160, MAJOR = 75, MINOR = 76 };
  memset(properties, 0, SIZE);
  size_t memory = 0;
  int major = 0, minor = 0;
  int code = cuDeviceGetName(properties, NAME, device);
  if (!code) code = cuDeviceTotalMem_v2(&memory, device);
  if (!code) code = cuDeviceGetAttribute(&major, MAJOR, device);
  if (!code) code = cuDeviceGetAttribute(&minor, MINOR, device);
  memcpy(properties + MEMORY_AT, &memory, sizeof memory);
  sprintf(properties + ARCHITECTURE_AT, "sm_%d", 10 * major + minor);
  return shim_code(code);
}

HIP hipDeviceCanAccessPeer(int* can, int device, int peer) {
  DEVICE(device);
  if (peer < 0 || peer >= count()) return INVALID_DEVICE;
  return shim_code(cuDeviceCanAccessPeer(can, device, peer));
}

HIP hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  DEVICE(peer);
  handle context;
  int code = retain(peer, &context);
  if (!code) code = enter();
  return code ? code : shim_code(cuCtxEnablePeerAccess(context, flags));
}

// ---- streams and events ----

HIP hipStreamCreateWithFlags(handle* stream, unsigned flags) { FORWARD(cuStreamCreate(stream, flags)); }
HIP hipStreamCreateWithPriority(handle* stream, unsigned flags, int priority) {
  FORWARD(cuStreamCreateWithPriority(stream, flags, priority));
}
HIP hipDeviceGetStreamPriorityRange(int* least, int* greatest) { FORWARD(cuCtxGetStreamPriorityRange(least, greatest)); }
HIP hipStreamDestroy(handle stream) { FORWARD(cuStreamDestroy_v2(stream)); }
HIP hipStreamSynchronize(handle stream) { FORWARD(cuStreamSynchronize(stream)); }
HIP hipStreamQuery(handle stream) { FORWARD(cuStreamQuery(stream)); }

HIP hipStreamWaitValue32(handle stream, uint64_t address, unsigned value, unsigned flags, unsigned mask) {
  if (mask != 0xFFFFFFFFu) return INVALID_VALUE;
  FORWARD(cuStreamWaitValue32_v2(stream, address, value, flags));
}

HIP hipStreamWaitEvent(handle stream, handle event, unsigned flags) {
  FORWARD(cuStreamWaitEvent(stream, event, flags));
}

enum { LOW_FLAGS = 7 };  // HIP has more, on how memory is made visible, from 0x20000000 on

HIP hipEventCreateWithFlags(handle* event, unsigned flags) { FORWARD(cuEventCreate(event, flags & LOW_FLAGS)); }
HIP hipEventDestroy(handle event) { FORWARD(cuEventDestroy_v2(event)); }
HIP hipEventRecord(handle event, handle stream) { FORWARD(cuEventRecord(event, stream)); }
HIP hipEventElapsedTime(float* milliseconds, handle from, handle to) {
  FORWARD(cuEventElapsedTime(milliseconds, from, to));
}
HIP hipEventQuery(handle event) { FORWARD(cuEventQuery(event)); }
HIP hipEventSynchronize(handle event) { FORWARD(cuEventSynchronize(event)); }

// ---- memory ----

HIP hipMalloc(uint64_t* address, size_t size) { FORWARD(cuMemAlloc_v2(address, size)); }
HIP hipFree(uint64_t address) { FORWARD(address ? cuMemFree_v2(address) : SUCCESS); }
HIP hipMemGetAddressRange(uint64_t* base, size_t* size, uint64_t address) {
  FORWARD(cuMemGetAddressRange_v2(base, size, address));
}
HIP hipMemPoolCreate(handle* pool, const void* properties) { FORWARD(cuMemPoolCreate(pool, properties)); }
HIP hipMemPoolDestroy(handle pool) { FORWARD(cuMemPoolDestroy(pool)); }

HIP hipMemPoolTrimTo(handle pool, size_t keep) { FORWARD(cuMemPoolTrimTo(pool, keep)); }

HIP hipMemPoolSetAttribute(handle pool, int attribute, void* value) {
  FORWARD(cuMemPoolSetAttribute(pool, attribute, value));
}

HIP hipMemPoolSetAccess(handle pool, const void* list, size_t n) { FORWARD(cuMemPoolSetAccess(pool, list, n)); }

HIP hipMallocFromPoolAsync(uint64_t* address, size_t size, handle pool, handle stream) {
  FORWARD(cuMemAllocFromPoolAsync(address, size, pool, stream));
}

HIP hipFreeAsync(uint64_t address, handle stream) { FORWARD(address ? cuMemFreeAsync(address, stream) : SUCCESS); }

HIP hipHostMalloc(void** address, size_t size, unsigned flags) {
  FORWARD(cuMemHostAlloc(address, size, flags & LOW_FLAGS));
}

HIP hipHostFree(void* address) { FORWARD(address ? cuMemFreeHost(address) : SUCCESS); }

HIP hipHostRegister(void* address, size_t size, unsigned flags) {
  FORWARD(cuMemHostRegister_v2(address, size, flags));
}

HIP hipHostUnregister(void* address) { FORWARD(cuMemHostUnregister(address)); }

HIP hipHostGetDevicePointer(uint64_t* device, void* address, unsigned flags) {
  FORWARD(cuMemHostGetDevicePointer_v2(device, address, flags));
}

// Attributes have the same numbers; kinds of memory from the third on have not.
// ---- commands ----

HIP hipMemcpyHtoDAsync(uint64_t to, void* from, size_t size, handle stream) {
  FORWARD(cuMemcpyHtoDAsync_v2(to, from, size, stream));
}

HIP hipMemcpyDtoHAsync(void* to, uint64_t from, size_t size, handle stream) {
  FORWARD(cuMemcpyDtoHAsync_v2(to, from, size, stream));
}

HIP hipMemcpyDtoDAsync(uint64_t to, uint64_t from, size_t size, handle stream) {
  FORWARD(cuMemcpyDtoDAsync_v2(to, from, size, stream));
}

HIP hipMemcpyAsync(uint64_t to, uint64_t from, size_t size, int kind, handle stream) {
  enum { INVALID_DIRECTION = 21 };
  switch (kind) {
    case 1: return hipMemcpyHtoDAsync(to, (void*)from, size, stream);
    case 2: return hipMemcpyDtoHAsync((void*)to, from, size, stream);
    case 3: return hipMemcpyDtoDAsync(to, from, size, stream);
    case 0:
    case 4: {
      FORWARD(cuMemcpyAsync(to, from, size, stream));
    }
    default: return INVALID_DIRECTION;
  }
}

HIP hipMemsetD8Async(uint64_t to, unsigned char value, size_t n, handle stream) {
  FORWARD(cuMemsetD8Async(to, value, n, stream));
}

HIP hipMemsetD16Async(uint64_t to, unsigned short value, size_t n, handle stream) {
  FORWARD(cuMemsetD16Async(to, value, n, stream));
}

HIP hipMemsetD32Async(uint64_t to, int value, size_t n, handle stream) {
  FORWARD(cuMemsetD32Async(to, (unsigned)value, n, stream));
}

// ---- kernels ----

HIP hipModuleLoadData(handle* module, const void* image) { FORWARD(cuModuleLoadData(module, image)); }
HIP hipModuleUnload(handle module) { FORWARD(cuModuleUnload(module)); }

// In HIP a workgroup may use all of the shared memory without asking for it.
static int allow_shared(handle function) {
  enum { STATIC_SHARED = 1, MAX_DYNAMIC_SHARED = 8, OPT_IN = 97 };
  int most = 0, used = 0;
  int code = cuDeviceGetAttribute(&most, OPT_IN, current);
  if (!code) code = cuFuncGetAttribute(&used, STATIC_SHARED, function);
  return code ? code : cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, most - used);
}

HIP hipModuleGetFunction(handle* function, handle module, const char* name) {
  int code = enter();
  if (!code) code = shim_code(cuModuleGetFunction(function, module, name));
  return code ? code : shim_code(allow_shared(*function));
}

HIP hipModuleGetGlobal(uint64_t* address, size_t* size, handle module, const char* name) {
  FORWARD(cuModuleGetGlobal_v2(address, size, module, name));
}

HIP hipFuncGetAttribute(int* value, int attribute, handle function) {
  FORWARD(cuFuncGetAttribute(value, attribute, function));
}

int shim_packed(void** extra, void* list[SHIM_PACKED_WORDS]) {
  enum { BUFFER = 1, SIZE = 2, HIP_END = 3, CUDA_END = 0 };
  if (extra[0] != (void*)BUFFER || extra[2] != (void*)SIZE || extra[4] != (void*)HIP_END) return INVALID_VALUE;
  memcpy(list, extra, SHIM_PACKED_WORDS * sizeof *list);
  list[4] = (void*)CUDA_END;
  return SUCCESS;
}

HIP hipModuleLaunchKernel(handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, handle stream, void** arguments,
                          void** extra) {
  void* list[SHIM_PACKED_WORDS];
  if (extra && shim_packed(extra, list)) return INVALID_VALUE;
  FORWARD(cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, arguments,
                         extra ? list : NULL));
}
