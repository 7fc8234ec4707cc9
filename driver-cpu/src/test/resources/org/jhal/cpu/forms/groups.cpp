// SPDX-License-Identifier: Apache-2.0
// Kernels whose items meet through an object of cooperative groups, or a pointer to one, in code that no name of the dialect shows to be where
// they meet, and kernels with votes and matches of what is no int. As in meanings.cpp, each is a part of its own, and all
// items write 1 if they see what they must.
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

//@ method_that_gets_a_block 1
struct Row { int* s; __device__ int other(const cg::thread_block& b, int v) { s[b.thread_rank()] = v; b.sync(); return s[63 - b.thread_rank()]; } };
KERNEL(method_that_gets_a_block) { __shared__ int s[64]; Row r{s}; WRITE(r.other(BLOCK, ITEM) == 63 - ITEM); }

//@ method_with_a_block_of_its_class 1
struct Row { cg::thread_block b; int* s; __device__ int other(int v) { s[b.thread_rank()] = v; b.sync(); return s[63 - b.thread_rank()]; } };
KERNEL(method_with_a_block_of_its_class) { __shared__ int s[64]; Row r{BLOCK, s}; WRITE(r.other(ITEM) == 63 - ITEM); }

//@ call_operator_that_gets_a_tile 1
struct Sum { template <class G> __device__ int operator()(const G& g, int v) const { for (int by = g.size() / 2; by; by /= 2) v += g.shfl_xor(v, by); return v; } };
KERNEL(call_operator_that_gets_a_tile) { auto tile = TILE(16); Sum sum; WRITE(sum(tile, ITEM) == (ITEM & ~15) * 16 + 120); }

//@ call_operator_with_a_tile_of_its_class 1
template <class G> struct Sum { G g; __device__ int operator()(int v) const { for (int by = g.size() / 2; by; by /= 2) v += g.shfl_xor(v, by); return v; } };
KERNEL(call_operator_with_a_tile_of_its_class) { auto tile = TILE(16); Sum<decltype(tile)> sum{tile}; WRITE(sum(ITEM) == (ITEM & ~15) * 16 + 120); }

//@ static_method_that_gets_a_tile 1
struct Sum { template <class G> static __device__ int of(const G& g, int v) { for (int by = g.size() / 2; by; by /= 2) v += g.shfl_down(v, by); return g.shfl(v, 0); } };
KERNEL(static_method_that_gets_a_tile) { auto tile = TILE(16); WRITE(Sum::of(tile, ITEM) == (ITEM & ~15) * 16 + 120); }

//@ static_method_that_a_function_calls 1
struct Sum { template <class G> static __device__ int of(const G& g, int v) { return g.shfl(v, 3); } };
template <class G> __device__ int go(const G& g, int v) { return Sum::of(g, v) + 1; }
KERNEL(static_method_that_a_function_calls) { auto tile = TILE(16); WRITE(go(tile, ITEM) == (ITEM & ~15) + 4); }

//@ constructor_that_gets_a_tile 1
struct Other { int v; template <class G> __device__ Other(const G& g, int x) : v(g.shfl_xor(x, 1)) {} };
KERNEL(constructor_that_gets_a_tile) { auto tile = TILE(16); Other o(tile, ITEM); WRITE(o.v == (ITEM ^ 1)); }

//@ constructor_of_a_base 1
struct Base { int v; template <class G> __device__ Base(const G& g, int x) : v(g.shfl_xor(x, 1)) {} };
struct Derived : Base { template <class G> __device__ Derived(const G& g, int x) : Base(g, x + 5) {} };
KERNEL(constructor_of_a_base) { auto tile = TILE(8); Derived d(tile, ITEM); WRITE(d.v == (ITEM ^ 1) + 5); }

//@ destructor_with_a_block 1
struct Guard { cg::thread_block b; int* s; int* to; __device__ ~Guard() { b.sync(); *to = s[63 - b.thread_rank()]; } };
KERNEL(destructor_with_a_block) { __shared__ int s[64]; int mine = -1; { Guard g{BLOCK, s, &mine}; s[ITEM] = ITEM * 3; } WRITE(mine == 3 * (63 - ITEM)); }

//@ method_of_a_base 1
struct Base { template <class G> __device__ int third(const G& g, int x) { return g.shfl(x, 3); } };
struct Derived : Base { template <class G> __device__ int go(const G& g, int x) { return third(g, x) + 1; } };
KERNEL(method_of_a_base) { auto tile = TILE(16); Derived d; WRITE(d.go(tile, ITEM) == (ITEM & ~15) + 4); }

