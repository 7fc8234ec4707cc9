// SPDX-License-Identifier: Apache-2.0
// Initialisation, devices and contexts.
#include "cuda_face.h"

CU cuInit(unsigned flags) {
  GS_CALL(GS_NOTHING)
  if (flags) return GS_INVALID_VALUE;
  if (!gs_device_count()) return GS_NO_DEVICE;
  gs_initialise();
  return GS_OK;
}

CU cuDriverGetVersion(int* version) {
  GS_CALL(GS_NOTHING)
  NOT_NULL(version);
  *version = gs_driver_version(13000);
  return GS_OK;
}

CU cuDeviceGetCount(int* count) {
  GS_CALL(GS_INIT)
  NOT_NULL(count);
  *count = gs_device_count();
  return GS_OK;
}

#define DEVICE(device)                                                      \
  GS_CALL(GS_INIT)                                                          \
  if ((device) < 0 || (device) >= gs_device_count()) return GS_INVALID_DEVICE

CU cuDeviceGet(CUdevice* device, int ordinal) {
  DEVICE(ordinal);
  NOT_NULL(device);
  *device = ordinal;
  return GS_OK;
}

CU cuDeviceGetName(char* name, int length, CUdevice device) {
  DEVICE(device);
  if (!name || length <= 0) return GS_INVALID_VALUE;
  gs_device_name(name, (size_t)length, device);
  return GS_OK;
}

CU cuDeviceGetUuid(char* bytes, CUdevice device) {
  DEVICE(device);
  NOT_NULL(bytes);
  gs_gpu_uuid(bytes, device);
  return GS_OK;
}

CU cuDeviceGetUuid_v2(char* bytes, CUdevice device) {
  DEVICE(device);
  NOT_NULL(bytes);
  gs_device_uuid(bytes, device);
  return GS_OK;
}

CU cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  DEVICE(device);
  NOT_NULL(bytes);
  *bytes = gs_device_memory();
  return GS_OK;
}

CU cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  DEVICE(device);
  *major = 9;
  *minor = 0;
  return GS_OK;
}

static const struct {
  int attribute, value;
} attributes[] = {
    {1, 1024},        // threads of a block
    {2, 1024},        // block x
    {3, 1024},        // block y
    {4, 64},          // block z
    {5, 2147483647},  // grid x
    {6, 65535},       // grid y
    {7, 65535},       // grid z
    {8, GS_SHARED_DEFAULT},
    {9, 65536},       // constant memory
    {10, 32},         // warp
    {11, 2147483647}, // pitch
    {12, 65536},      // registers of a block
    {13, 1980000},    // clock, kHz
    {14, 512},        // texture alignment
    {15, 1},          // copies and kernels at once
    {16, GS_MULTIPROCESSORS},          // multiprocessors
    {17, 0},          // time limit
    {18, 0},          // integrated
    {19, 1},          // can map host memory
    {20, 0},          // compute mode
    {31, 1},          // kernels at once
    {32, 0},          // error correction
    {34, 0},          // PCI device
    {35, 0},          // TCC driver
    {36, 2619000},    // memory clock, kHz
    {37, 5120},       // memory bus, bits
    {38, 1 << 20},    // level 2 cache
    {39, 2048},       // threads of a multiprocessor
    {40, 3},          // copy engines
    {41, 1},          // unified addressing
    {50, 0},          // PCI domain
    {75, 9},          // compute capability, major
    {76, 0},          // compute capability, minor
    {78, 1},          // stream priorities
    {79, 1},          // global level 1 cache
    {80, 1},          // local level 1 cache
    {81, 228 << 10},  // shared memory of a multiprocessor
    {82, 65536},      // registers of a multiprocessor
    {83, 0},          // managed memory
    {84, 0},          // multi-GPU board
    {86, 0},          // native host atomics
    {87, 2},          // single to double precision
    {88, 0},          // pageable memory access
    {89, 0},          // concurrent managed access
    {90, 1},          // compute preemption
    {91, 1},          // host pointer of registered memory
    {92, 1},          // stream memory operations
    {93, 1},          // 64-bit stream memory operations
    {94, 1},          // wait value "nor"
    {95, 1},          // cooperative launch
    {97, GS_SHARED_OPT_IN},
    {99, 1},          // host registration
    {102, 0},         // virtual memory management
    {106, 32},        // blocks of a multiprocessor
    {111, 1 << 10},   // reserved shared memory of a block
    {115, 1},         // memory pools
    {119, 0},         // handle types of pools
};

