// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the dialect.
#ifndef HAL_MATH_H
#define HAL_MATH_H
#include "hal_types.h"

// As in C++'s <cmath>, functions compute in float if all arguments are float, and in double otherwise. `hal_double` is
// double if all types are of numbers; it does not exist for objects, which convert themselves.
template <bool> struct hal_double_if {};
template <> struct hal_double_if<true> { typedef double type; };
template <class... Hal_T> struct hal_double_of : hal_double_if<!(__is_class(Hal_T) || ...)> {};
template <class... Hal_T> using hal_double = typename hal_double_of<Hal_T...>::type;

// The nearest integer towards zero. Numbers beyond the range of the integer give the nearest that it has. Integers of fewer
// than 32 bits are the lower bits of one of 32. As in PTX, NaN gives 0, but from double, or to 64 bits, the integer that
// has only the highest bit. Written so that the compiler can vectorize it.
template <class Whole, class Real> static inline constexpr Whole hal_whole_of(Real x) {
  constexpr bool is_signed = (Whole)-1 < 0;
  if constexpr (sizeof(Whole) < 4) {
    return (Whole)(is_signed ? hal_whole_of<int>(x) : hal_whole_of<unsigned>(x));
  } else {
    constexpr Real limit = (sizeof(Whole) == 4 ? (Real)65536 * 32768 : (Real)65536 * 65536 * 65536 * 32768) * (is_signed ? 1 : 2);
    constexpr Whole least = is_signed ? (Whole)((Whole)1 << (8 * sizeof(Whole) - 1)) : 0;
    const Whole inside = (Whole)(x > (is_signed ? -limit : 0) && x < limit ? x : 0);
    const Whole above = x >= limit ? (Whole)~least : inside;
    const Whole whole = x <= (is_signed ? -limit : 0) ? least : above;
    return (sizeof(Real) == 8 || sizeof(Whole) == 8) && x != x ? (Whole)((Whole)1 << (8 * sizeof(Whole) - 1)) : whole;
  }
}

#define HAL_WIDE1(name) \
  template <class Hal_A> static inline hal_double<Hal_A> name(Hal_A x) { return name((double)x); }
#define HAL_WIDE2(name) \
  template <class Hal_A, class Hal_B> static inline hal_double<Hal_A, Hal_B> name(Hal_A x, Hal_B y) { return name((double)x, (double)y); }
#define HAL_WIDE3(name)                                                                \
  template <class Hal_A, class Hal_B, class Hal_C> static inline hal_double<Hal_A, Hal_B, Hal_C> name(Hal_A x, Hal_B y, Hal_C z) { \
    return name((double)x, (double)y, (double)z);                                      \
  }
