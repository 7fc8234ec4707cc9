// SPDX-License-Identifier: Apache-2.0
// 16-bit floating-point numbers. Arithmetic is that of float, rounded after each operation.
#ifndef HAL_HALF_H
#define HAL_HALF_H
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

#define HAL_SHORT_FLOAT(name, to_bits, to_float)                                                              \
  struct name {                                                                                               \
    unsigned short hal_bits_;                                                                                 \
    name() = default;                                                                                         \
    HAL_MEMBER name(float x) : hal_bits_(to_bits(x)) {}                                                       \
    HAL_MEMBER name(double x) : hal_bits_(to_bits((float)x)) {}                                               \
    HAL_MEMBER name(int x) : hal_bits_(to_bits((float)x)) {}                                                  \
    HAL_MEMBER name(unsigned x) : hal_bits_(to_bits((float)x)) {}                                             \
    HAL_MEMBER name(long long x) : hal_bits_(to_bits((float)x)) {}                                            \
    HAL_MEMBER operator float() const { return to_float(hal_bits_); }                                         \
    HAL_MEMBER name& operator+=(name b) { return *this = name((float)*this + (float)b); }                     \
    HAL_MEMBER name& operator-=(name b) { return *this = name((float)*this - (float)b); }                     \
    HAL_MEMBER name& operator*=(name b) { return *this = name((float)*this * (float)b); }                     \
    HAL_MEMBER name& operator/=(name b) { return *this = name((float)*this / (float)b); }                     \
  };                                                                                                          \
  HAL_FUNCTION name operator+(name a, name b) { return name((float)a + (float)b); }                           \
  HAL_FUNCTION name operator-(name a, name b) { return name((float)a - (float)b); }                           \
  HAL_FUNCTION name operator*(name a, name b) { return name((float)a * (float)b); }                           \
  HAL_FUNCTION name operator/(name a, name b) { return name((float)a / (float)b); }                           \
  HAL_FUNCTION name operator-(name a) { return name(-(float)a); }                                             \
  HAL_FUNCTION bool operator<(name a, name b) { return (float)a < (float)b; }                                 \
  HAL_FUNCTION bool operator>(name a, name b) { return (float)a > (float)b; }                                 \
  HAL_FUNCTION bool operator<=(name a, name b) { return (float)a <= (float)b; }                               \
  HAL_FUNCTION bool operator>=(name a, name b) { return (float)a >= (float)b; }                               \
  HAL_FUNCTION bool operator==(name a, name b) { return (float)a == (float)b; }                               \
  HAL_FUNCTION bool operator!=(name a, name b) { return (float)a != (float)b; }                               \
  HAL_FUNCTION name __hadd(name a, name b) { return a + b; }                                                  \
  HAL_FUNCTION name __hsub(name a, name b) { return a - b; }                                                  \
  HAL_FUNCTION name __hmul(name a, name b) { return a * b; }                                                  \
  HAL_FUNCTION name __hdiv(name a, name b) { return a / b; }                                                  \
  HAL_FUNCTION name __hfma(name a, name b, name c) { return name(fmaf((float)a, (float)b, (float)c)); }       \
  HAL_FUNCTION name __hmax(name a, name b) { return a > b ? a : b; }                                          \
  HAL_FUNCTION name __hmin(name a, name b) { return a < b ? a : b; }                                          \
  HAL_FUNCTION name __habs(name a) { return name(fabsf((float)a)); }                                          \
  HAL_FUNCTION name __hneg(name a) { return -a; }                                                             \
  HAL_FUNCTION name hexp(name a) { return name(expf((float)a)); }                                             \
  HAL_FUNCTION name hlog(name a) { return name(logf((float)a)); }                                             \
  HAL_FUNCTION name hsqrt(name a) { return name(sqrtf((float)a)); }                                           \
  HAL_FUNCTION name hrsqrt(name a) { return name(rsqrtf((float)a)); }                                         \
  struct __align__(4) name##2 {                                                                               \
    name x, y;                                                                                                \
  };                                                                                                          \
  HAL_FUNCTION name##2 hal_pair(name x, name y) {                                                             \
    name##2 pair;                                                                                             \
    pair.x = x;                                                                                               \
    pair.y = y;                                                                                               \
    return pair;                                                                                              \
  }                                                                                                           \
  HAL_FUNCTION name##2 operator+(name##2 a, name##2 b) { return hal_pair(a.x + b.x, a.y + b.y); }             \
  HAL_FUNCTION name##2 operator-(name##2 a, name##2 b) { return hal_pair(a.x - b.x, a.y - b.y); }             \
  HAL_FUNCTION name##2 operator*(name##2 a, name##2 b) { return hal_pair(a.x * b.x, a.y * b.y); }             \
  HAL_FUNCTION name##2 __hadd2(name##2 a, name##2 b) { return a + b; }                                        \
  HAL_FUNCTION name##2 __hsub2(name##2 a, name##2 b) { return a - b; }                                        \
  HAL_FUNCTION name##2 __hmul2(name##2 a, name##2 b) { return a * b; }                                        \
  HAL_FUNCTION name##2 __hfma2(name##2 a, name##2 b, name##2 c) {                                             \
    return hal_pair(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                                            \
  }

