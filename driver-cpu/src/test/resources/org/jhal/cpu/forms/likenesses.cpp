// SPDX-License-Identifier: Apache-2.0
// Functions, methods and classes of a source that are named like those of the dialect, and mean something else. Each kernel
// is a source of its own, since a name makes all kernels of a source slower. All items write 1 if they see what they must.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
#define ITEM (int)threadIdx.x
#define WRITE(condition) out[AT] = (condition) ? 1 : 0
#define BLOCK cg::this_thread_block()
#define TILE(size) cg::tiled_partition<size>(cg::this_thread_block())

//@ own_method_like_a_shuffle 1
struct Perm { int k; __device__ unsigned size() const { return 4; } __device__ int shfl(int v, int s) const { return v * k + s; } };
KERNEL(own_method_like_a_shuffle) { auto tile = TILE(32); Perm p{3}; int x = p.shfl(ITEM, 2) + tile.shfl_xor(ITEM, 1); WRITE(x == ITEM * 3 + 2 + (ITEM ^ 1)); }

//@ own_method_like_a_reduction 1
struct Values { int a[4]; __device__ unsigned size() const { return 4; } };
struct Sum { __device__ int reduce(const Values& v, int x, int (*f)(int, int)) const { for (int k = 0; k < 4; k++) x = f(x, v.a[k]); return x; } };
__device__ int added(int a, int b) { return a + b; }
KERNEL(own_method_like_a_reduction) { auto tile = TILE(32); Values v{{ITEM, 1, 2, 3}}; Sum sum; int x = sum.reduce(v, 5, added) + tile.shfl_xor(ITEM, 1); WRITE(x == ITEM + 11 + (ITEM ^ 1)); }

//@ own_method_like_a_reduction_of_a_tile 1
struct Sum { template <class G, class F> __device__ int reduce(const G&, int x, F f) const { return f(x, 1000); } };
KERNEL(own_method_like_a_reduction_of_a_tile) { auto tile = TILE(32); Sum sum; int x = sum.reduce(tile, ITEM, cg::plus<int>()) + tile.shfl_xor(ITEM, 1); WRITE(x == ITEM + 1000 + (ITEM ^ 1)); }

//@ own_static_method_like_a_reduction_of_a_tile 1
struct Sum { template <class G, class F> static __device__ int reduce(const G&, int x, F f) { return f(x, 1000); } };
KERNEL(own_static_method_like_a_reduction_of_a_tile) { auto tile = TILE(32); int x = Sum::reduce(tile, ITEM, cg::plus<int>()) + tile.shfl_xor(ITEM, 1); WRITE(x == ITEM + 1000 + (ITEM ^ 1)); }

//@ own_method_like_a_vote 1
struct Bits { unsigned hal_mask; __device__ unsigned ballot(int k) { hal_mask += k; return hal_mask; } __device__ int any(int k) { return (int)hal_mask * k; } };
KERNEL(own_method_like_a_vote) { auto tile = TILE(32); Bits b{(unsigned)ITEM}; int x = b.ballot(3) + tile.shfl_xor(ITEM, 1), y = b.any(2); WRITE(x == ITEM + 3 + (ITEM ^ 1) && y == 2 * ITEM + 6); }

//@ tile_with_a_shuffle_of_its_own 1
struct Mine : cg::thread_block_tile<32> { __device__ Mine(const cg::thread_block_tile<32>& t) : cg::thread_block_tile<32>(t) {} __device__ int shfl(int v, int k) const { return v * k; } };
KERNEL(tile_with_a_shuffle_of_its_own) { Mine m(TILE(32)); int x = m.shfl(ITEM, 3) + m.shfl_xor(ITEM, 1); WRITE(x == ITEM * 3 + (ITEM ^ 1)); }

//@ block_with_a_barrier_of_its_own 1
struct Mine : cg::thread_block { int n; __device__ Mine() : cg::thread_block(cg::this_thread_block()), n(0) {} __device__ void sync() { n += 5; } };
KERNEL(block_with_a_barrier_of_its_own) { auto block = BLOCK; Mine m; block.sync(); m.sync(); WRITE(m.n == 5); }

//@ own_static_method_like_a_barrier 1
struct Count { static __device__ void sync(int& n) { n += 5; } template <class G> static __device__ void sync(const G&) {} };
KERNEL(own_static_method_like_a_barrier) { auto block = BLOCK; int n = ITEM; block.sync(); Count::sync(n); WRITE(n == ITEM + 5); }

//@ own_static_method_like_a_barrier_of_a_block 1
__shared__ int counted;
struct Count { template <class G> static __device__ void sync(const G&) { atomicAdd(&counted, 5); } };
KERNEL(own_static_method_like_a_barrier_of_a_block) { auto block = BLOCK; if (ITEM == 0) counted = 0; block.sync(); Count::sync(block); block.sync(); WRITE(counted == 320); }

//@ own_function_like_a_shuffle 1
namespace mine { template <class T> __device__ T __shfl_sync(unsigned, T v, int k) { return v * k; } }
KERNEL(own_function_like_a_shuffle) { int x = mine::__shfl_sync(~0u, ITEM, 3) + __shfl_xor_sync(~0u, ITEM, 1); WRITE(x == ITEM * 3 + (ITEM ^ 1)); }

//@ own_overload_of_a_shuffle 1
struct Two { int a, b; };
__device__ Two __shfl_xor_sync(unsigned m, Two v, int k) { return {::__shfl_xor_sync(m, v.a, k), ::__shfl_xor_sync(m, v.b, 2 * k)}; }
KERNEL(own_overload_of_a_shuffle) { Two v{ITEM, ITEM + 100}; Two x = __shfl_xor_sync(~0u, v, 1); WRITE(x.a == (ITEM ^ 1) && x.b == (ITEM ^ 2) + 100); }

//@ shuffle_of_the_global_namespace 1
KERNEL(shuffle_of_the_global_namespace) { int x = -::__shfl_xor_sync(~0u, ITEM, 1); WRITE(x == -(ITEM ^ 1)); }

//@ own_class_like_a_block 1
struct thread_block { int n; __device__ int next() { return ++n; } };
KERNEL(own_class_like_a_block) { __shared__ int s[64]; thread_block b = thread_block{ITEM}; s[ITEM] = b.next(); __syncthreads(); int x = b.next(), y = s[63 - ITEM]; __syncthreads(); WRITE(x == ITEM + 2 && y == 64 - ITEM && b.n == ITEM + 2); }

//@ own_class_like_a_tile 1
template <int N> struct thread_block_tile { int n; __device__ thread_block_tile(int n) : n(n) {} __device__ int next() { return n += N; } };
KERNEL(own_class_like_a_tile) { __shared__ int s[64]; thread_block_tile<2> b = 0; s[ITEM] = b.next(); __syncthreads(); int x = b.next(), y = s[63 - ITEM]; __syncthreads(); WRITE(x == 4 && y == 2); }

//@ lane_that_an_own_max_has 1
__device__ int max(const int* s, int n) { return s[0] + n; }
KERNEL(lane_that_an_own_max_has) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 3;
  __syncthreads();
  int v = __shfl_sync(~0u, t, max(s + (t & 32), 1));
  s[t & 32] = 9;
  WRITE(v == (t & 32) + 4); }
