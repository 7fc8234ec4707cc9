// SPDX-License-Identifier: Apache-2.0
// Types that the host's compiler lacks and those of GPUs have.
#ifndef HAL_TYPES_H
#define HAL_TYPES_H
#define HAL_HOST 1
#include "hal_compiler.h"
#include "hal_macros.h"

#define __constant__
#define __host__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __inline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ __restrict

typedef unsigned long size_t;
typedef long ptrdiff_t;
#include "hal_integers.h"

#define HAL_VECTORS(scalar, name, two, four)                                                         \
  struct name##1 {                                                                                   \
    scalar x;                                                                                        \
  };                                                                                                 \
  struct __align__(two) name##2 {                                                                    \
    scalar x, y;                                                                                     \
  };                                                                                                 \
  struct name##3 {                                                                                   \
    scalar x, y, z;                                                                                  \
  };                                                                                                 \
  struct __align__(four) name##4 {                                                                   \
    scalar x, y, z, w;                                                                               \
  };                                                                                                 \
  static inline name##1 make_##name##1(scalar x) { return {x}; }                                     \
  static inline name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                        \
  static inline name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; }           \
  static inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }
HAL_VECTORS(signed char, char, 2, 4)
HAL_VECTORS(unsigned char, uchar, 2, 4)
HAL_VECTORS(short, short, 4, 8)
HAL_VECTORS(unsigned short, ushort, 4, 8)
HAL_VECTORS(int, int, 8, 16)
HAL_VECTORS(unsigned int, uint, 8, 16)
HAL_VECTORS(long, long, 16, 16)
HAL_VECTORS(unsigned long, ulong, 16, 16)
HAL_VECTORS(long long, longlong, 16, 16)
HAL_VECTORS(unsigned long long, ulonglong, 16, 16)
HAL_VECTORS(float, float, 8, 16)
HAL_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

template <class Hal_T> struct hal_same { typedef Hal_T type; };
template <class Hal_T> struct hal_bare_of { typedef Hal_T type; };
template <class Hal_T> struct hal_bare_of<const Hal_T> { typedef Hal_T type; };
template <class Hal_T> struct hal_bare_of<volatile Hal_T> { typedef Hal_T type; };
template <class Hal_T> struct hal_bare_of<Hal_T&> : hal_bare_of<Hal_T> {};
template <class Hal_T> struct hal_bare_of<Hal_T&&> : hal_bare_of<Hal_T> {};
template <class Hal_T> using hal_bare = typename hal_bare_of<Hal_T>::type;

// What CUDA's functions of a warp take for a value: they have overloads for int and larger numbers, but not for smaller ones
// and enumerations. Those of groups are templates, and take values as they are.
template <class Hal_T> struct hal_promoted_of {
  template <class Hal_U, bool is_class> struct number { typedef Hal_U type; };
  template <class Hal_U> struct number<Hal_U, false> {
    template <class Hal_V> static decltype(+Hal_V()) of(int);
    template <class Hal_V> static Hal_V of(long);
    typedef decltype(of<Hal_U>(0)) type;
  };
  typedef typename number<Hal_T, __is_class(Hal_T) || __is_union(Hal_T)>::type type;
};
template <class Hal_T> using hal_promoted = typename hal_promoted_of<hal_bare<Hal_T>>::type;
// The same for those that combine bits, which exist for unsigned alone.
template <class Hal_T> struct hal_promoted_bits_of { typedef Hal_T type; };
template <> struct hal_promoted_bits_of<int> { typedef unsigned type; };
template <class Hal_T> using hal_promoted_bits = typename hal_promoted_bits_of<hal_promoted<Hal_T>>::type;

template <class To, class From> static inline To hal_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

extern "C" {
void* memcpy(void* to, const void* from, size_t count) noexcept;
void* memset(void* to, int value, size_t count) noexcept;
void* malloc(size_t size) noexcept;
void free(void* at) noexcept;
}
#endif
