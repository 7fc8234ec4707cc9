// The language of GPU kernels for the host's C++ compiler. The compiler of the simulator puts this in
// front of a kernel's source, and replaces the markers __gpusim_global__ and __gpusim_shared__.
#pragma GCC diagnostic ignored "-Wattributes"
#include "gpusim_kernel.h"

#ifndef GPUSIM_WARP_SIZE
#define GPUSIM_WARP_SIZE 32
#endif
#ifdef GPUSIM_ARCHITECTURE
extern "C" {
extern const char gpusim_architecture[] __attribute__((visibility("default")));
const char gpusim_architecture[] = GPUSIM_ARCHITECTURE;
}
#endif

#ifdef GPUSIM_TOOLKIT
#ifndef GPUSIM_TEXT
#define GPUSIM_TEXT 0
#endif
extern "C" {
extern const int gpusim_toolkit __attribute__((visibility("default")));
const int gpusim_toolkit = GPUSIM_TOOLKIT;
extern const int gpusim_text __attribute__((visibility("default")));
const int gpusim_text = GPUSIM_TEXT;
}
#endif

#define __global__ __gpusim_global__
#define __shared__ __gpusim_shared__
#define __device__ __attribute__((visibility("default")))
#define __constant__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ __restrict

typedef unsigned long size_t;

struct dim3 {
  unsigned x, y, z;
};
#define GPUSIM_VECTORS(scalar, name)                                                              \
  struct __align__(sizeof(scalar) * 2) name##2 {                                                  \
    scalar x, y;                                                                                  \
  };                                                                                              \
  struct name##3 {                                                                                \
    scalar x, y, z;                                                                               \
  };                                                                                              \
  struct __align__(sizeof(scalar) * 4) name##4 {                                                  \
    scalar x, y, z, w;                                                                            \
  };                                                                                              \
  static inline name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                     \
  static inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }
GPUSIM_VECTORS(signed char, char)
GPUSIM_VECTORS(unsigned char, uchar)
GPUSIM_VECTORS(short, short)
GPUSIM_VECTORS(unsigned short, ushort)
GPUSIM_VECTORS(long long, longlong)
GPUSIM_VECTORS(unsigned long long, ulonglong)
GPUSIM_VECTORS(int, int)
GPUSIM_VECTORS(unsigned, uint)
GPUSIM_VECTORS(float, float)
GPUSIM_VECTORS(double, double)

// The GPU thread that the calling one is at the moment.
static thread_local gpusim_thread* gpusim_self;

#define threadIdx (gpusim_self->thread)
#define blockIdx (gpusim_self->block)
#define blockDim (gpusim_self->block_dim)
#define gridDim (gpusim_self->grid_dim)
static const int warpSize = GPUSIM_WARP_SIZE;

static inline void __syncthreads() {
  gpusim_thread* self = gpusim_self;
  self->sync(self);
  gpusim_self = self;
}
static inline void __trap() { gpusim_self->trap(gpusim_self, 719); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// ---- atomics ----

template <class T> struct gpusim_same { typedef T type; };
template <class T> static inline T gpusim_load(T* at) {
  T value;
  __atomic_load(at, &value, __ATOMIC_RELAXED);
  return value;
}
template <class T, class F> static inline T gpusim_update(T* at, F change) {
  T seen = gpusim_load(at);
  T wanted = change(seen);
  while (!__atomic_compare_exchange(at, &seen, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    wanted = change(seen);
  }
  return seen;
}
#define GPUSIM_ATOMIC(name, expression)                                                            \
  template <class T> static inline T name(T* at, typename gpusim_same<T>::type value) {            \
    return gpusim_update(at, [=](T seen) -> T { return (expression); });                           \
  }                                                                                                \
  template <class T> static inline T name##_system(T* at, typename gpusim_same<T>::type value) {   \
    return name(at, value);                                                                        \
  }                                                                                                \
  template <class T> static inline T name##_block(T* at, typename gpusim_same<T>::type value) {    \
    return name(at, value);                                                                        \
  }
