// SPDX-License-Identifier: Apache-2.0
// Special functions that GPUs have and C lacks, and Bessel's functions. Those of float are computed as double.
#ifndef HAL_SPECIAL_H
#define HAL_SPECIAL_H
#include "hal_math.h"

// exp(x * x) * erfc(x)
static inline double erfcx(double x) {
  if (x < -27) return __builtin_inf();
  if (x < 25) {
    const double square = x * x;
    return exp(square) * (1 + __builtin_fma(x, x, -square)) * erfc(x);
  }
  const double by = 1 / (2 * x * x);
  double series = 1;
  for (int k = 15; k > 0; k -= 2) series = 1 - k * by * series;
  return 0.56418958354775628695 / x * series;  // 1 / sqrt(pi)
}

// The y > 0 with erfc(y) = x, for 0 < x < 1. Newton's method, in logarithms where x is small: there erfc is nearly
// straight.
static inline double hal_erfc_inverse(double x) {
  const double slope = 1.12837916709551257390;  // 2 / sqrt(pi)
  double y;
  if (x < 0.25) {
    const double l = sqrt(-log(x));
    y = l - log(l * 1.77245385090551602730) / (2 * l);
    for (int i = 0; i < 6; i++) {
      const double scaled = erfcx(y);
      y += (log(scaled) - y * y - log(x)) * scaled / slope;
    }
  } else {
    y = (1 - x) / slope;
    for (int i = 0; i < 6; i++) {
      const double step = (erfc(y) - x) / (slope * exp(-y * y));
      y += step / (1 - y * step);
    }
  }
  return y;
}
static inline double erfinv(double x) {
  const double slope = 1.12837916709551257390, size = fabs(x);
  if (!(size < 1)) return size == 1 ? x * __builtin_inf() : __builtin_nan("");
  if (size > 0.5) return copysign(hal_erfc_inverse(1 - size), x);
  if (size < 1e-8) return x / slope;
  double y = x / slope;
  for (int i = 0; i < 5; i++) {
    const double step = (erf(y) - x) / (slope * exp(-y * y));
    y -= step / (1 + y * step);
  }
  return y;
}
static inline double erfcinv(double x) {
  if (!(x >= 0 && x <= 2)) return __builtin_nan("");
  if (x == 0 || x == 2) return x == 0 ? __builtin_inf() : -__builtin_inf();
  if (x >= 0.5 && x <= 1.5) return erfinv(1 - x);
  return x < 1 ? hal_erfc_inverse(x) : -hal_erfc_inverse(2 - x);
}
static inline double normcdfinv(double x) { return 0 - 1.41421356237309504880 * erfcinv(2 * x); }  // 0, not -0
// The modified functions of Bessel: a series of positive terms, and for large x the asymptotic one.
static inline double hal_bessel_i(int order, double x) {
  x = fabs(x);
  if (!(x < 720)) return x != x ? x : __builtin_inf();
  if (x < 22) {
    const double quarter = x * x / 4;
    double term = order == 0 ? 1 : x / 2, sum = 0;
    for (int k = 1; term > sum * 1e-18; k++) {
      sum += term;
      term *= quarter / ((double)k * (k + order));
    }
    return sum;
  }
  const double square = 4.0 * order * order;
  double term = 1, sum = 0;
  for (int k = 1; k < 40 && fabs(term) > 1e-18; k++) {
    sum += term;
    term *= -(square - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * x * k);
  }
  const double half = exp(x / 2);
  return half * (sum / sqrt(6.28318530717958647693 * x)) * half;
}
static inline double cyl_bessel_i0(double x) { return hal_bessel_i(0, x); }
static inline double cyl_bessel_i1(double x) { return copysign(hal_bessel_i(1, x), x); }

