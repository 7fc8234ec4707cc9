// SPDX-License-Identifier: Apache-2.0
// What kernels expect of <cuda_runtime.h> and <hip/hip_runtime.h>, beyond what the compiler at hand has built in.
#ifndef HAL_DEVICE_H
#define HAL_DEVICE_H
#include "hal_lanes.h"
#include "hal_macros.h"
#include "hal_rounding.h"
#include "hal_integer_simd.h"

#if defined(__CUDACC_RTC__) && !defined(HAL_HOST)
HAL_FUNCTION unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
#endif

#if defined(HAL_HIP) && !defined(HAL_HOST)
#define __barrier_sync(number) __syncthreads()
#define __prof_trigger(counter) ((void)0)
HAL_FUNCTION void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }
HAL_FUNCTION unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
HAL_FUNCTION unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
HAL_FUNCTION long long llmin(long long a, long long b) { return a < b ? a : b; }
HAL_FUNCTION long long llmax(long long a, long long b) { return a > b ? a : b; }
HAL_FUNCTION unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
HAL_FUNCTION unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
#define atomicAdd_block atomicAdd
#define atomicSub_block atomicSub
#define atomicMin_block atomicMin
#define atomicMax_block atomicMax
#define atomicAnd_block atomicAnd
#define atomicOr_block atomicOr
#define atomicXor_block atomicXor
#define atomicExch_block atomicExch
#define atomicInc_block atomicInc
#define atomicDec_block atomicDec
#define atomicCAS_block atomicCAS
HAL_FUNCTION unsigned short atomicCAS(unsigned short* at, unsigned short expected, unsigned short value) {
  const unsigned shift = (unsigned)((size_t)at & 2) * 8;
  unsigned* word = (unsigned*)((size_t)at & ~(size_t)3);
  for (unsigned before = *(volatile unsigned*)word;;) {
    const unsigned short seen = (unsigned short)(before >> shift);
    if (seen != expected) return seen;
    const unsigned found = atomicCAS(word, before, (before & ~(0xFFFFu << shift)) | (unsigned)value << shift);
    if (found == before) return seen;
    before = found;
  }
}
#endif
#endif
