// SPDX-License-Identifier: Apache-2.0
// What compilers of GPUs have built in, as far as the headers need it.
#define __device__ __attribute__((unused))
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
unsigned __float_as_uint(float x);
float __uint_as_float(unsigned bits);
float __int_as_float(int bits);
float fmaf(float x, float y, float z);
float fabsf(float x);
float expf(float x);
float logf(float x);
float sqrtf(float x);
float rsqrtf(float x);
