// Floating-point numbers of 16 bits. Arithmetic is that of float, rounded after each operation.
#pragma once
#include "hal_math.h"

#if defined(__aarch64__)
typedef __fp16 hal_native_half;  // GCC has _Float16 there from version 13 on
#else
typedef _Float16 hal_native_half;
#endif

static inline unsigned short hal_half_of(float x) {
  hal_native_half h = (hal_native_half)x;
  return hal_bits<unsigned short>(h);
}
static inline float hal_float_of_half(unsigned short bits) { return (float)hal_bits<hal_native_half>(bits); }
static inline unsigned short hal_bfloat_of(float x) {
  unsigned bits = hal_bits<unsigned>(x);
  if (x != x) return (unsigned short)(bits >> 16 | 0x40);
  return (unsigned short)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
static inline float hal_float_of_bfloat(unsigned short bits) { return hal_bits<float>((unsigned)bits << 16); }

#define HAL_SHORT_FLOAT(name, to_bits, to_float)                                            \
  struct name {                                                                             \
    unsigned short hal_bits_;                                                               \
    name() = default;                                                                       \
    name(float x) : hal_bits_(to_bits(x)) {}                                                \
    name(double x) : hal_bits_(to_bits((float)x)) {}                                        \
    name(int x) : hal_bits_(to_bits((float)x)) {}                                           \
    name(unsigned x) : hal_bits_(to_bits((float)x)) {}                                      \
    name(long long x) : hal_bits_(to_bits((float)x)) {}                                     \
    operator float() const { return to_float(hal_bits_); }                                  \
    name& operator+=(name b) { return *this = name((float)*this + (float)b); }              \
    name& operator-=(name b) { return *this = name((float)*this - (float)b); }              \
    name& operator*=(name b) { return *this = name((float)*this * (float)b); }              \
    name& operator/=(name b) { return *this = name((float)*this / (float)b); }              \
  };                                                                                        \
  static inline name operator+(name a, name b) { return name((float)a + (float)b); }        \
  static inline name operator-(name a, name b) { return name((float)a - (float)b); }        \
  static inline name operator*(name a, name b) { return name((float)a * (float)b); }        \
  static inline name operator/(name a, name b) { return name((float)a / (float)b); }        \
  static inline name operator-(name a) { return name(-(float)a); }                          \
  static inline bool operator<(name a, name b) { return (float)a < (float)b; }              \
  static inline bool operator>(name a, name b) { return (float)a > (float)b; }              \
  static inline bool operator<=(name a, name b) { return (float)a <= (float)b; }            \
  static inline bool operator>=(name a, name b) { return (float)a >= (float)b; }            \
  static inline bool operator==(name a, name b) { return (float)a == (float)b; }            \
  static inline bool operator!=(name a, name b) { return (float)a != (float)b; }            \
  static inline name __hadd(name a, name b) { return a + b; }                               \
  static inline name __hsub(name a, name b) { return a - b; }                               \
  static inline name __hmul(name a, name b) { return a * b; }                               \
  static inline name __hdiv(name a, name b) { return a / b; }                               \
  static inline name __hfma(name a, name b, name c) { return name(fmaf((float)a, (float)b, (float)c)); } \
  static inline name __hmax(name a, name b) { return a > b ? a : b; }                       \
  static inline name __hmin(name a, name b) { return a < b ? a : b; }                       \
  static inline name __habs(name a) { return name(fabsf((float)a)); }                       \
  static inline name __hneg(name a) { return -a; }                                          \
  static inline name hexp(name a) { return name(expf((float)a)); }                          \
  static inline name hlog(name a) { return name(logf((float)a)); }                          \
  static inline name hsqrt(name a) { return name(sqrtf((float)a)); }                        \
  static inline name hrsqrt(name a) { return name(rsqrtf((float)a)); }                      \
  struct __align__(4) name##2 {                                                             \
    name x, y;                                                                              \
  };

HAL_SHORT_FLOAT(__half, hal_half_of, hal_float_of_half)
HAL_SHORT_FLOAT(__nv_bfloat16, hal_bfloat_of, hal_float_of_bfloat)
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;

static inline float __half2float(__half x) { return (float)x; }
static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline __half __int2half_rn(int x) { return __half(x); }
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half __low2half(__half2 v) { return v.x; }
static inline __half __high2half(__half2 v) { return v.y; }
static inline float __low2float(__half2 v) { return (float)v.x; }
static inline float __high2float(__half2 v) { return (float)v.y; }
static inline float2 __half22float2(__half2 v) { return {(float)v.x, (float)v.y}; }
static inline unsigned short __half_as_ushort(__half x) { return x.hal_bits_; }
static inline __half __ushort_as_half(unsigned short x) { return hal_bits<__half>(x); }
static inline float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.hal_bits_; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return hal_bits<__nv_bfloat16>(x); }
