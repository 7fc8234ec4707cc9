// SPDX-License-Identifier: Apache-2.0
// How functions are declared for the compiler at hand: that of the host, where HAL_HOST is set, or that of a GPU.
#ifndef HAL_COMPILER_H
#define HAL_COMPILER_H
#ifdef HAL_HOST
#define HAL_FUNCTION static inline
#define HAL_MEMBER
#else
#define HAL_FUNCTION static __device__ __forceinline__
#define HAL_MEMBER __device__ __forceinline__
#endif
#if defined(__HIP__) || defined(__HIPCC_RTC__)
#define HAL_HIP 1
#endif
#endif