//@ base_that_is_a_group 1
struct Mine : cg::thread_block { int* s; __device__ Mine(int* s) : cg::thread_block(cg::this_thread_block()), s(s) {} __device__ int other(int v) { s[thread_rank()] = v; sync(); return s[63 - thread_rank()]; } };
KERNEL(base_that_is_a_group) { __shared__ int s[64]; Mine m(s); WRITE(m.other(ITEM) == 63 - ITEM); }

//@ method_by_its_base_type 1
struct Base { template <class G> __device__ int third(const G& g, int x) const { return g.shfl(x, 3); } };
struct Derived : Base {};
__device__ int go(const Derived& d, const cg::thread_block_tile<16>& g, int x) { return d.third(g, x); }
KERNEL(method_by_its_base_type) { auto tile = TILE(16); Derived d; WRITE(go(d, tile, ITEM) == (ITEM & ~15) + 3); }

//@ virtual_method 1
struct Base { __device__ virtual int third(const cg::thread_block_tile<16>& g, int x) const { return x; } };
struct Derived : Base { __device__ int third(const cg::thread_block_tile<16>& g, int x) const override { return g.shfl(x, 3); } };
__device__ int go(const Base& b, const cg::thread_block_tile<16>& g, int x) { return b.third(g, x); }
KERNEL(virtual_method) { auto tile = TILE(16); Derived d; WRITE(go(d, tile, ITEM) == (ITEM & ~15) + 3); }

//@ operator_on_a_class_with_a_tile 1
struct Lane { cg::thread_block_tile<32> g; int v; };
__device__ int operator*(const Lane& a, int by) { return a.g.shfl_xor(a.v, by); }
KERNEL(operator_on_a_class_with_a_tile) { Lane a{TILE(32), ITEM}; WRITE(a * 1 == (ITEM ^ 1)); }

//@ subscript_with_a_tile 1
struct Lanes { cg::thread_block_tile<32> g; int v; __device__ int operator[](int from) const { return g.shfl(v, from); } };
KERNEL(subscript_with_a_tile) { Lanes a{TILE(32), ITEM}; WRITE(a[5] == (ITEM & ~31) + 5); }

//@ conversion_with_a_tile 1
struct First { cg::thread_block_tile<32> g; int v; __device__ operator int() const { return g.shfl(v, 7); } };
KERNEL(conversion_with_a_tile) { First f{TILE(32), ITEM}; int x = f; WRITE(x == (ITEM & ~31) + 7); }

//@ conversion_by_a_constructor 1
struct First { int v; template <class G> __device__ First(const G& g) : v(g.shfl((int)g.thread_rank() * 2, 7)) {} };
__device__ int value(First f) { return f.v; }
KERNEL(conversion_by_a_constructor) { WRITE(value(TILE(32)) == 14); }

//@ initial_value_of_a_field 1
struct Both { cg::thread_block_tile<32> g; int v; int other = g.shfl_xor(v, 1); };
KERNEL(initial_value_of_a_field) { Both b{TILE(32), ITEM}; WRITE(b.other == (ITEM ^ 1)); }

//@ lambda_outside_functions 1
__device__ auto sum = [](auto g, int v) { for (int by = g.size() / 2; by; by /= 2) v += g.shfl_xor(v, by); return v; };
KERNEL(lambda_outside_functions) { auto tile = TILE(16); WRITE(sum(tile, ITEM) == (ITEM & ~15) * 16 + 120); }

//@ lambda_that_a_function_gets 1
template <class F> __device__ int apply(F f, int v) { return f(v) + 1; }
KERNEL(lambda_that_a_function_gets) { auto tile = TILE(16); WRITE(apply([&](int v) { return tile.shfl(v, 2); }, ITEM) == (ITEM & ~15) + 3); }

//@ lambda_that_a_function_returns 1
template <class G> __device__ auto reader(const G& g) { return [&g](int v) { return g.shfl(v, 2); }; }
KERNEL(lambda_that_a_function_returns) { auto tile = TILE(16); auto f = reader(tile); WRITE(f(ITEM) == (ITEM & ~15) + 2); }

//@ pointer_to_a_function 1
__device__ int third(cg::thread_block_tile<16> g, int x) { return g.shfl(x, 3); }
KERNEL(pointer_to_a_function) { int (*f)(cg::thread_block_tile<16>, int) = third; auto tile = TILE(16); WRITE(f(tile, ITEM) == (ITEM & ~15) + 3); }

