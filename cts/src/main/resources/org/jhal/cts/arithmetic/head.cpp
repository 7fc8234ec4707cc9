// SPDX-License-Identifier: Apache-2.0
// The beginning of kernels that compute functions: FunctionRun repeats that of the kernel, with a number behind its name, and adds an
// assignment for each function, and the closing brace.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>
typedef unsigned long long hal_bits_t;
static __device__ hal_bits_t bits_of(bool v) { return v; }
static __device__ hal_bits_t bits_of(int v) { return (unsigned)v; }
static __device__ hal_bits_t bits_of(unsigned v) { return v; }
static __device__ hal_bits_t bits_of(short v) { return (unsigned)(int)v; }
static __device__ hal_bits_t bits_of(unsigned short v) { return v; }
static __device__ hal_bits_t bits_of(long long v) { return (hal_bits_t)v; }
static __device__ hal_bits_t bits_of(hal_bits_t v) { return v; }
static __device__ hal_bits_t bits_of(float v) { return (unsigned)__float_as_int(v); }
static __device__ hal_bits_t bits_of(double v) { return (hal_bits_t)__double_as_longlong(v); }
static __device__ hal_bits_t bits_of(__half v) { return __half_as_ushort(v); }
static __device__ hal_bits_t bits_of(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }
static __device__ __half lane(unsigned at, __half2 v) { return at % 2 ? __high2half(v) : __low2half(v); }
static __device__ __nv_bfloat16 lane(unsigned at, __nv_bfloat162 v) { return at % 2 ? __high2bfloat16(v) : __low2bfloat16(v); }
static __device__ float lane(unsigned at, float2 v) { return at % 2 ? v.y : v.x; }
static __device__ __half half_of(unsigned bits) { return __ushort_as_half((unsigned short)bits); }
static __device__ __nv_bfloat16 bfloat_of(unsigned bits) { return __ushort_as_bfloat16((unsigned short)bits); }
static __device__ __half2 halves_of(unsigned bits) { return __halves2half2(half_of(bits), half_of(bits >> 16)); }
static __device__ __nv_bfloat162 bfloats_of(unsigned bits) { return __halves2bfloat162(bfloat_of(bits), bfloat_of(bits >> 16)); }

extern "C" __global__ void compute(unsigned n, const unsigned* as, const unsigned* bs, const unsigned* cs,
    const hal_bits_t* ps, const hal_bits_t* qs, hal_bits_t* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const unsigned u = as[at], v = bs[at], w = cs[at];
  const int i = (int)u, j = (int)v, k = (int)w;
  const float x = __int_as_float(i), y = __int_as_float(j), z = __int_as_float(k);
  const hal_bits_t p = ps[at], q = qs[at];
  const long long l = (long long)p, m = (long long)q;
  const double d = __longlong_as_double(l), e = __longlong_as_double(m);
  const __half h = half_of(u), g = half_of(v), f = half_of(w);
  const __nv_bfloat16 r = bfloat_of(u), s = bfloat_of(v), t = bfloat_of(w);
  const __half2 H = halves_of(u), G = halves_of(v), F = halves_of(w);
  const __nv_bfloat162 R = bfloats_of(u), S = bfloats_of(v), T = bfloats_of(w);
