// SPDX-License-Identifier: Apache-2.0
// Macros of the dialect. Included before a source is preprocessed, and again when it is compiled.
#ifndef HAL_MACROS_H
#define HAL_MACROS_H
#if defined(__CUDACC_RTC__) && !defined(HAL_HOST)
#define HAL_NULL nullptr
#define HAL_INFINITY __int_as_float(0x7F800000)
#define HAL_NAN __int_as_float(0x7FC00000)
#else
#define HAL_NULL __null
#define HAL_INFINITY __builtin_inff()
#define HAL_NAN __builtin_nanf("")
#endif
#ifndef NULL
#define NULL HAL_NULL
#endif
#ifndef INFINITY
#define INFINITY HAL_INFINITY
#endif
#ifndef NAN
#define NAN HAL_NAN
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.40282346638528859812e+38f
#define FLT_MIN 1.17549435082228750797e-38f
#define FLT_EPSILON 1.1920928955078125e-7f
#define DBL_MAX 1.79769313486231570815e+308
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_EPSILON 2.22044604925031308085e-16
#endif
#ifndef FLT_RADIX
#define FLT_RADIX 2
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_TRUE_MIN 1.40129846432481707092e-45f
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_TRUE_MIN 4.94065645841246544177e-324
#endif
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull
#endif
#ifndef LONG_MAX
#if defined(_WIN32)
#define LONG_MAX 2147483647l
#define ULONG_MAX 4294967295ul
#else
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#endif
#define LONG_MIN (-LONG_MAX - 1)
#endif
#ifndef CHAR_MAX
#if defined(__CHAR_UNSIGNED__)
#define CHAR_MIN 0
#define CHAR_MAX UCHAR_MAX
#else
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#endif
#endif
#ifndef INT32_MAX
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807ll
#define INT64_MIN (-INT64_MAX - 1)
#define UINT64_MAX 18446744073709551615ull
#endif
#ifndef M_PI
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.434294481903251827651
#define M_LN2 0.693147180559945309417
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.785398163397448309616
#define M_1_PI 0.318309886183790671538
#define M_2_PI 0.636619772367581343076
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.707106781186547524401
#endif
#ifndef CUDART_INF_F
#define CUDART_INF_F INFINITY
#define CUDART_NAN_F NAN
#define CUDART_MAX_NORMAL_F FLT_MAX
#define CUDART_MIN_DENORM_F 1.40129846e-45f
#define CUDART_ZERO_F 0.0f
#define CUDART_ONE_F 1.0f
#define CUDART_PI_F 3.14159265358979323846f
#define CUDART_PIO2_F 1.57079632679489661923f
#define CUDART_PIO4_F 0.785398163397448309616f
#define CUDART_2_OVER_PI_F 0.636619772367581343076f
#define CUDART_SQRT_TWO_F 1.41421356237309504880f
#define CUDART_SQRT_HALF_F 0.707106781186547524401f
#define CUDART_L2E_F 1.44269504088896340736f
#define CUDART_LN2_F 0.693147180559945309417f
#define CUDART_LN10_F 2.30258509299404568402f
#define CUDART_INF ((double)INFINITY)
#define CUDART_NAN ((double)NAN)
#define CUDART_PI 3.14159265358979323846
#define CUDART_PIO2 1.57079632679489661923
#define CUDART_SQRT_TWO 1.41421356237309504880
#define CUDART_LN2 0.693147180559945309417
#endif

// Names of HIP for indices.
#ifndef hipThreadIdx_x
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#endif

// What compilers may take for granted.
#if !defined(__CUDACC_RTC__) || defined(HAL_HOST)
#ifndef __assume
#define __assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
#if !defined(__clang__) && !defined(__builtin_assume)
#define __builtin_assume(condition) __assume(condition)
#endif
#elif !defined(__assume)
#define __assume(condition) __builtin_assume(condition)
#endif

// Functions that are others by another name. HAL_CPU is set where a source is preprocessed for the device cpu, on which
// the active lanes take part in functions without a mask.
#if defined(HAL_HOST) || defined(HAL_CPU)
#define __barrier_sync(number) __syncthreads()
#define __prof_trigger(counter) ((void)0)
#endif
#ifdef HAL_CPU
#define __lane_id() ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u)
#define __shfl(value, ...) __shfl_sync(__activemask(), value, __VA_ARGS__)
#define __shfl_up(value, ...) __shfl_up_sync(__activemask(), value, __VA_ARGS__)
#define __shfl_down(value, ...) __shfl_down_sync(__activemask(), value, __VA_ARGS__)
#define __shfl_xor(value, ...) __shfl_xor_sync(__activemask(), value, __VA_ARGS__)
#define __ballot(yes) __ballot_sync(__activemask(), yes)
#define __any(yes) __any_sync(__activemask(), yes)
#define __all(yes) __all_sync(__activemask(), yes)
#endif
#endif