#ifndef HAL_HAS_HALF
HAL_SHORT_FLOAT(__half, hal_half_of, hal_float_of_half)
typedef __half half;
typedef __half2 half2;
HAL_FUNCTION float __half2float(__half x) { return (float)x; }
HAL_FUNCTION __half __float2half(float x) { return __half(x); }
HAL_FUNCTION __half __float2half_rn(float x) { return __half(x); }
HAL_FUNCTION __half __int2half_rn(int x) { return __half(x); }
HAL_FUNCTION __half2 __float2half2_rn(float x) { return hal_pair(__half(x), __half(x)); }
HAL_FUNCTION __half2 __floats2half2_rn(float x, float y) { return hal_pair(__half(x), __half(y)); }
HAL_FUNCTION __half2 __float22half2_rn(float2 v) { return hal_pair(__half(v.x), __half(v.y)); }
HAL_FUNCTION __half2 __half2half2(__half x) { return hal_pair(x, x); }
HAL_FUNCTION __half2 __halves2half2(__half x, __half y) { return hal_pair(x, y); }
HAL_FUNCTION __half __low2half(__half2 v) { return v.x; }
HAL_FUNCTION __half __high2half(__half2 v) { return v.y; }
HAL_FUNCTION float __low2float(__half2 v) { return (float)v.x; }
HAL_FUNCTION float __high2float(__half2 v) { return (float)v.y; }
HAL_FUNCTION float2 __half22float2(__half2 v) { return make_float2((float)v.x, (float)v.y); }
HAL_FUNCTION unsigned short __half_as_ushort(__half x) { return x.hal_bits_; }
HAL_FUNCTION __half __ushort_as_half(unsigned short bits) {
  __half x;
  x.hal_bits_ = bits;
  return x;
}
#endif

HAL_SHORT_FLOAT(__nv_bfloat16, hal_bfloat_of, hal_float_of_bfloat)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#ifdef HAL_HOST
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
#endif
HAL_FUNCTION float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
HAL_FUNCTION __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
HAL_FUNCTION __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
HAL_FUNCTION __nv_bfloat162 __float2bfloat162_rn(float x) { return hal_pair(__nv_bfloat16(x), __nv_bfloat16(x)); }
HAL_FUNCTION __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return hal_pair(__nv_bfloat16(x), __nv_bfloat16(y)); }
HAL_FUNCTION __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return hal_pair(x, x); }
HAL_FUNCTION __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return hal_pair(x, y); }
HAL_FUNCTION __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
HAL_FUNCTION __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
HAL_FUNCTION float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
HAL_FUNCTION unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.hal_bits_; }
HAL_FUNCTION __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 x;
  x.hal_bits_ = bits;
  return x;
}
#endif