//@ table_of_functions 1
__device__ int third(cg::thread_block_tile<16> g, int x) { return g.shfl(x, 3); }
__device__ int next(cg::thread_block_tile<16> g, int x) { return g.shfl_down(x, 1); }
typedef int (*Step)(cg::thread_block_tile<16>, int);
__constant__ Step steps[2] = {third, next};
KERNEL(table_of_functions) { auto tile = TILE(16); WRITE(steps[in[AT] >= 0 ? 0 : 1](tile, ITEM) == (ITEM & ~15) + 3); }

//@ template_argument_that_is_a_function 1
__device__ int third(cg::thread_block_tile<16> g, int x) { return g.shfl(x, 3); }
template <int (*F)(cg::thread_block_tile<16>, int)> struct Step { template <class G> __device__ static int go(G g, int x) { return F(g, x); } };
KERNEL(template_argument_that_is_a_function) { auto tile = TILE(16); WRITE(Step<third>::go(tile, ITEM) == (ITEM & ~15) + 3); }

//@ pointer_to_a_method 1
struct Third { __device__ int go(const cg::thread_block_tile<16>& g, int x) { return g.shfl(x, 3); } };
KERNEL(pointer_to_a_method) { int (Third::*f)(const cg::thread_block_tile<16>&, int) = &Third::go; Third t; auto tile = TILE(16); WRITE((t.*f)(tile, ITEM) == (ITEM & ~15) + 3); }

//@ method_that_votes 1
struct Votes { cg::thread_block_tile<8> g; __device__ unsigned of(int v) { return g.ballot(v & 1) * 4 + g.any(v % 8 == 7) * 2 + g.all(v < 64); } };
KERNEL(method_that_votes) { Votes v{TILE(8)}; WRITE(v.of(ITEM) == 0xaa * 4 + 3); }

//@ method_that_matches 1
struct Same { cg::thread_block_tile<8> g; __device__ unsigned of(int v) { return g.match_any(v); } };
KERNEL(method_that_matches) { Same m{TILE(8)}; WRITE(m.of(ITEM & 1) == (ITEM & 1 ? 0xaau : 0x55u)); }

//@ method_that_reduces 1
struct Sum { cg::thread_block_tile<8> g; __device__ int of(int v) { return cg::reduce(g, v, cg::plus<int>()); } };
KERNEL(method_that_reduces) { Sum s{TILE(8)}; WRITE(s.of(ITEM) == (ITEM & ~7) * 8 + 28); }

//@ method_that_scans 1
struct Sum { cg::thread_block_tile<8> g; __device__ int of(int v) { return cg::inclusive_scan(g, v) * 100 + cg::exclusive_scan(g, v, cg::plus<int>()); } };
KERNEL(method_that_scans) { Sum s{TILE(8)}; const int r = ITEM & 7; WRITE(s.of(1) == (r + 1) * 100 + r); }

//@ method_that_divides_a_tile 1
struct Parts { cg::thread_block_tile<8> g; __device__ int of(int v) { return cg::binary_partition(g, v & 1).size() * 10 + cg::labeled_partition(g, v & 3).size(); } };
KERNEL(method_that_divides_a_tile) { Parts p{TILE(8)}; WRITE(p.of(ITEM) == 42); }

//@ method_with_a_part_of_a_warp 1
struct Part { cg::coalesced_group g; __device__ int first(int v) { return g.shfl(v, 0) + (int)g.size(); } };
KERNEL(method_with_a_part_of_a_warp) { auto tile = TILE(32); Part p{cg::binary_partition(tile, ITEM & 1)}; WRITE(p.first(ITEM) == (ITEM & ~31) + (ITEM & 1) + 16); }

//@ method_that_asks_for_the_active_lanes 1
struct Part { cg::thread_block_tile<32> g; __device__ int count(int v) { return __popc(__activemask()) + g.shfl(v, 0); } };
KERNEL(method_that_asks_for_the_active_lanes) { Part p{TILE(32)}; WRITE(p.count(ITEM) == 32 + (ITEM & ~31)); }

//@ method_with_a_group_of_any_kind 1
struct Meets { cg::thread_group g; int* s; __device__ int other(int v, int at) { s[v] = v * 2; g.sync(); return s[at]; } };
KERNEL(method_with_a_group_of_any_kind) {
  __shared__ int s[64];
  Meets block{BLOCK, s};
  const bool a = block.other(ITEM, 63 - ITEM) == 2 * (63 - ITEM);
  BLOCK.sync();
  Meets few{cg::tiled_partition(BLOCK, 8), s};
  WRITE(a && few.other(ITEM, ITEM ^ 7) == 2 * (ITEM ^ 7)); }

