// SPDX-License-Identifier: Apache-2.0
// What compilers of GPUs have built in, as far as the headers need it.
#define __device__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define asm(...) (void)0 // the instructions of a GPU
typedef unsigned long size_t;
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct __align__(8) float2 {
  float x, y;
};
float2 make_float2(float x, float y);
typedef long ptrdiff_t;
#define __host__
unsigned __float_as_uint(float x);
float __uint_as_float(unsigned bits);
float __int_as_float(int bits);
long long __double_as_longlong(double x);
double __longlong_as_double(long long bits);
#define REAL1(name)     \
  double name(double x); \
  float name(float x);   \
  float name##f(float x);
#define REAL2(name)               \
  double name(double x, double y); \
  float name(float x, float y);    \
  float name##f(float x, float y);
#define WHOLE(whole, name)  \
  whole name(double x);      \
  whole name(float x);
REAL1(acos) REAL1(acosh) REAL1(asin) REAL1(asinh) REAL1(atan) REAL1(atanh) REAL1(cbrt) REAL1(ceil) REAL1(cos)
REAL1(cosh) REAL1(erf) REAL1(erfc) REAL1(exp) REAL1(exp10) REAL1(exp2) REAL1(expm1) REAL1(fabs) REAL1(floor)
REAL1(lgamma) REAL1(log) REAL1(log10) REAL1(log1p) REAL1(log2) REAL1(logb) REAL1(nearbyint) REAL1(rint) REAL1(round)
REAL1(rsqrt) REAL1(sin) REAL1(sinh) REAL1(sqrt) REAL1(tan) REAL1(tanh) REAL1(tgamma) REAL1(trunc)
REAL2(atan2) REAL2(copysign) REAL2(fdim) REAL2(fmax) REAL2(fmin) REAL2(fmod) REAL2(hypot) REAL2(nextafter) REAL2(pow)
REAL2(remainder)
WHOLE(bool, isfinite) WHOLE(bool, isinf) WHOLE(bool, isnan) WHOLE(bool, signbit)
WHOLE(int, ilogb) WHOLE(long, lrint) WHOLE(long, lround) WHOLE(long long, llrint) WHOLE(long long, llround)
int abs(int x);
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
double frexp(double x, int* exponent);
double ldexp(double x, int exponent);
double modf(double x, double* whole);
double remquo(double x, double y, int* quotient);
double scalbln(double x, long exponent);
double scalbn(double x, int exponent);
#define CONVERSIONS(end)                           \
  int __float2int_##end(float x);                  \
  unsigned __float2uint_##end(float x);            \
  long long __float2ll_##end(float x);             \
  unsigned long long __float2ull_##end(float x);
CONVERSIONS(rn) CONVERSIONS(rz) CONVERSIONS(ru) CONVERSIONS(rd)
#define LOADS(name) \
  unsigned short name(const unsigned short* at); \
  unsigned name(const unsigned* at);
LOADS(__ldg) LOADS(__ldcs) LOADS(__ldca) LOADS(__ldcg) LOADS(__ldlu) LOADS(__ldcv)
#define STORES(name) \
  void name(unsigned short* at, unsigned short x); \
  void name(unsigned* at, unsigned x);
STORES(__stcs) STORES(__stcg) STORES(__stwb) STORES(__stwt)
unsigned __shfl_sync(unsigned mask, unsigned x, int from, int width);
unsigned __shfl_up_sync(unsigned mask, unsigned x, unsigned by, int width);
unsigned __shfl_down_sync(unsigned mask, unsigned x, unsigned by, int width);
unsigned __shfl_xor_sync(unsigned mask, unsigned x, int with, int width);
unsigned atomicCAS(unsigned* at, unsigned expected, unsigned value);
extern "C" void* memcpy(void* to, const void* from, size_t count);
extern "C" void* memset(void* to, int value, size_t count);
