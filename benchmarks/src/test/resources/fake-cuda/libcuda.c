/* A libcuda.so.1 whose device is the host and is done at once. FAKE_CUDA_FAIL=1 lets events fail. */
#include <cuda.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Handles are only told apart from null. */
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
  *device = 0;
  return test(strcmp(address, "0000:03:00.0") == 0);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = handle();
  return test(device == 0);
}

CUresult cuCtxSetCurrent(CUcontext context) { return test(context != NULL); }

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  *stream = handle();
  return test(flags == CU_STREAM_NON_BLOCKING);
}

CUresult cuStreamSynchronize(CUstream stream) { return test(stream != NULL); }

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  *event = handle();
  return test((flags & ~3U) == 0 && (flags & CU_EVENT_DISABLE_TIMING) != 0);
}

CUresult cuEventDestroy(CUevent event) { return test(event != NULL); }

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
  unsigned one = gridX * gridY * gridZ * blockX * blockY * blockZ;
  if (function == NULL || one != 1 || sharedBytes != 0 || stream == NULL || (parameters == NULL) == (extra == NULL)) {
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
