// SPDX-License-Identifier: Apache-2.0
/*
 * A libcuda.so.1 whose two devices are the host and are done at once. FAKE_CUDA_FAIL=1 lets events fail, and with
 * FAKE_CUDA_APART=1 the devices cannot access each other.
 */
#include <cuda.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Handles are only compared with null. */
static void *handle(void) {
  static char some;
  return &some;
}

static void *host(CUdeviceptr address) { return (void *)(uintptr_t)address; }

static CUresult test(int good) { return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult cuInit(unsigned flags) { return test(flags == 0); }

CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = error == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_INVALID_VALUE";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = 0;
  return test(ordinal == 0);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *address) {
  *device = strcmp(address, "0000:04:00.0") == 0;
  return test(*device == 1 || strcmp(address, "0000:03:00.0") == 0);
}

/* A context is its device, a pool as well. */
static char devices[2];

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = (CUcontext)&devices[device & 1];
  return test(device == 0 || device == 1);
}

static CUcontext set; /* by cuCtxSetCurrent */

CUresult cuCtxSetCurrent(CUcontext context) {
  set = context;
  return test(context != NULL);
}

/* What copies between the devices need, for each that uses the other one's memory. */
static int peers[2];
static int pools[2];

CUresult cuDeviceCanAccessPeer(int *can_access, CUdevice device, CUdevice peer) {
  *can_access = getenv("FAKE_CUDA_APART") == NULL;
  return test(device != peer);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  int device = (char *)set == &devices[1];
  return test(peer != NULL && peer != set && flags == 0 && peers[device]++ == 0);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  *pool = (CUmemoryPool)&devices[device];
  return CUDA_SUCCESS;
}

/* A pool that a program makes, one per device. */
struct fake_pool {
  int is_made;
  int is_keeping; /* all memory */
  int is_shared;  /* with the other device */
};

static struct fake_pool made[2];

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  *pool = &made[properties->location.id];
  (*pool)->is_made++;
  return test((*pool)->is_made == 1 && properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
              properties->handleTypes == 0 && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  pool->is_keeping = 1;
  return test(attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD && *(cuuint64_t *)value == UINT64_MAX);
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
  int device = access->location.id;
  int is_made = pool == &made[1 - device];
  if (is_made) {
    pool->is_shared = 1;
  } else {
    pools[device] = 1;
  }
  return test(count == 1 && (is_made || (char *)pool == &devices[1 - device]) &&
              access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE &&
              access->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  *stream = handle();
  return test(flags == CU_STREAM_NON_BLOCKING);
}

CUresult cuStreamSynchronize(CUstream stream) { return test(stream != NULL); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return test(stream != NULL && event != NULL && flags == 0);
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  *event = handle();
  return test((flags & ~3U) == 0 && (flags & CU_EVENT_DISABLE_TIMING) != 0);
}

CUresult cuEventDestroy(CUevent event) { return test(event != NULL); }

/* Every second answer is "not yet". */
CUresult cuEventQuery(CUevent event) {
  static int asked;
  return event == NULL ? CUDA_ERROR_INVALID_VALUE : ++asked % 2 == 1 ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) { return test(event != NULL && stream != NULL); }

CUresult cuEventSynchronize(CUevent event) { return test(event != NULL && getenv("FAKE_CUDA_FAIL") == NULL); }

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  *module = handle();
  return test(strstr(image, ".entry touch(") != NULL);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  *function = handle();
  return test(module != NULL && strcmp(name, "touch") == 0);
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                        unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters,
                        void **extra) {
  unsigned one = gridY * gridZ * blockX * blockY * blockZ;
  if (function == NULL || gridX == 0 || gridX > 2 || one != 1 || sharedBytes != 0 || stream == NULL || (parameters == NULL) == (extra == NULL)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUdeviceptr target;
  unsigned value;
  if (parameters != NULL) {
    memcpy(&target, parameters[0], sizeof target);
    memcpy(&value, parameters[1], sizeof value);
  } else {
    if ((uintptr_t)extra[0] != 1 || (uintptr_t)extra[2] != 2 || extra[4] != NULL ||
        *(size_t *)extra[3] != sizeof target + sizeof value) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(&target, extra[1], sizeof target);
    memcpy(&value, (char *)extra[1] + sizeof target, sizeof value);
  }
  memcpy(host(target), &value, sizeof value);
  return CUDA_SUCCESS;
}

struct call {
  CUhostFn function;
  void *data;
};

static void *run(void *argument) {
  struct call *call = argument;
  call->function(call->data);
  return NULL;
}

/* On a thread of its own, as the real driver does. */
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  struct call call = {function, data};
  pthread_t thread;
  return test(stream != NULL && pthread_create(&thread, NULL, run, &call) == 0 && pthread_join(thread, NULL) == 0);
}

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
  *address = malloc(bytes);
  return test(*address != NULL && flags == 0);
}

CUresult cuMemFreeHost(void *address) {
  free(address);
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  void *memory = malloc(bytes);
  *address = (uintptr_t)memory;
  return test(memory != NULL);
}

CUresult cuMemFree(CUdeviceptr address) { return cuMemFreeHost(host(address)); }

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return test(stream != NULL && cuMemAlloc(address, bytes) == CUDA_SUCCESS);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return test(pool->is_made && pool->is_keeping && pool->is_shared &&
              cuMemAllocAsync(address, bytes, stream) == CUDA_SUCCESS);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return test(stream != NULL && cuMemFree(address) == CUDA_SUCCESS);
}

CUresult cuMemcpyDtoH(void *target, CUdeviceptr source, size_t bytes) {
  memcpy(target, host(source), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync(void *target, CUdeviceptr source, size_t bytes, CUstream stream) {
  memcpy(target, host(source), bytes);
  return test(stream != NULL);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void *source, size_t bytes, CUstream stream) {
  memcpy(host(target), source, bytes);
  return test(stream != NULL);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream) {
  memcpy(host(target), host(source), bytes);
  return test(stream != NULL);
}

/* Only the cases with two devices use it. */
CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream) {
  memcpy(host(target), host(source), bytes);
  return test(stream != NULL && peers[0] && peers[1] && pools[0] && pools[1]);
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned word, size_t count, CUstream stream) {
  unsigned *words = host(address);
  for (size_t i = 0; i < count; i++) {
    words[i] = word;
  }
  return test(stream != NULL);
}

/* What JCuda's peers need besides. */

static CUcontext current;

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (current != NULL || context == NULL) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  current = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  *context = current;
  current = NULL;
  return test(*context != NULL);
}

CUresult cuStreamDestroy_v2(CUstream stream) { return test(stream != NULL); }

CUresult cuModuleUnload(CUmodule module) { return test(module != NULL); }

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) { return test(device == 0 && current == NULL); }