#define HAL_MATH1(name)                                                    \
  static inline double name(double x) { return __builtin_##name(x); }      \
  static inline float name(float x) { return __builtin_##name##f(x); }     \
  static inline float name##f(float x) { return __builtin_##name##f(x); }  \
  HAL_WIDE1(name)
#define HAL_MATH2(name)                                                                 \
  static inline double name(double x, double y) { return __builtin_##name(x, y); }      \
  static inline float name(float x, float y) { return __builtin_##name##f(x, y); }      \
  static inline float name##f(float x, float y) { return __builtin_##name##f(x, y); }   \
  HAL_WIDE2(name)
// As HAL_MATH1, for functions whose float form in the C library is off by more than a GPU's: computed in double.
#define HAL_EXACT1(name)                                                          \
  static inline double name(double x) { return __builtin_##name(x); }             \
  static inline float name(float x) { return (float)__builtin_##name((double)x); } \
  static inline float name##f(float x) { return (float)__builtin_##name((double)x); } \
  HAL_WIDE1(name)
// Functions that C lacks. `expression` computes in the type `real`.
#define HAL_OWN1(name, expression)                                                \
  static inline double name(double x) { typedef double real; return expression; } \
  static inline float name(float x) { typedef float real; return expression; }    \
  static inline float name##f(float x) { return name(x); }                        \
  HAL_WIDE1(name)
HAL_MATH1(fabs)
HAL_MATH1(sqrt)
// One step of Newton's method, since that of C may be off by 4 units.
static inline double cbrt(double x) {
  const double root = __builtin_cbrt(x);
  return root == 0 || !__builtin_isfinite(root)
             ? root
             : root - __builtin_fma(root * root, root, -x) / (3 * root * root);
}
static inline float cbrt(float x) { return __builtin_cbrtf(x); }
static inline float cbrtf(float x) { return __builtin_cbrtf(x); }
HAL_WIDE1(cbrt)
HAL_MATH1(exp)
HAL_MATH1(exp2)
HAL_MATH1(expm1)
HAL_MATH1(log)
HAL_MATH1(log2)
HAL_MATH1(log10)
HAL_MATH1(log1p)
HAL_MATH1(sin)
HAL_MATH1(cos)
HAL_MATH1(tan)
HAL_MATH1(asin)
HAL_MATH1(acos)
HAL_MATH1(atan)
HAL_MATH1(sinh)
HAL_MATH1(cosh)
HAL_MATH1(tanh)
HAL_MATH1(asinh)
HAL_MATH1(acosh)
HAL_MATH1(atanh)
HAL_MATH1(erf)
HAL_EXACT1(erfc)
HAL_MATH1(floor)
HAL_MATH1(ceil)
HAL_MATH1(trunc)
HAL_MATH1(rint)
HAL_MATH1(nearbyint)
HAL_MATH1(round)
HAL_MATH2(pow)
HAL_MATH2(fmod)
HAL_MATH2(atan2)
HAL_MATH2(hypot)
HAL_MATH2(copysign)
HAL_MATH2(fdim)
HAL_MATH2(remainder)
HAL_MATH2(nextafter)
HAL_EXACT1(tgamma)
HAL_MATH1(lgamma)
HAL_MATH1(logb)
HAL_OWN1(exp10, (real)pow((real)10, x))
HAL_OWN1(rsqrt, 1 / sqrt(x))
static inline double rcbrt(double x) { return 1 / cbrt(x); }
static inline float rcbrt(float x) { return (float)(1 / __builtin_cbrt((double)x)); }
static inline float rcbrtf(float x) { return rcbrt(x); }
HAL_WIDE1(rcbrt)

// sin(pi x) and cos(pi x), exact at all multiples of a half. Both subtractions are exact, and leave at most a quarter,
// so that the product with pi is as accurate as x.
struct hal_turn {
  double quarters, rest;  // x is a whole number of turns, so many quarters of one (-2 to 2), and the rest
};
static inline hal_turn hal_turn_of(double x) {
  const double part = x - 2 * __builtin_rint(x / 2), quarters = __builtin_rint(2 * part);
  return {quarters, (part - quarters / 2) * 3.14159265358979323846};
}
static inline double sinpi(double x) {
  const hal_turn turn = hal_turn_of(x);
  const bool is_odd = turn.quarters == 1 || turn.quarters == -1;
  if (turn.rest == 0 && !is_odd) return __builtin_copysign(0.0, x);
  const double size = is_odd ? __builtin_cos(turn.rest) : __builtin_sin(turn.rest);
  return turn.quarters == 0 || turn.quarters == 1 ? size : -size;
}
static inline double cospi(double x) {
  const hal_turn turn = hal_turn_of(x);
  const bool is_odd = turn.quarters == 1 || turn.quarters == -1;
  if (turn.rest == 0 && is_odd) return 0;
  const double size = is_odd ? __builtin_sin(turn.rest) : __builtin_cos(turn.rest);
  return turn.quarters == 0 || turn.quarters == -1 ? size : -size;
}
static inline float sinpi(float x) { return (float)sinpi((double)x); }
static inline float cospi(float x) { return (float)cospi((double)x); }
static inline float sinpif(float x) { return (float)sinpi((double)x); }
static inline float cospif(float x) { return (float)cospi((double)x); }
HAL_WIDE1(sinpi)
HAL_WIDE1(cospi)

// The distribution function of normal numbers. In double, what rounding the argument loses is added again, by the
// derivative, since far from 0 the function changes faster than its argument.
static inline double normcdf(double x) {
  const double high = x * -0.70710678118654752440;
  const double low = __builtin_fma(x, -0.70710678118654752440, -high) + x * 4.8336466567264567e-17;
  const double value = __builtin_erfc(high);
  return (value > 0 && value < 2 ? value - low * 1.12837916709551257390 * __builtin_exp(-high * high) : value) / 2;
}
static inline float normcdf(float x) { return (float)(__builtin_erfc(x * -0.70710678118654752440) / 2); }
static inline float normcdff(float x) { return normcdf(x); }
HAL_WIDE1(normcdf)

// Functions that also take or return integers or pointers.
#define HAL_SCALED(name, integer)                                                                \
  static inline double name(double x, integer e) { return __builtin_##name(x, e); }              \
  static inline float name(float x, integer e) { return __builtin_##name##f(x, e); }             \
  static inline float name##f(float x, integer e) { return __builtin_##name##f(x, e); }          \
  template <class Hal_A> static inline hal_double<Hal_A> name(Hal_A x, integer e) { return name((double)x, e); }
HAL_SCALED(ldexp, int)
HAL_SCALED(scalbn, int)
HAL_SCALED(scalbln, long)
#define HAL_SPLIT(name, whole)                                                                   \
  static inline double name(double x, whole) { return __builtin_##name(x, to); }                 \
  template <class Hal_A> static inline hal_double<Hal_A> name(Hal_A x, whole) { return name((double)x, to); }
HAL_SPLIT(frexp, int* to)
HAL_SPLIT(modf, double* to)
static inline float frexp(float x, int* to) { return __builtin_frexpf(x, to); }
static inline float frexpf(float x, int* to) { return __builtin_frexpf(x, to); }
static inline float modf(float x, float* to) { return __builtin_modff(x, to); }
static inline float modff(float x, float* to) { return __builtin_modff(x, to); }
static inline double remquo(double x, double y, int* to) { return __builtin_remquo(x, y, to); }
static inline float remquo(float x, float y, int* to) { return __builtin_remquof(x, y, to); }
static inline float remquof(float x, float y, int* to) { return __builtin_remquof(x, y, to); }
template <class Hal_A, class Hal_B> static inline hal_double<Hal_A, Hal_B> remquo(Hal_A x, Hal_B y, int* to) {
  return remquo((double)x, (double)y, to);
}
static inline int ilogb(double x) { return __builtin_ilogb(x); }
static inline int ilogbf(float x) { return __builtin_ilogbf(x); }
#define HAL_WHOLE(integer, name, rounded)                                                               \
  static inline integer name(double x) { return hal_whole_of<integer>(__builtin_##rounded(x)); }         \
  static inline integer name##f(float x) { return hal_whole_of<integer>(__builtin_##rounded##f(x)); }
HAL_WHOLE(long, lround, round)
HAL_WHOLE(long, lrint, rint)
HAL_WHOLE(long long, llround, round)
HAL_WHOLE(long long, llrint, rint)
#define HAL_TESTS(name) \
  template <class Hal_A, class = hal_double<Hal_A>> static inline bool name(Hal_A x) { return name((double)x); }
static inline bool signbit(float x) { return __builtin_signbit(x); }
static inline bool signbit(double x) { return __builtin_signbit(x); }
HAL_TESTS(signbit)
static inline float norm3df(float x, float y, float z) { return __builtin_hypotf(__builtin_hypotf(x, y), z); }
static inline double norm3d(double x, double y, double z) { return __builtin_hypot(__builtin_hypot(x, y), z); }
// Neither the sum of the squares nor its root leaves the range of double.
static inline float rhypotf(float x, float y) {
  return __builtin_isinf(x) || __builtin_isinf(y) ? 0 : (float)(1 / __builtin_sqrt((double)x * x + (double)y * y));
}
// A quarter of large lengths, which could overflow.
static inline double rhypot(double x, double y) {
  return __builtin_isinf(x) || __builtin_isinf(y) ? 0 : 0.25 / __builtin_hypot(x / 4, y / 4);
}

// Of a number and NaN, the number; of zeros, the negative one is less. Written out, since compilers call a library for
// theirs, and can vectorize this. Numbers that are equal have the same bits, except for zeros.
#define HAL_EXTREME(type, name, order, integer, both)                                    \
  static inline type name(type x, type y) {                                              \
    const type zero = hal_bits<type>((integer)(hal_bits<integer>(x) both hal_bits<integer>(y))); \
    return x == y ? zero : x order y || y != y ? x : y;                                  \
  }
HAL_EXTREME(float, fminf, <, int, |)
HAL_EXTREME(float, fmaxf, >, int, &)
HAL_EXTREME(float, fmin, <, int, |)
HAL_EXTREME(float, fmax, >, int, &)
HAL_EXTREME(double, fmin, <, long long, |)
HAL_EXTREME(double, fmax, >, long long, &)
HAL_EXTREME(float, min, <, int, |)
HAL_EXTREME(float, max, >, int, &)
HAL_EXTREME(double, min, <, long long, |)
HAL_EXTREME(double, max, >, long long, &)
HAL_WIDE2(fmin)
HAL_WIDE2(fmax)
static inline double min(float x, double y) { return fmin((double)x, y); }
static inline double min(double x, float y) { return fmin(x, (double)y); }
static inline double max(float x, double y) { return fmax((double)x, y); }
static inline double max(double x, float y) { return fmax(x, (double)y); }
static inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HAL_WIDE3(fma)
static inline void sincos(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
static inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
static inline void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
static inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
static inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
static inline bool isnan(float x) { return x != x; }
static inline bool isnan(double x) { return x != x; }
static inline bool isinf(float x) { return __builtin_isinf(x); }
static inline bool isinf(double x) { return __builtin_isinf(x); }
static inline bool isfinite(float x) { return __builtin_isfinite(x); }
static inline bool isfinite(double x) { return __builtin_isfinite(x); }
HAL_TESTS(isnan)
HAL_TESTS(isinf)
HAL_TESTS(isfinite)
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long abs(long x) { return x < 0 ? -x : x; }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
static inline long labs(long x) { return abs(x); }
static inline long long llabs(long long x) { return abs(x); }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
static inline float fdividef(float x, float y) { return x / y; }

// As fast as may be on a GPU; here they are as accurate as the others.
static inline float __expf(float x) { return expf(x); }
static inline float __exp10f(float x) { return exp10f(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __log2f(float x) { return log2f(x); }
static inline float __log10f(float x) { return log10f(x); }
static inline float __sinf(float x) { return sinf(x); }
static inline float __cosf(float x) { return cosf(x); }
static inline float __tanf(float x) { return tanf(x); }
static inline void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
static inline float __powf(float x, float y) { return powf(x, y); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
static inline float __frsqrt_rn(float x) { return (float)(1 / __builtin_sqrt((double)x)); }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fsub_rn(float x, float y) { return x - y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline float __fdiv_rn(float x, float y) { return x / y; }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double __dmul_rn(double x, double y) { return x * y; }

template <class Hal_A, class Hal_B> static inline constexpr auto min(Hal_A a, Hal_B b) -> hal_bare<decltype(a + b)> {
  return a < b ? a : b;
}
template <class Hal_A, class Hal_B> static inline constexpr auto max(Hal_A a, Hal_B b) -> hal_bare<decltype(a + b)> {
  return a > b ? a : b;
}
static inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
static inline long long llmin(long long a, long long b) { return a < b ? a : b; }
static inline long long llmax(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

static inline int __float_as_int(float x) { return hal_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return hal_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return hal_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return hal_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return hal_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return hal_bits<double>(x); }
#define HAL_TO_INT(type, name)                                                                \
  static inline int __##name##2int_rn(type x) { return hal_whole_of<int>(rint(x)); }       \
  static inline int __##name##2int_rz(type x) { return hal_whole_of<int>(x); }                       \
  static inline int __##name##2int_rd(type x) { return hal_whole_of<int>(floor(x)); }      \
  static inline int __##name##2int_ru(type x) { return hal_whole_of<int>(ceil(x)); }       \
  static inline unsigned __##name##2uint_rn(type x) { return hal_whole_of<unsigned>(rint(x)); }  \
  static inline unsigned __##name##2uint_rz(type x) { return hal_whole_of<unsigned>(x); }                  \
  static inline unsigned __##name##2uint_rd(type x) { return hal_whole_of<unsigned>(floor(x)); } \
  static inline unsigned __##name##2uint_ru(type x) { return hal_whole_of<unsigned>(ceil(x)); }
HAL_TO_INT(float, float)
HAL_TO_INT(double, double)
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
static inline int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
static inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xFFFFFF) * (y & 0xFFFFFF); }
static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)((unsigned long long)x * y >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
#ifdef __SIZEOF_INT128__
  return (unsigned long long)((unsigned __int128)x * y >> 64);
#else
  const unsigned long long a = x >> 32, b = (unsigned)x, c = y >> 32, d = (unsigned)y;
  const unsigned long long middle = a * d + (b * d >> 32), other = b * c + (unsigned)middle;
  return a * c + (middle >> 32) + (other >> 32);
#endif
}
static inline long long __mul64hi(long long x, long long y) {
  const unsigned long long high = __umul64hi((unsigned long long)x, (unsigned long long)y);
  return (long long)(high - (x < 0 ? (unsigned long long)y : 0) - (y < 0 ? (unsigned long long)x : 0));
}
static inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selectors) {
  unsigned long long bytes = (unsigned long long)high << 32 | low;
  unsigned chosen = 0;
  for (int i = 0; i < 4; i++) {
    unsigned selector = selectors >> 4 * i & 7;  // the fourth bit is ignored
    unsigned byte = bytes >> 8 * selector & 0xFF;
    chosen |= byte << 8 * i;
  }
  return chosen;
}
static inline unsigned __sad(int x, int y, unsigned z) { return (unsigned)(x < y ? y - x : x - y) + z; }
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  shift &= 31;
  return shift ? high << shift | low >> (32 - shift) : high;
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  shift &= 31;
  return shift ? high << (32 - shift) | low >> shift : low;
}

// Hints about caches.
template <class Hal_T> static inline Hal_T __ldg(const Hal_T* at) { return *at; }
template <class Hal_T> static inline Hal_T __ldcs(const Hal_T* at) { return *at; }
template <class Hal_T> static inline Hal_T __ldca(const Hal_T* at) { return *at; }
template <class Hal_T> static inline Hal_T __ldcg(const Hal_T* at) { return *at; }
template <class Hal_T> static inline Hal_T __ldlu(const Hal_T* at) { return *at; }
template <class Hal_T> static inline Hal_T __ldcv(const Hal_T* at) { return *at; }
template <class Hal_T> static inline void __stcs(Hal_T* at, typename hal_same<Hal_T>::type value) { *at = value; }
template <class Hal_T> static inline void __stcg(Hal_T* at, typename hal_same<Hal_T>::type value) { *at = value; }
template <class Hal_T> static inline void __stwb(Hal_T* at, typename hal_same<Hal_T>::type value) { *at = value; }
template <class Hal_T> static inline void __stwt(Hal_T* at, typename hal_same<Hal_T>::type value) { *at = value; }
#endif
