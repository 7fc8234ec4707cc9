// SPDX-License-Identifier: Apache-2.0
// Cooperative groups that a kernel reaches in other ways than by their names. As in proofs.cpp, each kernel is a part of its own;
// all items write 1 if they see what they must.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
#define ITEM (int)threadIdx.x
#define WRITE(condition) out[AT] = (condition) ? 1 : 0

//@ pointer_to_a_block 1
KERNEL(pointer_to_a_block) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block* at = &block;
  s[ITEM] = ITEM;
  at->sync();
  WRITE(s[63 - ITEM] == 63 - ITEM); }

//@ block_behind_a_star 1
KERNEL(block_behind_a_star) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  auto* at = &block;
  s[ITEM] = ITEM;
  (*at).sync();
  WRITE(s[63 - ITEM] == 63 - ITEM); }

//@ pointer_to_a_block_for_a_function 1
__device__ int other(cg::thread_block* at, int* s) { s[ITEM] = ITEM; at->sync(); return s[63 - ITEM]; }
KERNEL(pointer_to_a_block_for_a_function) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  WRITE(other(&block, s) == 63 - ITEM); }

//@ function_of_a_block_behind_a_star 1
KERNEL(function_of_a_block_behind_a_star) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block* at = &block;
  s[ITEM] = ITEM;
  cg::sync(*at);
  WRITE(s[63 - ITEM] == 63 - ITEM); }

//@ block_of_an_object 1
struct Groups { cg::thread_block block; };
KERNEL(block_of_an_object) {
  __shared__ int s[64];
  Groups groups = {cg::this_thread_block()}, *at = &groups;
  s[ITEM] = ITEM;
  groups.block.sync();
  int first = s[63 - ITEM];
  at->block.sync();
  s[ITEM] = first;
  at->block.sync();
  WRITE(first == 63 - ITEM && s[63 - ITEM] == ITEM); }

//@ block_in_parentheses 1
KERNEL(block_in_parentheses) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  s[ITEM] = ITEM;
  (block).sync();
  int first = s[63 - ITEM];
  cg::this_thread_block().sync();
  s[ITEM] = first + 1;
  (&block)->sync();
  WRITE(first == 63 - ITEM && s[63 - ITEM] == ITEM + 1); }

//@ block_of_an_array 1
KERNEL(block_of_an_array) {
  __shared__ int s[64];
  cg::thread_block blocks[1] = {cg::this_thread_block()};
  s[ITEM] = ITEM;
  blocks[0].sync();
  int first = s[63 - ITEM];
  blocks->sync();
  s[ITEM] = first + 1;
  blocks->sync();
  WRITE(first == 63 - ITEM && s[63 - ITEM] == ITEM + 1); }

//@ pointer_to_a_tile 1
KERNEL(pointer_to_a_tile) {
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  auto* at = &tile;
  int other = at->shfl_xor(ITEM, 1), first = at->shfl(ITEM, 0), last = (*at).shfl_down(ITEM, 1);
  bool is_any = at->any(ITEM % 16 == 3), are_all = at->all(ITEM % 16 < 15);
  unsigned odd = at->ballot(ITEM % 2);
  at->sync();
  WRITE(other == (ITEM ^ 1) && first == ITEM / 16 * 16 && (ITEM % 16 == 15 || last == ITEM + 1) && is_any && !are_all && odd == 0xaaaa); }

//@ reduce_of_a_pointer_to_a_tile 1
KERNEL(reduce_of_a_pointer_to_a_tile) {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  cg::thread_block_tile<32>* at = &tile;
  at->sync();
  WRITE(at->meta_group_rank() == ITEM / 32 && at->shfl_up(ITEM, 1) == (ITEM % 32 ? ITEM - 1 : ITEM)); }

//@ pointer_to_a_class_with_such_a_method 1
struct Counter { int n; __device__ void sync() { n++; } __device__ int any(int x) const { return n + x; } };
KERNEL(pointer_to_a_class_with_such_a_method) {
  Counter counter = {1}, *at = &counter;
  at->sync();
  counter.sync();
  WRITE(at->any(4) == 7); }

//@ class_with_a_constant_method_sync 1
struct Flag { int* at; __device__ void sync() const { *at += 1; } };
KERNEL(class_with_a_constant_method_sync) { int n = 1; Flag flag = {&n}; flag.sync(); WRITE(n == 2); }

//@ function_named_sync 1
__device__ int counted[512];
namespace own { __device__ void sync(cg::thread_block block) { counted[AT] = ITEM + 5; block.sync(); } }
KERNEL(function_named_sync) { cg::thread_block block = cg::this_thread_block(); own::sync(block); WRITE(counted[AT] == ITEM + 5); }

//@ function_named_reduce 1
struct Take { __device__ int operator()(int a, int b) const { return a + b; } };
namespace own { template <class T> __device__ int reduce(T tile, int v, Take take) { return take(v, tile.shfl_xor(v, 1)); } }
KERNEL(function_named_reduce) {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = own::reduce(tile, ITEM, Take());
  WRITE(sum == ITEM + (ITEM ^ 1)); }

//@ function_named_any 1
namespace own { __device__ int any(int x) { return x > 3; } }
KERNEL(function_named_any) {
  __shared__ int s[64];
  s[ITEM] = own::any(ITEM);
  cg::this_thread_block().sync();
  WRITE(s[63 - ITEM] == (63 - ITEM > 3)); }