//@ method_that_calls_sync 1
struct Row { cg::thread_block b; int* s; __device__ int other(int v) { s[b.thread_rank()] = v; cg::sync(b); return s[63 - b.thread_rank()]; } };
KERNEL(method_that_calls_sync) { __shared__ int s[64]; Row r{BLOCK, s}; WRITE(r.other(ITEM) == 63 - ITEM); }

//@ method_beside_barriers_of_the_kernel 1
struct Sum { template <class G> __device__ int operator()(const G& g, int v) const { for (int by = g.size() / 2; by; by /= 2) v += g.shfl_xor(v, by); return v; } };
KERNEL(method_beside_barriers_of_the_kernel) {
  __shared__ int s[64];
  auto tile = TILE(16);
  s[ITEM] = ITEM;
  __syncthreads();
  const int a = Sum()(tile, s[63 - ITEM]);
  WRITE(a == (63 - (ITEM | 15)) * 16 + 120); }

//@ function_by_another_name 1
template <class G> __device__ int third(const G& g, int x) { return g.shfl(x, 3); }
constexpr auto also = &third<cg::thread_block_tile<16>>;
KERNEL(function_by_another_name) { auto tile = TILE(16); WRITE(also(tile, ITEM) == (ITEM & ~15) + 3); }

//@ group_by_a_method_pointer 1
KERNEL(group_by_a_method_pointer) { __shared__ int s[64]; auto b = BLOCK; void (cg::thread_block::*meet)() const = &cg::thread_block::sync; s[ITEM] = ITEM; (b.*meet)(); WRITE(s[63 - ITEM] == 63 - ITEM); }

//@ group_by_a_pointer 1
KERNEL(group_by_a_pointer) { __shared__ int s[64]; auto b = BLOCK; auto* p = &b; s[ITEM] = ITEM; p->sync(); WRITE(s[63 - ITEM] == 63 - ITEM); }

//@ group_in_a_class_of_the_kernel 1
struct Ctx { cg::thread_block b; cg::thread_block_tile<8> tile; };
KERNEL(group_in_a_class_of_the_kernel) {
  __shared__ int s[64];
  Ctx c{BLOCK, TILE(8)};
  s[ITEM] = ITEM;
  c.b.sync();
  WRITE(s[63 - ITEM] == 63 - ITEM && c.tile.shfl_xor(ITEM, 3) == (ITEM ^ 3)); }

//@ group_that_a_macro_makes 1
#define MEET(g) g.sync()
struct Row { int* s; template <class G> __device__ int other(G g, int v) { s[v] = v; MEET(g); return s[63 - v]; } };
KERNEL(group_that_a_macro_makes) { __shared__ int s[64]; Row r{s}; WRITE(r.other(BLOCK, ITEM) == 63 - ITEM); }

//@ sync_found_by_its_argument 1
KERNEL(sync_found_by_its_argument) { __shared__ int s[64]; auto b = BLOCK; s[ITEM] = ITEM; sync(b); WRITE(s[63 - ITEM] == 63 - ITEM); }

//@ sync_by_a_directive 1
using namespace cooperative_groups;
KERNEL(sync_by_a_directive) { __shared__ int s[64]; s[ITEM] = ITEM; sync(this_thread_block()); WRITE(s[63 - ITEM] == 63 - ITEM); }

//@ sync_by_a_declaration 1
using cg::sync;
KERNEL(sync_by_a_declaration) { __shared__ int s[64]; s[ITEM] = ITEM; sync(BLOCK); WRITE(s[63 - ITEM] == 63 - ITEM); }

//@ sync_of_a_tile_in_a_function 1
template <class G> __device__ int other(const G& g, int* s, int v) { s[v] = v; sync(g); return s[v ^ 7]; }
KERNEL(sync_of_a_tile_in_a_function) { __shared__ int s[64]; auto tile = TILE(8); WRITE(other(tile, s, ITEM) == (ITEM ^ 7)); }

//@ reduce_found_by_its_argument 1
KERNEL(reduce_found_by_its_argument) { auto tile = TILE(8); WRITE(reduce(tile, ITEM, cg::plus<int>()) == (ITEM & ~7) * 8 + 28); }

//@ scans_found_by_their_arguments 1
KERNEL(scans_found_by_their_arguments) { auto tile = TILE(8); const int r = ITEM & 7; WRITE(inclusive_scan(tile, 1) == r + 1 && exclusive_scan(tile, 1) == r); }