// Those of the C library, under other names: Clang has no built-in functions for them.
extern "C" {
double hal_c_j0(double) __asm__("j0");
double hal_c_j1(double) __asm__("j1");
double hal_c_y0(double) __asm__("y0");
double hal_c_y1(double) __asm__("y1");
double hal_c_jn(int, double) __asm__("jn");
double hal_c_yn(int, double) __asm__("yn");
}
static inline double j0(double x) { return hal_c_j0(x); }
static inline double j1(double x) { return hal_c_j1(x); }
static inline double y0(double x) { return hal_c_y0(x); }
static inline double y1(double x) { return hal_c_y1(x); }
static inline double jn(int n, double x) { return n < 0 ? __builtin_nan("") : hal_c_jn(n, x); }
static inline double yn(int n, double x) { return n < 0 ? __builtin_nan("") : hal_c_yn(n, x); }

// Also for float, and under the name with an f.
#define HAL_AS_DOUBLE1(name)                                               \
  static inline float name##f(float x) { return (float)name((double)x); }  \
  static inline float name(float x) { return (float)name((double)x); }     \
  HAL_WIDE1(name)
#define HAL_AS_DOUBLE2(name)                                                         \
  static inline float name##f(int n, float x) { return (float)name(n, (double)x); }  \
  static inline float name(int n, float x) { return (float)name(n, (double)x); }
HAL_AS_DOUBLE1(erfinv)
HAL_AS_DOUBLE1(erfcinv)
HAL_AS_DOUBLE1(normcdfinv)
HAL_AS_DOUBLE1(erfcx)
HAL_AS_DOUBLE1(cyl_bessel_i0)
HAL_AS_DOUBLE1(cyl_bessel_i1)
HAL_AS_DOUBLE1(j0)
HAL_AS_DOUBLE1(j1)
HAL_AS_DOUBLE1(y0)
HAL_AS_DOUBLE1(y1)
HAL_AS_DOUBLE2(jn)
HAL_AS_DOUBLE2(yn)

// Lengths of vectors, which neither overflow nor underflow on the way.
static inline double hal_length(int count, const double* parts, bool reciprocal) {
  double most = 0, sum = 0;
  bool has_nan = false;
  for (int i = 0; i < count; i++) {
    has_nan |= parts[i] != parts[i];
    most = fmax(most, fabs(parts[i]));
  }
  if (most > 1.7976931348623157e308) return reciprocal ? 0.0 : most;
  if (has_nan) return __builtin_nan("");
  if (most == 0) return reciprocal ? __builtin_inf() : 0.0;
  int scale = 0;
  most = frexp(most, &scale);
  for (int i = 0; i < count; i++) {
    const double part = ldexp(parts[i], -scale);
    sum += part * part;
  }
  return reciprocal ? ldexp(1 / sqrt(sum), -scale) : ldexp(sqrt(sum), scale);
}
static inline float hal_length(int count, const float* parts, bool reciprocal) {
  double sum = 0;
  bool is_infinite = false;
  for (int i = 0; i < count; i++) {
    is_infinite |= fabsf(parts[i]) > 3.4028234663852886e38f;
    sum += (double)parts[i] * parts[i];
  }
  if (is_infinite) return reciprocal ? 0.0f : __builtin_inff();
  return (float)(reciprocal ? 1 / sqrt(sum) : sqrt(sum));
}
static inline double norm(int count, const double* parts) { return hal_length(count, parts, false); }
static inline double rnorm(int count, const double* parts) { return hal_length(count, parts, true); }
static inline float normf(int count, const float* parts) { return hal_length(count, parts, false); }
static inline float rnormf(int count, const float* parts) { return hal_length(count, parts, true); }
#define HAL_LENGTHS(real, f)                                                                                          \
  static inline real rnorm3d##f(real x, real y, real z) { const real parts[] = {x, y, z}; return hal_length(3, parts, true); } \
  static inline real norm4d##f(real x, real y, real z, real w) { const real parts[] = {x, y, z, w}; return hal_length(4, parts, false); } \
  static inline real rnorm4d##f(real x, real y, real z, real w) { const real parts[] = {x, y, z, w}; return hal_length(4, parts, true); }
HAL_LENGTHS(double, )
HAL_LENGTHS(float, f)

static inline double nan(const char*) { return __builtin_nan(""); }
static inline float nanf(const char*) { return __builtin_nanf(""); }
#endif
