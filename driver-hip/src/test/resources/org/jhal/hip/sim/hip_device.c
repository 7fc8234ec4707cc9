// SPDX-License-Identifier: Apache-2.0
// Initialisation and devices.
#include "hip_face.h"

HIP hipInit(unsigned flags) {
  GS_CALL(GS_NOTHING)
  if (flags) return GS_INVALID_VALUE;
  return gs_device_count() ? GS_OK : GS_INVALID_DEVICE;  // not "no device": so do real ones
}

HIP hipRuntimeGetVersion(int* version) {
  GS_CALL(GS_NOTHING)
  NOT_NULL(version);
  *version = gs_driver_version(HIP_VERSION);
  return GS_OK;
}

HIP hipGetDeviceCount(int* count) {
  GS_CALL(GS_NOTHING)
  NOT_NULL(count);
  *count = gs_device_count();
  return *count ? GS_OK : GS_NO_DEVICE;
}

HIP hipGetDevice(int* device) {
  GS_CALL(GS_NOTHING)
  NOT_NULL(device);
  *device = gs_device_get();
  return gs_device_count() ? GS_OK : GS_NO_DEVICE;
}

HIP hipSetDevice(int device) {
  GS_CALL(GS_NOTHING)
  return gs_device_set(device);
}

#define DEVICE(device)  \
  GS_CALL(GS_NOTHING)   \
  if ((device) < 0 || (device) >= gs_device_count()) return GS_INVALID_DEVICE

HIP hipDeviceGetName(char* name, int length, int device) {
  DEVICE(device);
  if (!name || length <= 0) return GS_INVALID_VALUE;
  gs_device_name(name, (size_t)length, device);
  return GS_OK;
}

HIP hipDeviceGetUuid(char* bytes, int device) {
  DEVICE(device);
  NOT_NULL(bytes);
  gs_device_uuid(bytes, device);
  return GS_OK;
}

HIP hipDeviceTotalMem(size_t* bytes, int device) {
  DEVICE(device);
  NOT_NULL(bytes);
  *bytes = gs_device_memory();
  return GS_OK;
}

static const struct {
  int attribute, value;
} attributes[] = {
    {0, 0},            // error correction
    {3, 1},            // can map host memory
    {5, 1700000},      // clock, kHz
    {8, 1},            // kernels at once
    {10, 1},           // cooperative launch
    {16, 0},           // integrated
    {19, 8 << 20},     // level 2 cache
    {23, 9},           // compute capability, major
    {24, 0},           // managed memory
    {26, 1024},        // block x
    {27, 1024},        // block y
    {28, 64},          // block z; more on a real one, but not here
    {29, 2147483647},  // grid x
    {30, 65535},       // grid y
    {31, 65535},       // grid z
    {56, 1024},        // threads of a block
    {57, 2048},        // threads of a multiprocessor
    {59, 4096},        // memory bus, bits
    {60, 1600000},     // memory clock, kHz
    {61, 0},           // compute capability, minor
    {63, GS_MULTIPROCESSORS},  // multiprocessors
    {68, 0},           // PCI device
    {69, 0},           // PCI domain
    {71, 65536},       // registers of a block
    {74, HIP_LDS},     // shared memory of a block
    {85, 1},           // unified addressing
    {87, 64},          // wavefront
    {88, 1},           // memory pools
    {90, 1},           // host registration
    {10002, HIP_LDS},  // shared memory of a multiprocessor
};

HIP hipDeviceGetAttribute(int* value, int attribute, int device) {
  DEVICE(device);
  NOT_NULL(value);
  if (attribute == 67) {  // PCI bus
    *value = device + 1;
    return GS_OK;
  }
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    if (attributes[i].attribute == attribute) {
      *value = attributes[i].value;
      return GS_OK;
    }
  }
  return GS_INVALID_VALUE;
}

// hipDeviceProp_t has two layouts. The whole structure is written, so that too small a buffer is found.
static int properties(char* to, int device, size_t size, size_t memory_at, size_t architecture_at) {
  if (!to) return GS_INVALID_VALUE;
  size_t memory = gs_device_memory();
  memset(to, 0, size);
  gs_device_name(to, 256, device);
  memcpy(to + memory_at, &memory, sizeof memory);
  strcpy(to + architecture_at, HIP_ARCHITECTURE);
  return GS_OK;
}

HIP hipGetDevicePropertiesR0600(char* to, int device) {
  DEVICE(device);
  return properties(to, device, 1472, 288, 1160);
}

HIP hipGetDevicePropertiesR0000(char* to, int device) {
  DEVICE(device);
  return properties(to, device, 792, 256, 396);
}

HIP hipGetDeviceProperties(char* to, int device) {
  DEVICE(device);
  return properties(to, device, 792, 256, 396);
}

HIP hipDeviceCanAccessPeer(int* can, int device, int peer) {
  DEVICE(device);
  if (peer < 0 || peer >= gs_device_count()) return GS_INVALID_DEVICE;
  NOT_NULL(can);
  *can = gs_peer_possible(device, peer);
  return GS_OK;
}

HIP hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  GS_CALL(GS_DEVICE)
  return flags ? GS_INVALID_VALUE : gs_peer_set(frame.context, peer, 1);
}
