// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"
extern "C" __device__ __attribute__((used, noinline)) float hal_divide_f32(float x, float y) { return (float)((double)x / y); }
extern "C" __device__ __attribute__((used, noinline)) float hal_remainder_f32(float x, float y) { return x - y * __builtin_truncf(x / y); }
__global__ void atomics(unsigned* x, int* y, unsigned long long* z, float* f) {
  __shared__ unsigned counts[4];
  if (hal_local_id(0) < 4) counts[hal_local_id(0)] = 0;
  hal_barrier();
  __scoped_atomic_fetch_add(&counts[x[0] & 3], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  __scoped_atomic_fetch_max(y, -3, __ATOMIC_SEQ_CST, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_min(y + 1, 3, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_and(x, 0xFFu, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_or(z, 0x100000000ull, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_exchange_n(y + 2, 5, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_store_n(y + 3, 6, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
  x[1] = __scoped_atomic_load_n(x + 2, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
  unsigned seen = *(volatile unsigned*)f;
  for (;;) {
    const unsigned found = hal_compare_exchange_32(f, seen, __builtin_bit_cast(unsigned, __builtin_bit_cast(float, seen) + 1.5f));
    if (found == seen) break;
    seen = found;
  }
  hal_compare_exchange_64(z + 1, 3, 4);
  hal_barrier();
  x[4 + hal_local_id(0) % 4] = counts[hal_local_id(0) % 4];
}
__global__ void warps(const unsigned* x, unsigned* y) {
  unsigned value = x[item()];
  for (unsigned by = 16; by > 0; by /= 2) value += hal_shuffle(value, (hal_local_id(0) + by) & 31, ~0u);
  y[item()] = value ^ hal_ballot(value & 1, ~0u) ^ hal_active();
  hal_warp_barrier(~0u);
}
__global__ void numbers(const float* x, double* y, long long* z, unsigned long long* w) {
  const float v = x[0];
  y[0] = __builtin_floorf(v) + __builtin_ceilf(v) + __builtin_truncf(v) + __builtin_rintf(v) + __builtin_fabsf(v);
  y[1] = v / x[1] + __builtin_copysignf(v, x[1]) + (v - x[2]) * x[3] + x[4] + (-v);
  z[0] = (int)v + (long long)x[1] + (unsigned char)x[2] + (short)x[3];
  w[0] = (unsigned)v + (unsigned long long)x[1];
  z[1] = __builtin_clz((unsigned)z[2]) + __builtin_ctzll(w[1]) + __builtin_popcountll(w[2]) + __builtin_bitreverse32((unsigned)w[3]);
  z[3] = z[4] < z[5] ? z[4] : z[5] > 0 ? z[5] : -z[4];
  w[4] = w[5] / 7 + w[6] % w[7] + (w[5] >> 3) + (unsigned long long)(z[6] >> 5) + (unsigned long long)(z[7] / 3);
}
__global__ void fails(const int* x) {
  hal_group_fence();
  if (x[item()] < 0) hal_trap();
  hal_fence();
}
typedef long pair __attribute__((ext_vector_type(2)));
typedef double real_pair __attribute__((ext_vector_type(2)));
__global__ void vectors(pair* x, const real_pair* y) {
  x[0] = x[1] < (pair){7, -7};
  x[2] = (x[3] >= x[4]) + __builtin_elementwise_max(x[5], x[6]) + __builtin_elementwise_abs(x[7]);
  x[8] = __builtin_elementwise_add_sat(x[9], x[10]) + __builtin_elementwise_sub_sat(x[11], x[12]);
  x[13] = __builtin_bit_cast(pair, y[0]) < (pair)0;
}
