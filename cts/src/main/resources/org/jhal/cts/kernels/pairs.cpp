// SPDX-License-Identifier: Apache-2.0
// Functions of pairs of 16-bit numbers, and beside them the pair of what the function of one number gives for both.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define PUT(pair, low_result, high_result)                         \
  reinterpret_cast<PAIR*>(pairs)[at] = pair;                       \
  reinterpret_cast<PAIR*>(halves)[at] = MAKE(low_result, high_result); \
  at += gridDim.x * blockDim.x;
#define ONE(single, pair) PUT(pair(x), single(LOW(x)), single(HIGH(x)))
#define TWO(single, pair) PUT(pair(x, y), single(LOW(x), LOW(y)), single(HIGH(x), HIGH(y)))
#define THREE(single, pair) PUT(pair(x, y, z), single(LOW(x), LOW(y), LOW(z)), single(HIGH(x), HIGH(y), HIGH(z)))

#define KERNEL(name)                                                                                    \
  extern "C" __global__ void name(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* pairs, unsigned* halves) { \
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;                                                \
    const PAIR x = reinterpret_cast<const PAIR*>(a)[at];                                                \
    const PAIR y = reinterpret_cast<const PAIR*>(b)[at];                                                \
    const PAIR z = reinterpret_cast<const PAIR*>(c)[at];                                                \
    TWO(__hadd, __hadd2) TWO(__hsub, __hsub2) TWO(__hmul, __hmul2) TWO(__hdiv, __h2div)                  \
    TWO(__hmax, __hmax2) TWO(__hmin, __hmin2) TWO(__hmax_nan, __hmax2_nan) TWO(__hmin_nan, __hmin2_nan) \
    TWO(__hadd_sat, __hadd2_sat) TWO(__hsub_sat, __hsub2_sat) TWO(__hmul_sat, __hmul2_sat)              \
    THREE(__hfma, __hfma2) THREE(__hfma_sat, __hfma2_sat) THREE(__hfma_relu, __hfma2_relu)              \
    ONE(__hneg, __hneg2) ONE(__habs, __habs2) ONE(hsqrt, h2sqrt) ONE(hfloor, h2floor) ONE(hceil, h2ceil) \
    ONE(htrunc, h2trunc) ONE(hrint, h2rint)                                                             \
  }

#define PAIR __half2
#define MAKE __halves2half2
#define LOW __low2half
#define HIGH __high2half
KERNEL(of_half)
#undef PAIR
#undef MAKE
#undef LOW
#undef HIGH
#define PAIR __nv_bfloat162
#define MAKE __halves2bfloat162
#define LOW __low2bfloat16
#define HIGH __high2bfloat16
KERNEL(of_bfloat16)