//@ partitions_found_by_their_arguments 1
KERNEL(partitions_found_by_their_arguments) {
  auto tile = TILE(8);
  auto two = binary_partition(tile, ITEM & 1);
  auto four = labeled_partition(tile, ITEM & 3);
  WRITE(two.shfl(ITEM, 0) == (ITEM & ~7) + (ITEM & 1) && four.shfl(ITEM, 1) == (ITEM & ~7) + (ITEM & 3) + 4); }

//@ vote_of_what_becomes_no_int 1
KERNEL(vote_of_what_becomes_no_int) {
  auto tile = TILE(8);
  const float half = in[AT] >= 0 ? 0.5f : 1;
  const long long high = (long long)(in[AT] >= 0) << 40;
  int yes = __any_sync(~0u, half);
  yes |= __any_sync(~0u, high);
  yes |= __all_sync(~0u, half);
  yes |= __all_sync(~0u, high);
  unsigned votes = __ballot_sync(~0u, half);
  votes |= __ballot_sync(~0u, high);
  votes |= tile.ballot(half);
  votes |= tile.any(high);
  votes |= tile.all(half);
  WRITE(yes == 0 && votes == 0); }

//@ vote_of_a_pointer_like_class 1
struct Maybe { int v; __device__ operator bool() const { return v != 0; } };
KERNEL(vote_of_a_pointer_like_class) { Maybe m{ITEM & 1}; const unsigned votes = __ballot_sync(~0u, m); const int any = __any_sync(~0u, m); WRITE(votes == 0xaaaaaaaau && any); }

//@ match_of_bits 1
KERNEL(match_of_bits) {
  const float zero = ITEM & 1 ? 0.f : -0.f, none = in[AT] >= 0 ? __int_as_float(0x7fc00000) : 1;
  const unsigned a = __match_any_sync(~0u, zero), b = __match_any_sync(~0u, none);
  int all;
  const unsigned c = __match_all_sync(~0u, none, &all);
  auto tile = TILE(8);
  WRITE(a == (ITEM & 1 ? 0xaaaaaaaau : 0x55555555u) && b == ~0u && c == ~0u && all && tile.match_any(none) == 0xff); }

//@ match_of_doubles 1
KERNEL(match_of_doubles) { const double zero = ITEM & 1 ? 0. : -0.; WRITE(__match_any_sync(~0u, zero) == (ITEM & 1 ? 0xaaaaaaaau : 0x55555555u)); }

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

//@ sums_of_what_is_no_int 1
KERNEL(sums_of_what_is_no_int) {
  unsigned char byte = 200;
  short least = -ITEM % 32;
  int yes = __reduce_add_sync(~0u, ITEM % 4 == 0);
  int bytes = __reduce_add_sync(~0u, byte);
  auto less = __reduce_min_sync(~0u, least);
  less -= 40000;
  WRITE(yes == 8 && bytes == 6400 && less == -40031); }

//@ shuffles_of_what_is_no_int 1
KERNEL(shuffles_of_what_is_no_int) {
  unsigned char byte = 200;
  short least = 30000;
  auto a = __shfl_down_sync(~0u, byte, 1);
  a += 200;
  auto b = __shfl_xor_sync(~0u, least, 1) + 0;
  auto c = __shfl_sync(~0u, ITEM % 2 == 1, 3);
  c += 4;
  auto d = __shfl_up_sync(~0u, least, 1);
  d *= 4;
  WRITE(a == 400 && b == 30000 && c == 5 && d == 120000); }

//@ larger_shuffles_keep_their_type 1
struct Two { short a, b; };
KERNEL(larger_shuffles_keep_their_type) {
  Two two = {(short)ITEM, 5};
  auto a = __shfl_xor_sync(~0u, two, 1);
  auto b = __shfl_xor_sync(~0u, ITEM * 0.5f, 1);
  auto c = __shfl_xor_sync(~0u, (unsigned)ITEM, 1);
  auto d = __shfl_xor_sync(~0u, 10000000000ll + ITEM, 1);
  WRITE(a.a == (ITEM ^ 1) && a.b == 5 && b == (ITEM ^ 1) * 0.5f && c - 100 > 5 && d == 10000000000ll + (ITEM ^ 1)); }

//@ tiles_keep_narrow_types 1
KERNEL(tiles_keep_narrow_types) {
  auto tile = TILE(16);
  unsigned char byte = 200;
  auto a = tile.shfl_xor(byte, 1);
  a += 100;
  auto b = tile.shfl(byte, 3);
  b += 100;
  WRITE(a == 44 && b == 44 && sizeof(a) == 1); }
