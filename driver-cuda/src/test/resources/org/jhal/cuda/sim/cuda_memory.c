// SPDX-License-Identifier: Apache-2.0
// Memory of devices and of the host, and pools.
#include "cuda_face.h"

CU cuMemGetInfo_v2(size_t* free, size_t* total) {
  GS_CALL(GS_CURRENT)
  if (free) *free = gs_device_memory_free(gs_context_device(frame.context));
  if (total) *total = gs_device_memory();
  return GS_OK;
}

CU cuMemAlloc_v2(CUdeviceptr* address, size_t size) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(address);
  return gs_memory_alloc(frame.context, address, size);
}

CU cuMemFree_v2(CUdeviceptr address) { RELEASE(gs_memory_free(address)); }

CU cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  GS_CALL(GS_CURRENT)
  gs_memory_info info;
  if (gs_memory_info_of(address, &info)) return GS_NOT_FOUND;
  if (base) *base = info.base;
  if (size) *size = info.size;
  return GS_OK;
}

CU cuMemAllocAsync(CUdeviceptr* address, size_t size, gs_handle stream) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(address);
  return gs_memory_alloc_async(stream, 0, address, size);
}

CU cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t size, gs_handle pool, gs_handle stream) {
  GS_CALL(GS_CURRENT)
  if (!address || !pool) return GS_INVALID_VALUE;
  return gs_memory_alloc_async(stream, pool, address, size);
}

CU cuMemFreeAsync(CUdeviceptr address, gs_handle stream) { RELEASE(gs_memory_free_async(stream, address)); }

// ---- the host's ----

CU cuMemHostAlloc(void** address, size_t size, unsigned flags) {
  GS_CALL(GS_CURRENT)
  if (!address || flags > 7) return GS_INVALID_VALUE;
  return gs_host_alloc(frame.context, address, size, flags);
}

CU cuMemAllocHost_v2(void** address, size_t size) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(address);
  return gs_host_alloc(frame.context, address, size, 0);
}

CU cuMemFreeHost(void* address) { RELEASE(gs_host_free(address)); }

CU cuMemHostRegister_v2(void* address, size_t size, unsigned flags) {
  GS_CALL(GS_CURRENT)
  if (flags > 15) return GS_INVALID_VALUE;
  return gs_host_register(frame.context, address, size, flags, 0);
}

CU cuMemHostUnregister(void* address) { RELEASE(gs_host_unregister(address)); }

static int host_info(void* address, gs_memory_info* info) {
  int code = gs_memory_info_of((uint64_t)address, info);
  return code || info->kind == GS_HOST_MEMORY || info->kind == GS_REGISTERED_MEMORY ? code : GS_INVALID_VALUE;
}

CU cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* address, unsigned flags) {
  GS_CALL(GS_CURRENT)
  gs_memory_info info;
  if (!device || flags || host_info(address, &info)) return GS_INVALID_VALUE;
  *device = (CUdeviceptr)address;
  return GS_OK;
}

CU cuMemHostGetFlags(unsigned* flags, void* address) {
  GS_CALL(GS_CURRENT)
  gs_memory_info info;
  if (!flags || host_info(address, &info)) return GS_INVALID_VALUE;
  *flags = info.flags | 2;
  return GS_OK;
}

// ---- what an address is ----

static int attribute_of(void* data, int attribute, CUdeviceptr address, const gs_memory_info* info) {
  int device_memory = info->kind == GS_DEVICE_MEMORY || info->kind == GS_GLOBAL_MEMORY;
  switch (attribute) {
    case 1: *(gs_handle*)data = info->context; break;
    case 2: *(unsigned*)data = device_memory ? 2 : 1; break;
    case 3: *(CUdeviceptr*)data = address; break;
    case 4:
      if (device_memory) return GS_INVALID_VALUE;
      *(CUdeviceptr*)data = address;
      break;
    case 6: *(unsigned*)data = 0; break;
    case 7: *(uint64_t*)data = info->id; break;
    case 8: *(unsigned*)data = 0; break;
    case 9: *(int*)data = info->device; break;
    case 10: *(unsigned*)data = 0; break;
    case 11: *(CUdeviceptr*)data = info->base; break;
    case 12: *(size_t*)data = info->size; break;
    case 13: *(unsigned*)data = 1; break;
    case 17: *(gs_handle*)data = info->pool; break;
    default: return GS_INVALID_VALUE;
  }
  return GS_OK;
}

CU cuPointerGetAttribute(void* data, int attribute, CUdeviceptr address) {
  GS_CALL(GS_CURRENT)
  gs_memory_info info;
  if (!data || gs_memory_info_of(address, &info)) return GS_INVALID_VALUE;
  return attribute_of(data, attribute, address, &info);
}

// An address that nobody knows is no error here; all is then 0.
CU cuPointerGetAttributes(unsigned count, int* attributes, void** data, CUdeviceptr address) {
  GS_CALL(GS_CURRENT)
  gs_memory_info info;
  int known = !gs_memory_info_of(address, &info);
  for (unsigned i = 0; i < count; i++) {
    if (known && !attribute_of(data[i], attributes[i], address, &info)) continue;
    int small = attributes[i] == 2 || attributes[i] == 6 || (attributes[i] >= 8 && attributes[i] <= 10) ||
                attributes[i] == 13;
    memset(data[i], 0, small ? 4 : 8);
  }
  return GS_OK;
}

// ---- pools ----

CU cuMemPoolCreate(gs_handle* pool, const gs_pool_properties* properties) {
  GS_CALL(GS_INIT)
  return gs_pool_create(properties, pool);
}

CU cuMemPoolDestroy(gs_handle pool) {
  GS_CALL(GS_INIT)
  return gs_pool_destroy(pool);
}

CU cuMemPoolTrimTo(gs_handle pool, size_t keep) {
  GS_CALL(GS_INIT)
  return gs_pool_trim(pool, keep);
}

CU cuMemPoolSetAttribute(gs_handle pool, int attribute, void* value) {
  GS_CALL(GS_INIT)
  return gs_pool_set(pool, attribute, value);
}

CU cuMemPoolGetAttribute(gs_handle pool, int attribute, void* value) {
  GS_CALL(GS_INIT)
  return gs_pool_get(pool, attribute, value);
}

CU cuMemPoolSetAccess(gs_handle pool, const gs_access* list, size_t count) {
  GS_CALL(GS_INIT)
  return gs_pool_access(pool, list, count);
}

CU cuDeviceGetDefaultMemPool(gs_handle* pool, CUdevice device) {
  GS_CALL(GS_INIT)
  NOT_NULL(pool);
  return gs_pool_default(device, pool);
}

CU cuDeviceGetMemPool(gs_handle* pool, CUdevice device) {
  GS_CALL(GS_INIT)
  NOT_NULL(pool);
  return gs_pool_current(device, pool);
}

CU cuDeviceSetMemPool(CUdevice device, gs_handle pool) {
  GS_CALL(GS_INIT)
  return gs_pool_make_current(device, pool);
}
