// SPDX-License-Identifier: Apache-2.0
// 16-bit floating-point numbers. Arithmetic is that of float, rounded after each operation.
#ifndef HAL_HALF_H
#define HAL_HALF_H
#include "hal_rounding.h"
#if defined(HAL_HIP) && !defined(HAL_HOST)
#define HAL_HAS_HALF 1  // the compiler has __half
#endif

HAL_FUNCTION unsigned short hal_bfloat_of(float x) {
  unsigned bits = __float_as_uint(x);
  if (x != x) return (unsigned short)(bits >> 16 | 0x40);
  return (unsigned short)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
HAL_FUNCTION float hal_float_of_bfloat(unsigned short bits) { return __uint_as_float((unsigned)bits << 16); }

#if defined(HAL_HOST)
#if defined(__aarch64__) || defined(__clang__)
typedef __fp16 hal_native_half;  // GCC for ARM has _Float16 from version 13 on, Clang for x86 from 15 on
#else
typedef _Float16 hal_native_half;
#endif
HAL_FUNCTION unsigned short hal_half_of(float x) {
  hal_native_half h = (hal_native_half)x;
  unsigned short bits;
  __builtin_memcpy(&bits, &h, sizeof bits);  // not hal_bits: Clang has no parameters of this type
  return bits;
}
HAL_FUNCTION float hal_float_of_half(unsigned short bits) {
  hal_native_half h;
  __builtin_memcpy(&h, &bits, sizeof h);
  return (float)h;
}
#elif !defined(HAL_HAS_HALF)
HAL_FUNCTION unsigned short hal_half_of(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
HAL_FUNCTION float hal_float_of_half(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
#endif

// A number rounded to odd: that of a number with fewer bits is then rounded once.
HAL_FUNCTION float hal_odd(double x) {
  const float near = (float)x;
  if ((double)near == x || x != x) return near;
  const bool is_larger = (near < 0 ? -(double)near : (double)near) > (x < 0 ? -x : x);
  return __uint_as_float((is_larger ? __float_as_uint(near) - 1 : __float_as_uint(near)) | 1);
}
// x * y + z rounded to odd. The product is exact: for half as float, for bfloat16 as double.
HAL_FUNCTION float hal_fused_half(float x, float y, float z) {
  const float product = x * y, sum = product + z, back = sum - product;
  const float rest = (product - (sum - back)) + (z - back);
  const unsigned bits = __float_as_uint(sum);
  const bool is_inexact = rest > 0 || rest < 0;  // not if it is NaN
  return __uint_as_float(is_inexact && !(bits & 1) ? ((rest > 0) == (sum > 0) ? bits + 1 : bits - 1) : bits);
}
HAL_FUNCTION float hal_fused_bfloat(float x, float y, float z) {
  const double product = (double)x * y;
  if (product == 0 || !hal_is_finite(product) || !hal_is_finite(z)) return (float)hal_fused(x, y, z);
  const hal_sum sum = hal_two_sum(product, z);
  unsigned long long bits = hal_bits_of(sum.high);
  if (sum.rest != 0 && (bits & 1) == 0) bits += (sum.rest > 0) == (sum.high > 0) ? 1 : -1;
  return hal_odd(hal_double_of_bits(bits));
}
#if defined(__CUDACC_RTC__) && !defined(HAL_HOST)
#define HAL_FUSED_AS(name, kind)                                                               \
  HAL_FUNCTION unsigned short name(unsigned short x, unsigned short y, unsigned short z) {     \
    unsigned short bits;                                                                       \
    asm("fma.rn." kind " %0, %1, %2, %3;" : "=h"(bits) : "h"(x), "h"(y), "h"(z));              \
    return bits;                                                                               \
  }
HAL_FUSED_AS(hal_half_fused, "f16")
#if __CUDA_ARCH__ >= 800
HAL_FUSED_AS(hal_bfloat_fused, "bf16")
#define HAL_HAS_BFLOAT_FUSED 1
#endif
#elif !defined(HAL_HAS_HALF)
HAL_FUNCTION unsigned short hal_half_fused(unsigned short x, unsigned short y, unsigned short z) {
  return hal_half_of(hal_fused_half(hal_float_of_half(x), hal_float_of_half(y), hal_float_of_half(z)));
}
#endif
#ifndef HAL_HAS_BFLOAT_FUSED
HAL_FUNCTION unsigned short hal_bfloat_fused(unsigned short x, unsigned short y, unsigned short z) {
  return hal_bfloat_of(hal_fused_bfloat(hal_float_of_bfloat(x), hal_float_of_bfloat(y), hal_float_of_bfloat(z)));
}
#endif

// A number of 16 bits, and a pair of them: what the language knows about them. `fused` multiplies and adds.
#define HAL_SHORT_FLOAT(name, to_bits, to_float, fused, precision, most)                                               \
  struct name {                                                                                                        \
    unsigned short hal_bits_;                                                                                          \
    name() = default;                                                                                                  \
    HAL_MEMBER name(float x) : hal_bits_(to_bits(x)) {}                                                                \
    HAL_MEMBER name(double x) : hal_bits_(to_bits(hal_odd(x))) {}                                                      \
    HAL_MEMBER name(short x) : hal_bits_(to_bits((float)x)) {}                                                         \
    HAL_MEMBER name(unsigned short x) : hal_bits_(to_bits((float)x)) {}                                                \
    HAL_MEMBER name(int x) : hal_bits_(to_bits(hal_odd(x))) {}                                                         \
    HAL_MEMBER name(unsigned x) : hal_bits_(to_bits(hal_odd(x))) {}                                                    \
    HAL_MEMBER name(long long x) : hal_bits_(hal_to_short<precision, most>(hal_exact_integer(x), HAL_RN, 0)) {}        \
    HAL_MEMBER name(unsigned long long x) : hal_bits_(hal_to_short<precision, most>(hal_exact_unsigned(x), HAL_RN, 0)) {} \
    HAL_MEMBER name(long x) : name((long long)x) {}                                                                    \
    HAL_MEMBER name(unsigned long x) : name((unsigned long long)x) {}                                                  \
    HAL_MEMBER operator float() const { return to_float(hal_bits_); }                                                  \
    HAL_MEMBER name& operator+=(name b) { return *this = name((float)*this + (float)b); }                              \
    HAL_MEMBER name& operator-=(name b) { return *this = name((float)*this - (float)b); }                              \
    HAL_MEMBER name& operator*=(name b) { return *this = name((float)*this * (float)b); }                              \
    HAL_MEMBER name& operator/=(name b) { return *this = name((float)*this / (float)b); }                              \
    HAL_MEMBER name& operator++() { return *this += name(1.0f); }                                                      \
    HAL_MEMBER name& operator--() { return *this -= name(1.0f); }                                                      \
    HAL_MEMBER name operator++(int) {                                                                                  \
      const name before = *this;                                                                                       \
      *this += name(1.0f);                                                                                             \
      return before;                                                                                                   \
    }                                                                                                                  \
    HAL_MEMBER name operator--(int) {                                                                                  \
      const name before = *this;                                                                                       \
      *this -= name(1.0f);                                                                                             \
      return before;                                                                                                   \
    }                                                                                                                  \
  };                                                                                                                   \
  HAL_FUNCTION name hal_of_bits(unsigned short bits, name) {                                                           \
    name x;                                                                                                            \
    x.hal_bits_ = bits;                                                                                                \
    return x;                                                                                                          \
  }                                                                                                                    \
  HAL_FUNCTION name operator+(name a, name b) { return name((float)a + (float)b); }                                    \
  HAL_FUNCTION name operator-(name a, name b) { return name((float)a - (float)b); }                                    \
  HAL_FUNCTION name operator*(name a, name b) { return name((float)a * (float)b); }                                    \
  HAL_FUNCTION name operator/(name a, name b) { return name((float)a / (float)b); }                                    \
  HAL_FUNCTION name operator+(name a) { return a; }                                                                    \
  HAL_FUNCTION name operator-(name a) { return hal_of_bits(a.hal_bits_ ^ 0x8000, a); }                                 \
  HAL_FUNCTION bool operator<(name a, name b) { return (float)a < (float)b; }                                          \
  HAL_FUNCTION bool operator>(name a, name b) { return (float)a > (float)b; }                                          \
  HAL_FUNCTION bool operator<=(name a, name b) { return (float)a <= (float)b; }                                        \
  HAL_FUNCTION bool operator>=(name a, name b) { return (float)a >= (float)b; }                                        \
  HAL_FUNCTION bool operator==(name a, name b) { return (float)a == (float)b; }                                        \
  HAL_FUNCTION bool operator!=(name a, name b) { return (float)a != (float)b; }                                        \
  struct __align__(4) name##2 {                                                                                        \
    name x, y;                                                                                                         \
    name##2() = default;                                                                                               \
    HAL_MEMBER name##2(name x, name y) : x(x), y(y) {}                                                                 \
    HAL_MEMBER name##2& operator+=(name##2 b) { return x += b.x, y += b.y, *this; }                                    \
    HAL_MEMBER name##2& operator-=(name##2 b) { return x -= b.x, y -= b.y, *this; }                                    \
    HAL_MEMBER name##2& operator*=(name##2 b) { return x *= b.x, y *= b.y, *this; }                                    \
    HAL_MEMBER name##2& operator/=(name##2 b) { return x /= b.x, y /= b.y, *this; }                                    \
    HAL_MEMBER name##2& operator++() { return ++x, ++y, *this; }                                                       \
    HAL_MEMBER name##2& operator--() { return --x, --y, *this; }                                                       \
  };                                                                                                                   \
  HAL_FUNCTION name##2 operator+(name##2 a, name##2 b) { return name##2(a.x + b.x, a.y + b.y); }                       \
  HAL_FUNCTION name##2 operator-(name##2 a, name##2 b) { return name##2(a.x - b.x, a.y - b.y); }                       \
  HAL_FUNCTION name##2 operator*(name##2 a, name##2 b) { return name##2(a.x * b.x, a.y * b.y); }                       \
  HAL_FUNCTION name##2 operator/(name##2 a, name##2 b) { return name##2(a.x / b.x, a.y / b.y); }                       \
  HAL_FUNCTION name##2 operator+(name##2 a) { return a; }                                                              \
  HAL_FUNCTION name##2 operator-(name##2 a) { return name##2(-a.x, -a.y); }                                            \
  HAL_FUNCTION bool operator==(name##2 a, name##2 b) { return a.x == b.x && a.y == b.y; }                              \
  HAL_FUNCTION bool operator!=(name##2 a, name##2 b) { return a.x != b.x && a.y != b.y; }                              \
  HAL_FUNCTION bool operator<(name##2 a, name##2 b) { return a.x < b.x && a.y < b.y; }                                 \
  HAL_FUNCTION bool operator>(name##2 a, name##2 b) { return a.x > b.x && a.y > b.y; }                                 \
  HAL_FUNCTION bool operator<=(name##2 a, name##2 b) { return a.x <= b.x && a.y <= b.y; }                              \
  HAL_FUNCTION bool operator>=(name##2 a, name##2 b) { return a.x >= b.x && a.y >= b.y; }                              \
  HAL_FUNCTION name hal_low(name##2 v) { return v.x; }                                                                 \
  HAL_FUNCTION name hal_high(name##2 v) { return v.y; }                                                                \
  HAL_FUNCTION name##2 hal_pair(name x, name y) { return name##2(x, y); }                                              \
  HAL_FUNCTION unsigned short hal_short_of(name x) { return x.hal_bits_; }                                             \
  HAL_FUNCTION name __hfma(name a, name b, name c) { return hal_of_bits(fused(a.hal_bits_, b.hal_bits_, c.hal_bits_), a); }

// A function of one, two or three numbers, and the one that does the same to pairs.
#define HAL_SHORT1(name, one, two, expression)                      \
  HAL_FUNCTION name one(name a) { return expression; }              \
  HAL_FUNCTION name##2 two(name##2 v) { return hal_pair(one(hal_low(v)), one(hal_high(v))); }
#define HAL_SHORT2(name, one, two, expression)                      \
  HAL_FUNCTION name one(name a, name b) { return expression; }      \
  HAL_FUNCTION name##2 two(name##2 v, name##2 w) {                  \
    return hal_pair(one(hal_low(v), hal_low(w)), one(hal_high(v), hal_high(w))); \
  }
#define HAL_SHORT3(name, one, two, expression)                      \
  HAL_FUNCTION name one(name a, name b, name c) { return expression; } \
  HAL_PAIRS3(name, one, two)
#define HAL_PAIRS3(name, one, two)                                  \
  HAL_FUNCTION name##2 two(name##2 u, name##2 v, name##2 w) {       \
    return hal_pair(one(hal_low(u), hal_low(v), hal_low(w)), one(hal_high(u), hal_high(v), hal_high(w))); \
  }
// A comparison, and the one that is also true if a number is NaN: of numbers, of pairs, of pairs as one answer.
#define HAL_SHORT_COMPARED(name, kind, order)                                                  \
  HAL_FUNCTION bool __h##kind(name a, name b) {                                                \
    const float x = (float)a, y = (float)b;                                                    \
    return x == x && y == y && x order y;                                                      \
  }                                                                                            \
  HAL_FUNCTION bool __h##kind##u(name a, name b) {                                             \
    const float x = (float)a, y = (float)b;                                                    \
    return x != x || y != y || x order y;                                                      \
  }                                                                                            \
  HAL_SHORT_ANSWERS(name, kind)                                                                \
  HAL_SHORT_ANSWERS(name, kind##u)
#define HAL_SHORT_ANSWERS(name, kind)                                                          \
  HAL_FUNCTION name##2 __h##kind##2(name##2 v, name##2 w) {                                    \
    return hal_pair(name((float)__h##kind(hal_low(v), hal_low(w))), name((float)__h##kind(hal_high(v), hal_high(w)))); \
  }                                                                                            \
  HAL_FUNCTION bool __hb##kind##2(name##2 v, name##2 w) {                                      \
    return __h##kind(hal_low(v), hal_low(w)) && __h##kind(hal_high(v), hal_high(w));           \
  }
#define HAL_SHORT_MASK(name, kind)                                                             \
  HAL_FUNCTION unsigned __h##kind##2_mask(name##2 v, name##2 w) {                              \
    return (__h##kind(hal_low(v), hal_low(w)) ? 0xFFFFu : 0) | (__h##kind(hal_high(v), hal_high(w)) ? 0xFFFF0000u : 0); \
  }
// Of a number and NaN, the number; of zeros, that with the wanted sign.
#define HAL_SHORT_EXTREME(a, b, order, takes_first) \
  ((float)a order (float)b || (float)b != (float)b ? a : (float)a != (float)b ? b : (hal_short_of(a) >> 15) == takes_first ? a : b)
HAL_FUNCTION float hal_saturated(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

// Functions of a number that is computed here.
#define HAL_SHORT_FUNCTIONS(name)                                                         \
  HAL_SHORT2(name, __hadd, __hadd2, a + b)                                                \
  HAL_SHORT2(name, __hsub, __hsub2, a - b)                                                \
  HAL_SHORT2(name, __hmul, __hmul2, a * b)                                                \
  HAL_SHORT2(name, __hdiv, __h2div, a / b)                                                \
  HAL_PAIRS3(name, __hfma, __hfma2)                                                       \
  HAL_SHORT2(name, __hadd_sat, __hadd2_sat, name(hal_saturated((float)(a + b))))          \
  HAL_SHORT2(name, __hsub_sat, __hsub2_sat, name(hal_saturated((float)(a - b))))          \
  HAL_SHORT2(name, __hmul_sat, __hmul2_sat, name(hal_saturated((float)(a * b))))          \
  HAL_SHORT3(name, __hfma_sat, __hfma2_sat, name(hal_saturated((float)__hfma(a, b, c))))  \
  HAL_SHORT1(name, __habs, __habs2, hal_of_bits(hal_short_of(a) & 0x7FFF, a))             \
  HAL_SHORT1(name, __hneg, __hneg2, -a)                                                   \
  HAL_SHORT_COMPARED(name, eq, ==)                                                        \
  HAL_SHORT_COMPARED(name, ne, !=)                                                        \
  HAL_SHORT_COMPARED(name, lt, <)                                                         \
  HAL_SHORT_COMPARED(name, le, <=)                                                        \
  HAL_SHORT_COMPARED(name, gt, >)                                                         \
  HAL_SHORT_COMPARED(name, ge, >=)                                                        \
  HAL_FUNCTION bool __hisnan(name a) { return (float)a != (float)a; }                     \
  HAL_FUNCTION int __hisinf(name a) {                                                     \
    const float x = (float)a;                                                             \
    return x == x && x - x != 0 ? (x > 0 ? 1 : -1) : 0;                                   \
  }                                                                                       \
  HAL_FUNCTION name##2 __hisnan2(name##2 v) {                                             \
    return hal_pair(name((float)__hisnan(hal_low(v))), name((float)__hisnan(hal_high(v)))); \
  }                                                                                       \
  HAL_SHORT1(name, hsin, h2sin, name(sinf((float)a)))                                     \
  HAL_SHORT1(name, hcos, h2cos, name(cosf((float)a)))                                     \
  HAL_SHORT1(name, hexp, h2exp, name(expf((float)a)))                                     \
  HAL_SHORT1(name, hexp2, h2exp2, name(exp2f((float)a)))                                  \
  HAL_SHORT1(name, hexp10, h2exp10, name(exp10f((float)a)))                               \
  HAL_SHORT1(name, hlog, h2log, name(logf((float)a)))                                     \
  HAL_SHORT1(name, hlog2, h2log2, name(log2f((float)a)))                                  \
  HAL_SHORT1(name, hlog10, h2log10, name(log10f((float)a)))                               \
  HAL_SHORT1(name, hsqrt, h2sqrt, name(sqrtf((float)a)))                                  \
  HAL_SHORT1(name, hrsqrt, h2rsqrt, name(rsqrtf((float)a)))                               \
  HAL_SHORT1(name, hfloor, h2floor, name(floorf((float)a)))                               \
  HAL_SHORT1(name, hceil, h2ceil, name(ceilf((float)a)))                                  \
  HAL_SHORT1(name, htrunc, h2trunc, name(truncf((float)a)))                               \
  HAL_SHORT1(name, hrint, h2rint, name(rintf((float)a)))

// Functions that the compilers of AMD lack, at least some of them.
#define HAL_SHORT_MORE(name, infinity)                                                                         \
  HAL_FUNCTION name hal_relu(name a) { /* also of -0; compared as bits, since a driver of NVIDIA mixes pairs up */ \
    return hal_short_of(a) >> 15 && (hal_short_of(a) & 0x7FFF) <= infinity ? name(0.0f) : a;                   \
  }                                                                                                            \
  HAL_SHORT2(name, __hadd_rn, __hadd2_rn, __hadd(a, b))                                                        \
  HAL_SHORT2(name, __hsub_rn, __hsub2_rn, __hsub(a, b))                                                        \
  HAL_SHORT2(name, __hmul_rn, __hmul2_rn, __hmul(a, b))                                                        \
  HAL_SHORT3(name, __hfma_relu, __hfma2_relu, (hal_relu(__hfma(a, b, c))))                                     \
  HAL_SHORT2(name, __hmax, __hmax2, HAL_SHORT_EXTREME(a, b, >, 0))                                             \
  HAL_SHORT2(name, __hmin, __hmin2, HAL_SHORT_EXTREME(a, b, <, 1))                                             \
  HAL_SHORT2(name, __hmax_nan, __hmax2_nan, (float)a != (float)a ? a : (float)b != (float)b ? b : __hmax(a, b)) \
  HAL_SHORT2(name, __hmin_nan, __hmin2_nan, (float)a != (float)a ? a : (float)b != (float)b ? b : __hmin(a, b)) \
  HAL_SHORT1(name, hrcp, h2rcp, name(1 / (float)a)) /* that of ROCm 5.2 does not link */                         \
  HAL_SHORT1(name, htanh, h2tanh, name(tanhf((float)a)))                                                       \
  HAL_SHORT_MASK(name, eq)                                                                                     \
  HAL_SHORT_MASK(name, ne)                                                                                     \
  HAL_SHORT_MASK(name, lt)                                                                                     \
  HAL_SHORT_MASK(name, le)                                                                                     \
  HAL_SHORT_MASK(name, gt)                                                                                     \
  HAL_SHORT_MASK(name, ge)                                                                                     \
  HAL_SHORT_MASK(name, equ)                                                                                    \
  HAL_SHORT_MASK(name, neu)                                                                                    \
  HAL_SHORT_MASK(name, ltu)                                                                                    \
  HAL_SHORT_MASK(name, leu)                                                                                    \
  HAL_SHORT_MASK(name, gtu)                                                                                    \
  HAL_SHORT_MASK(name, geu)                                                                                    \
  HAL_FUNCTION name##2 __hcmadd(name##2 u, name##2 v, name##2 w) {                                             \
    const name x = __hfma(hal_low(u), hal_low(v), hal_low(w)), y = __hfma(hal_low(u), hal_high(v), hal_high(w)); \
    return hal_pair(__hfma(__hneg(hal_high(u)), hal_high(v), x), __hfma(hal_high(u), hal_low(v), y));          \
  }

// Conversions of whole numbers that are rounded in a direction. Numbers beyond the range become the nearest that there is.
HAL_FUNCTION int hal_within(int x, int least, int most) { return x < least ? least : x > most ? most : x; }
#define HAL_SHORT_INTEGERS(name, word, end, mode, precision, most, nan)                                                \
  HAL_FUNCTION int __##word##2int_##end(name x) { return __float2int_##end((float)x); }                                \
  HAL_FUNCTION unsigned __##word##2uint_##end(name x) { return __float2uint_##end((float)x); }                         \
  HAL_FUNCTION short __##word##2short_##end(name x) { return (short)hal_within(__float2int_##end((float)x), -32768, 32767); } \
  HAL_FUNCTION unsigned short __##word##2ushort_##end(name x) {                                                        \
    return (unsigned short)hal_within(__float2int_##end((float)x), 0, 65535);                                          \
  }                                                                                                                    \
  HAL_FUNCTION long long __##word##2ll_##end(name x) {                                                                 \
    return (float)x == (float)x ? __float2ll_##end((float)x) : -9223372036854775807ll - 1;                             \
  }                                                                                                                    \
  HAL_FUNCTION unsigned long long __##word##2ull_##end(name x) {                                                       \
    return (float)x == (float)x ? __float2ull_##end((float)x) : 9223372036854775808ull;                                \
  }                                                                                                                    \
  HAL_FUNCTION name __float2##word##_##end(float x) {                                                                  \
    return hal_of_bits(hal_to_short<precision, most>(hal_exact_number(x), mode, nan), name());                         \
  }                                                                                                                    \
  HAL_FUNCTION name __int2##word##_##end(int x) { return __float2##word##_##end(hal_odd(x)); }                         \
  HAL_FUNCTION name __uint2##word##_##end(unsigned x) { return __float2##word##_##end(hal_odd(x)); }                   \
  HAL_FUNCTION name __short2##word##_##end(short x) { return __float2##word##_##end((float)x); }                       \
  HAL_FUNCTION name __ushort2##word##_##end(unsigned short x) { return __float2##word##_##end((float)x); }             \
  HAL_FUNCTION name __ll2##word##_##end(long long x) {                                                                 \
    return hal_of_bits(hal_to_short<precision, most>(hal_exact_integer(x), mode, nan), name());                        \
  }                                                                                                                    \
  HAL_FUNCTION name __ull2##word##_##end(unsigned long long x) {                                                       \
    return hal_of_bits(hal_to_short<precision, most>(hal_exact_unsigned(x), mode, nan), name());                       \
  }
#define HAL_SHORT_CONVERSIONS(name, word, precision, most, nan)                                                  \
  HAL_SHORT_INTEGERS(name, word, rn, HAL_RN, precision, most, nan)                                               \
  HAL_SHORT_INTEGERS(name, word, rz, HAL_RZ, precision, most, nan)                                               \
  HAL_SHORT_INTEGERS(name, word, ru, HAL_RU, precision, most, nan)                                               \
  HAL_SHORT_INTEGERS(name, word, rd, HAL_RD, precision, most, nan)                                               \
  HAL_FUNCTION name##2 __##word##2##word##2(name x) { return hal_pair(x, x); }                                   \
  HAL_FUNCTION name##2 __halves2##word##2(name x, name y) { return hal_pair(x, y); }                             \
  HAL_FUNCTION name##2 __float2##word##2_rn(float x) { return hal_pair(name(x), name(x)); }                      \
  HAL_FUNCTION name##2 __floats2##word##2_rn(float x, float y) { return hal_pair(name(x), name(y)); }            \
  HAL_FUNCTION name##2 __float22##word##2_rn(float2 v) { return hal_pair(name(v.x), name(v.y)); }                \
  HAL_FUNCTION float2 __##word##22float2(name##2 v) { return make_float2((float)hal_low(v), (float)hal_high(v)); } \
  HAL_FUNCTION float __##word##2float(name x) { return (float)x; }                                               \
  HAL_FUNCTION name __float2##word(float x) { return name(x); }                                                  \
  HAL_FUNCTION name __low2##word(name##2 v) { return hal_low(v); }                                               \
  HAL_FUNCTION name __high2##word(name##2 v) { return hal_high(v); }                                             \
  HAL_FUNCTION name##2 __low2##word##2(name##2 v) { return hal_pair(hal_low(v), hal_low(v)); }                   \
  HAL_FUNCTION name##2 __high2##word##2(name##2 v) { return hal_pair(hal_high(v), hal_high(v)); }                \
  HAL_FUNCTION name##2 __lows2##word##2(name##2 v, name##2 w) { return hal_pair(hal_low(v), hal_low(w)); }       \
  HAL_FUNCTION name##2 __highs2##word##2(name##2 v, name##2 w) { return hal_pair(hal_high(v), hal_high(w)); }    \
  HAL_FUNCTION name##2 __lowhigh2highlow(name##2 v) { return hal_pair(hal_high(v), hal_low(v)); }                \
  HAL_FUNCTION float __low2float(name##2 v) { return (float)hal_low(v); }                                        \
  HAL_FUNCTION float __high2float(name##2 v) { return (float)hal_high(v); }                                      \
  HAL_FUNCTION unsigned short __##word##_as_ushort(name x) { return hal_short_of(x); }                           \
  HAL_FUNCTION short __##word##_as_short(name x) { return (short)hal_short_of(x); }                              \
  HAL_FUNCTION name __ushort_as_##word(unsigned short bits) { return hal_of_bits(bits, name()); }                \
  HAL_FUNCTION name __short_as_##word(short bits) { return hal_of_bits((unsigned short)bits, name()); }
#define HAL_SHORT_MORE_CONVERSIONS(name, word)                                                                         \
  HAL_FUNCTION name __double2##word(double x) { return name(hal_odd(x)); }                                             \
  HAL_FUNCTION signed char __##word##2char_rz(name x) { return (signed char)hal_within(__float2int_rz((float)x), -128, 127); } \
  HAL_FUNCTION unsigned char __##word##2uchar_rz(name x) {                                                             \
    return (unsigned char)hal_within(__float2int_rz((float)x), 0, 255);                                                \
  }

// Under CUDA, what is built in for other types. Atomic operations go through the word that a number lies in.
#if defined(__CUDACC_RTC__) && !defined(HAL_HOST)
template <class Hal_T> HAL_FUNCTION unsigned hal_word_of(Hal_T x) {
  unsigned bits = 0;
  memcpy(&bits, &x, sizeof x);
  return bits;
}
template <class Hal_T> HAL_FUNCTION Hal_T hal_of_word(unsigned bits) {
  Hal_T x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
#define HAL_SHORT_SHUFFLE(name, function, argument)                                                     \
  HAL_FUNCTION name function(unsigned mask, name x, argument other, int width = 32) {                   \
    return hal_of_word<name>(function(mask, hal_word_of(x), other, width));                             \
  }                                                                                                     \
  HAL_FUNCTION name##2 function(unsigned mask, name##2 x, argument other, int width = 32) {             \
    return hal_of_word<name##2>(function(mask, hal_word_of(x), other, width));                          \
  }
#define HAL_SHORT_LOADED(name, function)                                                                \
  HAL_FUNCTION name function(const name* at) { return hal_of_word<name>(function((const unsigned short*)at)); } \
  HAL_FUNCTION name##2 function(const name##2* at) { return hal_of_word<name##2>(function((const unsigned*)at)); }
#define HAL_SHORT_STORED(name, function)                                                                \
  HAL_FUNCTION void function(name* at, name x) { function((unsigned short*)at, (unsigned short)hal_word_of(x)); } \
  HAL_FUNCTION void function(name##2* at, name##2 x) { function((unsigned*)at, hal_word_of(x)); }
#define HAL_SHORT_BUILT_IN(name)                    \
  HAL_SHORT_SHUFFLE(name, __shfl_sync, int)         \
  HAL_SHORT_SHUFFLE(name, __shfl_up_sync, unsigned) \
  HAL_SHORT_SHUFFLE(name, __shfl_down_sync, unsigned) \
  HAL_SHORT_SHUFFLE(name, __shfl_xor_sync, int)     \
  HAL_SHORT_LOADED(name, __ldg)                     \
  HAL_SHORT_LOADED(name, __ldcs)                    \
  HAL_SHORT_LOADED(name, __ldca)                    \
  HAL_SHORT_LOADED(name, __ldcg)                    \
  HAL_SHORT_LOADED(name, __ldlu)                    \
  HAL_SHORT_LOADED(name, __ldcv)                    \
  HAL_SHORT_STORED(name, __stcs)                    \
  HAL_SHORT_STORED(name, __stcg)                    \
  HAL_SHORT_STORED(name, __stwb)                    \
  HAL_SHORT_STORED(name, __stwt)
#define HAL_COPY memcpy
#else
#define HAL_SHORT_BUILT_IN(name)
#define HAL_COPY __builtin_memcpy
#endif
#ifdef HAL_HOST
#define HAL_SHORT_ATOMIC(name)
#else
#define HAL_SHORT_ATOMIC(name)                                                                          \
  HAL_FUNCTION name##2 atomicAdd(name##2* at, name##2 x) {                                              \
    unsigned* word = (unsigned*)at;                                                                     \
    name##2 seen;                                                                                       \
    for (unsigned before = *(volatile unsigned*)word;;) {                                               \
      HAL_COPY(&seen, &before, sizeof seen);                                                    \
      const name##2 sum = __hadd2(seen, x);                                                             \
      unsigned after;                                                                                   \
      HAL_COPY(&after, &sum, sizeof after);                                                     \
      const unsigned found = atomicCAS(word, before, after);                                            \
      if (found == before) return seen;                                                                 \
      before = found;                                                                                   \
    }                                                                                                   \
  }                                                                                                     \
  HAL_FUNCTION name atomicAdd(name* at, name x) {                                                       \
    const unsigned shift = (unsigned)((size_t)at & 2) * 8;                                              \
    unsigned* word = (unsigned*)((size_t)at & ~(size_t)3);                                              \
    name seen;                                                                                          \
    for (unsigned before = *(volatile unsigned*)word;;) {                                               \
      const unsigned short bits = (unsigned short)(before >> shift);                                    \
      HAL_COPY(&seen, &bits, sizeof seen);                                                      \
      const name sum = __hadd(seen, x);                                                                 \
      unsigned short after;                                                                             \
      HAL_COPY(&after, &sum, sizeof after);                                                     \
      const unsigned found = atomicCAS(word, before, (before & ~(0xFFFFu << shift)) | (unsigned)after << shift); \
      if (found == before) return seen;                                                                 \
      before = found;                                                                                   \
    }                                                                                                   \
  }
#endif

#ifndef HAL_HAS_HALF
HAL_SHORT_FLOAT(__half, hal_half_of, hal_float_of_half, hal_half_fused, 11, 15)
HAL_SHORT_FUNCTIONS(__half)
HAL_SHORT_CONVERSIONS(__half, half, 11, 15, 0x7FFF)
HAL_SHORT_BUILT_IN(__half)
HAL_FUNCTION __half2 make_half2(__half x, __half y) { return hal_pair(x, y); }
typedef __half half;
typedef __half2 half2;
#else
HAL_FUNCTION __half hal_low(__half2 v) { return __low2half(v); }
HAL_FUNCTION __half hal_high(__half2 v) { return __high2half(v); }
HAL_FUNCTION __half2 hal_pair(__half x, __half y) { return __halves2half2(x, y); }
HAL_FUNCTION unsigned short hal_short_of(__half x) { return __half_as_ushort(x); }
#endif
HAL_SHORT_MORE(__half, 0x7C00)
HAL_SHORT_MORE_CONVERSIONS(__half, half)
HAL_SHORT_ATOMIC(__half)

HAL_SHORT_FLOAT(__nv_bfloat16, hal_bfloat_of, hal_float_of_bfloat, hal_bfloat_fused, 8, 127)
HAL_SHORT_FUNCTIONS(__nv_bfloat16)
HAL_SHORT_CONVERSIONS(__nv_bfloat16, bfloat16, 8, 127, 0x7FFF)
HAL_SHORT_BUILT_IN(__nv_bfloat16)
HAL_SHORT_MORE(__nv_bfloat16, 0x7F80)
HAL_SHORT_MORE_CONVERSIONS(__nv_bfloat16, bfloat16)
HAL_SHORT_ATOMIC(__nv_bfloat16)
HAL_FUNCTION __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return hal_pair(x, y); }
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#ifdef HAL_HOST
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
#endif
#endif