GPUSIM_ATOMIC(atomicAdd, seen + value)
GPUSIM_ATOMIC(atomicSub, seen - value)
GPUSIM_ATOMIC(atomicMin, seen < value ? seen : value)
GPUSIM_ATOMIC(atomicMax, seen > value ? seen : value)
GPUSIM_ATOMIC(atomicAnd, (T)(seen & value))
GPUSIM_ATOMIC(atomicOr, (T)(seen | value))
GPUSIM_ATOMIC(atomicXor, (T)(seen ^ value))
GPUSIM_ATOMIC(atomicExch, ((void)seen, value))
GPUSIM_ATOMIC(atomicInc, seen >= value ? 0 : seen + 1)
GPUSIM_ATOMIC(atomicDec, seen == 0 || seen > value ? value : seen - 1)
template <class T>
static inline T atomicCAS(T* at, typename gpusim_same<T>::type expected, typename gpusim_same<T>::type value) {
  return gpusim_update(at, [=](T seen) -> T { return seen == expected ? value : seen; });
}

// ---- arithmetic ----

#define GPUSIM_MATH1(name)                                                    \
  static inline double name(double x) { return __builtin_##name(x); }         \
  static inline float name(float x) { return __builtin_##name##f(x); }        \
  static inline float name##f(float x) { return __builtin_##name##f(x); }
#define GPUSIM_MATH2(name)                                                                 \
  static inline double name(double x, double y) { return __builtin_##name(x, y); }         \
  static inline float name(float x, float y) { return __builtin_##name##f(x, y); }         \
  static inline float name##f(float x, float y) { return __builtin_##name##f(x, y); }
GPUSIM_MATH1(fabs)
GPUSIM_MATH1(sqrt)
GPUSIM_MATH1(exp)
GPUSIM_MATH1(exp2)
GPUSIM_MATH1(log)
GPUSIM_MATH1(log2)
GPUSIM_MATH1(sin)
GPUSIM_MATH1(cos)
GPUSIM_MATH1(tanh)
GPUSIM_MATH1(floor)
GPUSIM_MATH1(ceil)
GPUSIM_MATH1(trunc)
GPUSIM_MATH1(rint)
GPUSIM_MATH1(round)
GPUSIM_MATH2(pow)
GPUSIM_MATH2(fmin)
GPUSIM_MATH2(fmax)
GPUSIM_MATH2(fmod)
static inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline float __expf(float x) { return __builtin_expf(x); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
static inline float abs(float x) { return __builtin_fabsf(x); }

template <class A, class B> static inline auto min(A a, B b) -> decltype(a + b) { return a < b ? a : b; }
template <class A, class B> static inline auto max(A a, B b) -> decltype(a + b) { return a > b ? a : b; }

template <class To, class From> static inline To gpusim_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
static inline int __float_as_int(float x) { return gpusim_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return gpusim_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return gpusim_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return gpusim_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return gpusim_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return gpusim_bits<double>(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }

// ---- what the simulator is told of a kernel ----

template <class T> struct gpusim_is_pointer { static const unsigned value = 0; };
template <class T> struct gpusim_is_pointer<T*> { static const unsigned value = 1; };

template <class F> struct gpusim_table;
template <class... A> struct gpusim_table<void (*)(A...)> {
  unsigned count;
  gpusim_arg arg[sizeof...(A) + 1];
  constexpr gpusim_table() : count(sizeof...(A)), arg() {
    const unsigned sizes[] = {unsigned(sizeof(A))..., 0};
    const unsigned alignments[] = {unsigned(alignof(A))..., 1};
    const unsigned pointers[] = {gpusim_is_pointer<A>::value..., 0};
    unsigned offset = 0;
    for (unsigned i = 0; i <= count; i++) {
      offset = (offset + alignments[i] - 1) / alignments[i] * alignments[i];
      arg[i].offset = offset;
      arg[i].size = sizes[i];
      arg[i].pointer = pointers[i];
      offset += sizes[i];
    }
  }
};

template <unsigned... I> struct gpusim_indices {};
template <unsigned N, unsigned... I> struct gpusim_count : gpusim_count<N - 1, N - 1, I...> {};
template <unsigned... I> struct gpusim_count<0, I...> { typedef gpusim_indices<I...> type; };

template <class... A, unsigned... I>
static inline void gpusim_spread(void (*kernel)(A...), void** arguments, gpusim_indices<I...>) {
  (void)arguments;
  kernel(*(A*)arguments[I]...);
}
template <class... A> static inline void gpusim_call(void (*kernel)(A...), void** arguments) {
  gpusim_spread(kernel, arguments, typename gpusim_count<sizeof...(A)>::type());
}
