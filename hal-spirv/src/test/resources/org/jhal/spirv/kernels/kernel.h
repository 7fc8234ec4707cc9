// SPDX-License-Identifier: Apache-2.0
// What the kernels of these tests need of the dialect.
#define __global__ extern "C" __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __noinline__ __attribute__((noinline))
extern "C" {
__device__ __attribute__((const)) unsigned hal_local_id(unsigned);
__device__ __attribute__((const)) unsigned hal_group_id(unsigned);
__device__ __attribute__((const)) unsigned hal_group_size(unsigned);
__device__ __attribute__((const)) unsigned hal_grid_size(unsigned);
__device__ __attribute__((convergent)) void hal_barrier();
__device__ __attribute__((convergent)) void hal_warp_barrier(unsigned);
__device__ __attribute__((convergent)) unsigned hal_shuffle(unsigned, unsigned, unsigned);
__device__ __attribute__((convergent)) unsigned hal_ballot(unsigned, unsigned);
__device__ __attribute__((convergent)) unsigned hal_active();
__device__ unsigned hal_compare_exchange_32(void*, unsigned, unsigned);
__device__ unsigned long long hal_compare_exchange_64(void*, unsigned long long, unsigned long long);
__device__ void hal_fence();
__device__ void hal_group_fence();
__device__ __attribute__((noreturn)) void hal_trap();
}
static __device__ inline unsigned item() { return hal_group_id(0) * hal_group_size(0) + hal_local_id(0); }
