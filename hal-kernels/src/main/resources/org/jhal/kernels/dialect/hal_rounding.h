// SPDX-License-Identifier: Apache-2.0
// Arithmetic and conversions that are rounded in a direction, for compilers that have none or only some of them. Those that
// are rounded to the nearest are in hal_math.h.
#ifndef HAL_ROUNDING_H
#define HAL_ROUNDING_H
#include "hal_directed.h"
#include "hal_names.h"
#if defined(HAL_HOST) || defined(HAL_HIP)
// name_rz, _ru and _rd; `expression` may use `mode`
#define HAL_DIRECTED(to, result, name, parameters, expression)   \
  HAL_FUNCTION result name##_rz parameters {                     \
    const hal_mode mode = HAL_RZ;                                \
    return to(expression, mode);                                 \
  }                                                              \
  HAL_FUNCTION result name##_ru parameters {                     \
    const hal_mode mode = HAL_RU;                                \
    return to(expression, mode);                                 \
  }                                                              \
  HAL_FUNCTION result name##_rd parameters {                     \
    const hal_mode mode = HAL_RD;                                \
    return to(expression, mode);                                 \
  }
#define HAL_ROUNDED(real, to, f, fma)                                                     \
  HAL_DIRECTED(to, real, __##f##add, (real x, real y), hal_exact_sum(x, y, mode))         \
  HAL_DIRECTED(to, real, __##f##sub, (real x, real y), hal_exact_sum(x, -y, mode))        \
  HAL_DIRECTED(to, real, __##f##mul, (real x, real y), hal_exact_product(x, y))           \
  HAL_DIRECTED(to, real, __##f##div, (real x, real y), hal_exact_quotient(x, y))          \
  HAL_DIRECTED(to, real, __##f##rcp, (real x), hal_exact_quotient(1, x))                  \
  HAL_DIRECTED(to, real, __##f##sqrt, (real x), hal_exact_root(x))                        \
  HAL_DIRECTED(to, real, fma, (real x, real y, real z), hal_exact_fused(x, y, z, mode))
HAL_ROUNDED(float, hal_to_float, f, __fmaf)
HAL_ROUNDED(double, hal_to_double, d, __fma)
HAL_FUNCTION double __dsub_rn(double x, double y) { return x - y; }
HAL_FUNCTION double __ddiv_rn(double x, double y) { return x / y; }
HAL_FUNCTION double __drcp_rn(double x) { return 1 / x; }
HAL_FUNCTION double __dsqrt_rn(double x) { return sqrt(x); }
HAL_FUNCTION double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

HAL_DIRECTED(hal_to_float, float, __int2float, (int x), hal_exact_number(x))
HAL_DIRECTED(hal_to_float, float, __uint2float, (unsigned x), hal_exact_number(x))
HAL_DIRECTED(hal_to_float, float, __ll2float, (long long x), hal_exact_integer(x))
HAL_DIRECTED(hal_to_float, float, __ull2float, (unsigned long long x), hal_exact_unsigned(x))
HAL_DIRECTED(hal_to_double, double, __ll2double, (long long x), hal_exact_integer(x))
HAL_DIRECTED(hal_to_double, double, __ull2double, (unsigned long long x), hal_exact_unsigned(x))
HAL_DIRECTED(hal_to_float, float, __double2float, (double x), hal_exact_number(x))
HAL_FUNCTION float __ll2float_rn(long long x) { return (float)x; }
HAL_FUNCTION float __ull2float_rn(unsigned long long x) { return (float)x; }
HAL_FUNCTION double __ll2double_rn(long long x) { return (double)x; }
HAL_FUNCTION double __ull2double_rn(unsigned long long x) { return (double)x; }
HAL_FUNCTION double __int2double_rn(int x) { return x; }
HAL_FUNCTION double __uint2double_rn(unsigned x) { return x; }
HAL_FUNCTION float __double2float_rn(double x) { return (float)x; }

// Numbers beyond the range become the nearest that there is, and NaN, as in PTX, the integer that has only the highest bit.
HAL_FUNCTION long long hal_whole(double x) {
  if (x >= 9223372036854775808.0) return 9223372036854775807ll;
  return x > -9223372036854775808.0 ? (long long)x : -9223372036854775807ll - 1;
}
HAL_FUNCTION unsigned long long hal_natural(double x) {
  if (x >= 18446744073709551616.0) return 18446744073709551615ull;
  return x > 0 ? (unsigned long long)x : x != x ? 9223372036854775808ull : 0;
}
#define HAL_TO_WHOLE(type)                                                                        \
  HAL_FUNCTION long long __##type##2ll_rn(type x) { return hal_whole(rint((double)x)); }          \
  HAL_FUNCTION long long __##type##2ll_rz(type x) { return hal_whole(x); }                        \
  HAL_FUNCTION long long __##type##2ll_ru(type x) { return hal_whole(ceil((double)x)); }          \
  HAL_FUNCTION long long __##type##2ll_rd(type x) { return hal_whole(floor((double)x)); }         \
  HAL_FUNCTION unsigned long long __##type##2ull_rn(type x) { return hal_natural(rint((double)x)); }   \
  HAL_FUNCTION unsigned long long __##type##2ull_rz(type x) { return hal_natural(x); }            \
  HAL_FUNCTION unsigned long long __##type##2ull_ru(type x) { return hal_natural(ceil((double)x)); }   \
  HAL_FUNCTION unsigned long long __##type##2ull_rd(type x) { return hal_natural(floor((double)x)); }
HAL_TO_WHOLE(float)
HAL_TO_WHOLE(double)
#endif

#ifdef HAL_HOST
HAL_FUNCTION int __double2hiint(double x) { return (int)(hal_bits_of(x) >> 32); }
HAL_FUNCTION int __double2loint(double x) { return (int)hal_bits_of(x); }
HAL_FUNCTION double __hiloint2double(int high, int low) {
  return hal_double_of_bits((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
#endif
#endif