CU cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  DEVICE(device);
  NOT_NULL(value);
  if (attribute == 33) {  // PCI bus
    *value = device + 1;
    return GS_OK;
  }
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    if (attributes[i].attribute == attribute) {
      *value = attributes[i].value;
      return GS_OK;
    }
  }
  if (attribute < 1 || attribute > 150) return GS_INVALID_VALUE;
  *value = 0;
  return GS_OK;
}

CU cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  DEVICE(device);
  if (!text || length < 13) return GS_INVALID_VALUE;
  snprintf(text, (size_t)length, "0000:%02X:00.0", device + 1);
  return GS_OK;
}

CU cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  GS_CALL(GS_INIT)
  if (!device || !text) return GS_INVALID_VALUE;
  unsigned domain = 0, bus = 0, slot = 0;
  if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3 && sscanf(text, "%x:%x", &bus, &slot) != 2) {
    return GS_INVALID_VALUE;
  }
  if (domain || slot || bus < 1 || bus > (unsigned)gs_device_count()) return GS_INVALID_DEVICE;
  *device = (int)bus - 1;
  return GS_OK;
}

CU cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  DEVICE(device);
  if (peer < 0 || peer >= gs_device_count()) return GS_INVALID_DEVICE;
  NOT_NULL(can);
  *can = gs_peer_possible(device, peer);
  return GS_OK;
}

// ---- contexts ----

CU cuDevicePrimaryCtxRetain(gs_handle* context, CUdevice device) {
  GS_CALL(GS_INIT)
  NOT_NULL(context);
  return gs_primary_retain(device, context);
}

CU cuDevicePrimaryCtxRelease(CUdevice device) {
  GS_CALL(GS_INIT)
  return gs_primary_release(device);
}

CU cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  GS_CALL(GS_INIT)
  return gs_primary_release(device);
}

CU cuDevicePrimaryCtxReset(CUdevice device) {
  GS_CALL(GS_INIT)
  return gs_primary_reset(device);
}

CU cuDevicePrimaryCtxReset_v2(CUdevice device) {
  GS_CALL(GS_INIT)
  return gs_primary_reset(device);
}

static unsigned primary_flags[GS_MAX_DEVICES];

CU cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  DEVICE(device);
  primary_flags[device] = flags;
  return GS_OK;
}

CU cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  DEVICE(device);
  if (flags) *flags = primary_flags[device];
  if (active) *active = gs_primary_active(device);
  return GS_OK;
}

CU cuCtxCreate_v2(gs_handle* context, unsigned flags, CUdevice device) {
  GS_CALL(GS_INIT)
  (void)flags;
  NOT_NULL(context);
  return gs_context_create(device, context);
}

CU cuCtxDestroy_v2(gs_handle context) {
  GS_CALL(GS_INIT)
  return gs_context_destroy(context);
}

CU cuCtxSetCurrent(gs_handle context) {
  GS_CALL(GS_INIT)
  return gs_current_set(context);
}

CU cuCtxGetCurrent(gs_handle* context) {
  GS_CALL(GS_INIT)
  NOT_NULL(context);
  *context = gs_current();
  return GS_OK;
}

CU cuCtxPushCurrent_v2(gs_handle context) {
  GS_CALL(GS_INIT)
  return gs_current_push(context);
}

CU cuCtxPopCurrent_v2(gs_handle* context) {
  GS_CALL(GS_INIT)
  gs_handle popped;
  return gs_current_pop(context ? context : &popped);
}

CU cuCtxGetDevice(CUdevice* device) {
  GS_CALL(GS_RELEASE)
  NOT_NULL(device);
  *device = gs_context_device(frame.context);
  return GS_OK;
}

CU cuCtxSynchronize(void) {
  GS_CALL(GS_CURRENT)
  return gs_context_synchronize(frame.context);
}

CU cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  GS_CALL(GS_CURRENT)
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return GS_OK;
}

static int peer_set(gs_context* context, gs_handle handle, int enable) {
  gs_context* peer = gs_context_find(handle);
  return peer && peer != context ? gs_peer_set(context, gs_context_device(peer), enable) : GS_INVALID_CONTEXT;
}

CU cuCtxEnablePeerAccess(gs_handle peer, unsigned flags) {
  GS_CALL(GS_CURRENT)
  return flags ? GS_INVALID_VALUE : peer_set(frame.context, peer, 1);
}

CU cuCtxDisablePeerAccess(gs_handle peer) {
  GS_CALL(GS_CURRENT)
  return peer_set(frame.context, peer, 0);
}
