// SPDX-License-Identifier: Apache-2.0
/*
 * The driver API: its functions, found when the program runs, and every result checked.
 *
 * The driver's library is found at run time so that a toolkit without its stub will do. What the header calls cuMemAlloc
 * is a macro for cuMemAlloc_v2: that is looked up, and kept in a pointer cuMemAlloc_.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <cuda.h>

#define FUNCTIONS(X) \
  X(cuCtxEnablePeerAccess) \
  X(cuCtxSetCurrent) \
  X(cuDeviceCanAccessPeer) \
  X(cuDeviceGet) \
  X(cuDeviceGetByPCIBusId) \
  X(cuDeviceGetDefaultMemPool) \
  X(cuDevicePrimaryCtxRetain) \
  X(cuEventCreate) \
  X(cuEventDestroy) \
  X(cuEventQuery) \
  X(cuEventRecord) \
  X(cuEventSynchronize) \
  X(cuGetErrorName) \
  X(cuGraphAddKernelNode) \
  X(cuGraphCreate) \
  X(cuGraphDestroy) \
  X(cuGraphExecDestroy) \
  X(cuGraphExecKernelNodeSetParams) \
  X(cuGraphInstantiateWithFlags) \
  X(cuGraphLaunch) \
  X(cuGraphUpload) \
  X(cuInit) \
  X(cuLaunchHostFunc) \
  X(cuLaunchKernel) \
  X(cuMemAlloc) \
  X(cuMemAllocAsync) \
  X(cuMemAllocFromPoolAsync) \
  X(cuMemFree) \
  X(cuMemFreeAsync) \
  X(cuMemFreeHost) \
  X(cuMemHostAlloc) \
  X(cuMemPoolCreate) \
  X(cuMemPoolSetAccess) \
  X(cuMemPoolSetAttribute) \
  X(cuMemcpyAsync) \
  X(cuMemcpyDtoDAsync) \
  X(cuMemcpyDtoH) \
  X(cuMemcpyDtoHAsync) \
  X(cuMemcpyHtoDAsync) \
  X(cuMemsetD32Async) \
  X(cuModuleGetFunction) \
  X(cuModuleLoadData) \
  X(cuStreamCreate) \
  X(cuStreamSynchronize) \
  X(cuStreamWaitEvent)

#define DECLARE(function) extern __typeof__(&function) function##_;
FUNCTIONS(DECLARE)

/* Finds all functions. */
void load_driver(void);

/* Prints "error", and what printf makes of the arguments, and ends the program. */
void die(const char *format, ...);

/* The same, with "absent": what was asked for needs something that this machine does not have. */
void absent(const char *format, ...);

/* Ends the program, naming the call, unless it succeeded. */
void check(CUresult result, const char *call);

#define CALL(function, ...) check(function##_(__VA_ARGS__), #function)

#endif
