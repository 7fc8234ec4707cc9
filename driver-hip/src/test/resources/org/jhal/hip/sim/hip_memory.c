// SPDX-License-Identifier: Apache-2.0
// Memory of devices and of the host, pools, copies and fills.
#include "hip_face.h"

HIP hipMalloc(hipDeviceptr_t* address, size_t size) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(address);
  return gs_memory_alloc(frame.context, address, size);
}

HIP hipFree(hipDeviceptr_t address) { RELEASE(gs_memory_free(address)); }

HIP hipMemGetAddressRange(hipDeviceptr_t* base, size_t* size, hipDeviceptr_t address) {
  GS_CALL(GS_DEVICE)
  gs_memory_info info;
  if (gs_memory_info_of(address, &info)) return GS_NOT_FOUND;
  if (base) *base = info.base;
  if (size) *size = info.size;
  return GS_OK;
}

HIP hipMallocFromPoolAsync(hipDeviceptr_t* address, size_t size, gs_handle pool, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  if (!address || !pool) return GS_INVALID_VALUE;
  return gs_memory_alloc_async(stream, pool, address, size);
}

HIP hipFreeAsync(hipDeviceptr_t address, gs_handle stream) { RELEASE(gs_memory_free_async(stream, address)); }

// ---- pools ----

HIP hipMemPoolCreate(gs_handle* pool, const gs_pool_properties* properties) {
  GS_CALL(GS_DEVICE)
  return gs_pool_create(properties, pool);
}

HIP hipMemPoolDestroy(gs_handle pool) { RELEASE(gs_pool_destroy(pool)); }

HIP hipMemPoolTrimTo(gs_handle pool, size_t keep) {
  GS_CALL(GS_DEVICE)
  return gs_pool_trim(pool, keep);
}

HIP hipMemPoolSetAttribute(gs_handle pool, int attribute, void* value) {
  GS_CALL(GS_DEVICE)
  return gs_pool_set(pool, attribute, value);
}

HIP hipMemPoolSetAccess(gs_handle pool, const gs_access* list, size_t count) {
  GS_CALL(GS_DEVICE)
  return gs_pool_access(pool, list, count);
}

// ---- the host's ----

// Portable, mapped, write-combined; and those that only a NUMA node or the coherence depends on.
enum { HOST_FLAGS = 7, HOST_HIGH_FLAGS = 0x20000000 | 0x40000000 | (int)0x80000000, REGISTER_FLAGS = 15 };

HIP hipHostMalloc(void** address, size_t size, unsigned flags) {
  GS_CALL(GS_DEVICE)
  if (!address || flags & ~(unsigned)(HOST_FLAGS | HOST_HIGH_FLAGS)) return GS_INVALID_VALUE;
  return gs_host_alloc(frame.context, address, size, flags & HOST_FLAGS);
}

HIP hipHostFree(void* address) { RELEASE(address ? gs_host_free(address) : GS_OK); }

// Real ones have not refused what is registered already before 2026. They know it by its first address, and forget that
// when it is unregistered for the first time.
HIP hipHostRegister(void* address, size_t size, unsigned flags) {
  GS_CALL(GS_DEVICE)
  if (flags > REGISTER_FLAGS) return GS_INVALID_VALUE;
  return gs_host_register(frame.context, address, size, flags, 1);
}

HIP hipHostUnregister(void* address) { RELEASE(gs_host_unregister(address)); }

static int is_host(const gs_memory_info* info) {
  return info->kind == GS_HOST_MEMORY || info->kind == GS_REGISTERED_MEMORY;
}

HIP hipHostGetDevicePointer(hipDeviceptr_t* device, void* address, unsigned flags) {
  GS_CALL(GS_DEVICE)
  gs_memory_info info;
  if (!device || flags || gs_memory_info_of((uint64_t)address, &info) || !is_host(&info)) return GS_INVALID_VALUE;
  *device = (hipDeviceptr_t)address;
  return GS_OK;
}

// ---- copies and fills ----

static int copy(gs_context* context, gs_handle stream, uint64_t to, enum gs_side to_side, uint64_t from,
                enum gs_side from_side, size_t size) {
  return gs_copy(context, stream ? stream : 1, to, to_side, from, from_side, size);  // 1 is the default stream
}

int hip_sides(int kind, enum gs_side* to, enum gs_side* from) {
  static const enum gs_side sides[][2] = {{GS_SIDE_HOST, GS_SIDE_HOST},
                                          {GS_SIDE_DEVICE, GS_SIDE_HOST},
                                          {GS_SIDE_HOST, GS_SIDE_DEVICE},
                                          {GS_SIDE_DEVICE, GS_SIDE_DEVICE},
                                          {GS_SIDE_ANY, GS_SIDE_ANY}};
  enum { INVALID_DIRECTION = 21 };
  if (kind < 0 || kind > 4) return INVALID_DIRECTION;
  *to = sides[kind][0];
  *from = sides[kind][1];
  return GS_OK;
}

HIP hipMemcpyAsync(uint64_t to, uint64_t from, size_t size, int kind, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  enum gs_side to_side, from_side;
  int code = hip_sides(kind, &to_side, &from_side);
  return code ? code : copy(frame.context, stream, to, to_side, from, from_side, size);
}

HIP hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, size_t size, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return copy(frame.context, stream, to, GS_SIDE_DEVICE, (uint64_t)from, GS_SIDE_HOST, size);
}

HIP hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t size, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return copy(frame.context, stream, (uint64_t)to, GS_SIDE_HOST, from, GS_SIDE_DEVICE, size);
}

HIP hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t size, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return copy(frame.context, stream, to, GS_SIDE_DEVICE, from, GS_SIDE_DEVICE, size);
}

HIP hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return gs_fill(frame.context, stream ? stream : 1, to, value, 1, count);
}

HIP hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return gs_fill(frame.context, stream ? stream : 1, to, value, 2, count);
}

HIP hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return gs_fill(frame.context, stream ? stream : 1, to, (uint32_t)value, 4, count);
}
