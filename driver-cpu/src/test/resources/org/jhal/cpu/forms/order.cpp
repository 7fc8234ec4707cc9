// SPDX-License-Identifier: Apache-2.0
// Kernels with expressions in which something comes before a place where items meet, as C++17 orders it. As in meanings.cpp,
// each is a part of its own, and all items write 1 if they see what they must.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
#define ITEM (int)threadIdx.x
#define WRITE(condition) out[AT] = (condition) ? 1 : 0
#define FIRST (ITEM & ~31)
#define GIVE(value) __shfl_sync(~0u, value, 0)
#define NEXT __device__ int next(int& k) { return k = k * 5 + 3; }

//@ comma_behind_a_step 1
KERNEL(comma_behind_a_step) { int k = ITEM; int b = (k++, GIVE(k)); WRITE(b == FIRST + 1 && k == ITEM + 1); }

//@ comma_behind_a_call 1
NEXT
KERNEL(comma_behind_a_call) { int k = ITEM; int b = (next(k), GIVE(k)); WRITE(b == FIRST * 5 + 3); }

//@ comma_behind_an_assignment 1
KERNEL(comma_behind_an_assignment) { int k = ITEM, z; int b = (z = k * 2, GIVE(z)); WRITE(b == FIRST * 2); }

//@ comma_of_a_statement 1
NEXT
KERNEL(comma_of_a_statement) { int k = ITEM, b; next(k), b = GIVE(k); WRITE(b == FIRST * 5 + 3); }

//@ comma_in_a_condition 1
KERNEL(comma_in_a_condition) { int k = ITEM, r = 0; if (k++, __any_sync(~0u, k == FIRST + 32)) r = 1; WRITE(r == 1); }

//@ comma_in_the_condition_of_a_loop 1
KERNEL(comma_in_the_condition_of_a_loop) { int k = ITEM & 31, r = 0; while (k -= 3, __any_sync(~0u, k > 20)) r++; WRITE(r == 3 && k == (ITEM & 31) - 12); }

//@ comma_in_the_condition_of_a_do_loop 1
KERNEL(comma_in_the_condition_of_a_do_loop) { int k = ITEM & 31, r = 0; do r++; while (k -= 3, __any_sync(~0u, k > 20)); WRITE(r == 4); }

//@ comma_in_the_step_of_a_loop 1
KERNEL(comma_in_the_step_of_a_loop) { int k = ITEM, r = 0; for (int i = 0; i < 2; i++, k++, r = GIVE(k)) {} WRITE(r == FIRST + 2); }

//@ comma_in_a_subscript 1
NEXT
KERNEL(comma_in_a_subscript) { int k = ITEM, a[4] = {1, 2, 3, 4}; int r = a[(next(k), GIVE(k)) & 3]; WRITE(r == 4); }

//@ comma_in_a_return 1
__device__ int f(int k) { return k++, GIVE(k) + k; }
KERNEL(comma_in_a_return) { WRITE(f(ITEM) == FIRST + ITEM + 2); }

//@ comma_in_a_return_behind_a_meeting 1
__device__ int f(int k) { k = GIVE(k); return k + 5, k + 1; }
KERNEL(comma_in_a_return_behind_a_meeting) { WRITE(f(ITEM) == FIRST + 1); }

//@ comma_before_a_barrier_that_counts 1
KERNEL(comma_before_a_barrier_that_counts) { int k = 0; int b = (k += 5, __syncthreads_count(k == 5)); WRITE(b == 64); }

//@ comma_before_a_function_with_a_barrier 1
NEXT
__device__ int other(int* s, int v) { s[ITEM] = v; __syncthreads(); return s[63 - ITEM]; }
KERNEL(comma_before_a_function_with_a_barrier) { __shared__ int s[64]; int k = ITEM; int b = (next(k), other(s, k)); WRITE(b == (63 - ITEM) * 5 + 3); }

//@ comma_of_a_class 1
struct Log { int v; };
__device__ Log& operator,(Log& a, int b) { a.v = a.v * 7 + b; return a; }
KERNEL(comma_of_a_class) { Log a{1}; a, 2, GIVE(a.v), 3; WRITE(a.v == ((9 * 7) + 9) * 7 + 3); }

//@ list_of_an_array 1
KERNEL(list_of_an_array) { int k = ITEM; int a[2] = {k++, GIVE(k)}; WRITE(a[0] == ITEM && a[1] == FIRST + 1); }

//@ list_with_a_call 1
NEXT
KERNEL(list_with_a_call) { int k = ITEM; int a[2] = {next(k), GIVE(k)}; WRITE(a[1] == FIRST * 5 + 3); }

//@ list_without_a_mark 1
NEXT
struct S { int a, b; };
KERNEL(list_without_a_mark) { int k = ITEM; S s{next(k), GIVE(k)}; WRITE(s.b == FIRST * 5 + 3); }

//@ list_of_a_value 1
NEXT
struct S { int a, b; };
KERNEL(list_of_a_value) { int k = ITEM; int r = S{next(k), GIVE(k)}.b; WRITE(r == FIRST * 5 + 3); }

//@ list_of_a_literal_of_c 1
NEXT
struct S { int a, b; };
KERNEL(list_of_a_literal_of_c) { int k = ITEM; int r = ((S){next(k), GIVE(k)}).b; WRITE(r == FIRST * 5 + 3); }

//@ list_in_a_list 1
NEXT
struct S { int a[2], b; };
KERNEL(list_in_a_list) { int k = ITEM; S s = {{next(k), 2}, GIVE(k)}; S q = {{1, GIVE(k)}, next(k)}; WRITE(s.b == FIRST * 5 + 3 && q.a[1] == s.b); }

//@ list_of_an_argument 1
NEXT
struct S { int a, b; };
__device__ int second(S s) { return s.b; }
KERNEL(list_of_an_argument) { int k = ITEM; WRITE(second({next(k), GIVE(k)}) == FIRST * 5 + 3); }

//@ list_with_a_method 1
struct R { int s; __device__ int next() { return s = s * 5 + 3; } };
KERNEL(list_with_a_method) { R r{ITEM}; int2 s{r.next(), GIVE(r.s)}; WRITE(s.y == FIRST * 5 + 3); }

//@ list_with_a_conversion 1
struct R { int s; __device__ operator int() { return s = s * 5 + 3; } };
KERNEL(list_with_a_conversion) { R r{ITEM}; int a[2] = {r, GIVE(r.s)}; WRITE(a[1] == FIRST * 5 + 3); }

//@ list_with_a_constructor 1
struct C { int v; __device__ C(int& k) : v(k) { k = k * 5 + 3; } };
struct S { C c; int b; };
KERNEL(list_with_a_constructor) { int k = ITEM; S s{k, GIVE(k)}; WRITE(s.b == FIRST * 5 + 3); }

//@ list_with_an_operator 1
struct C { int v; __device__ int operator-() { return v = v * 5 + 3; } };
KERNEL(list_with_an_operator) { C c{ITEM}; int a[2] = {-c, GIVE(c.v)}; WRITE(a[1] == FIRST * 5 + 3); }

//@ list_with_a_lambda 1
KERNEL(list_with_a_lambda) { int k = ITEM; auto f = [&k] { return k = k * 5 + 3; }; int a[2] = {f(), GIVE(k)}; WRITE(a[1] == FIRST * 5 + 3); }

//@ list_with_an_atomic 1
KERNEL(list_with_an_atomic) { __shared__ int c; if (ITEM == 0) c = 0; __syncthreads(); int a[2] = {atomicAdd(&c, 1), __syncthreads_or(c == 64)}; WRITE(a[1]); }

//@ list_that_reads_what_is_changed_behind_a_barrier 1
KERNEL(list_that_reads_what_is_changed_behind_a_barrier) { __shared__ int s[64]; s[ITEM] = ITEM; __syncthreads(); int a[2] = {s[(ITEM + 63) & 63], __syncthreads_count(1)}; s[ITEM] = -5; WRITE(a[0] == ((ITEM + 63) & 63)); }

//@ list_that_reads_a_variable_that_the_call_changes 1
__device__ int step(int& k) { k += 7; return GIVE(k); }
KERNEL(list_that_reads_a_variable_that_the_call_changes) { int k = ITEM; int a[2] = {k, step(k)}; WRITE(a[0] == ITEM && a[1] == FIRST + 7); }

//@ list_that_reads_what_an_argument_changes 1
KERNEL(list_that_reads_what_an_argument_changes) { int k = ITEM; int a[2] = {k, GIVE(k++)}; WRITE(a[0] == ITEM && a[1] == FIRST); }

//@ shift_of_a_call 1
NEXT
KERNEL(shift_of_a_call) { int k = ITEM; int a = next(k) << (GIVE(k) & 3); WRITE(a == (ITEM * 5 + 3) << ((FIRST * 5 + 3) & 3)); }

//@ shift_to_the_right_of_a_call 1
NEXT
KERNEL(shift_to_the_right_of_a_call) { int k = ITEM; int a = next(k) * 64 >> (GIVE(k) & 7); WRITE(a == (ITEM * 5 + 3) * 64 >> ((FIRST * 5 + 3) & 7)); }

//@ shift_behind_an_assignment 1
NEXT
KERNEL(shift_behind_an_assignment) { int k = ITEM, a[2]; a[1] = next(k) << (GIVE(k) & 3); WRITE(a[1] == (ITEM * 5 + 3) << ((FIRST * 5 + 3) & 3)); }

//@ shift_of_a_class 1
struct O { int v; __device__ O& operator<<(int x) { v = v * 7 + x; return *this; } };
KERNEL(shift_of_a_class) { O o{ITEM}; o << 1 << GIVE(o.v) << 2; WRITE(o.v == ((ITEM * 7 + 1) * 7 + FIRST * 7 + 1) * 7 + 2); }

//@ shift_of_a_class_to_the_right 1
struct O { int v; __device__ O& operator>>(int x) { v = v * 7 + x; return *this; } };
KERNEL(shift_of_a_class_to_the_right) { O o{ITEM}; o >> 1 >> GIVE(o.v); WRITE(o.v == (ITEM * 7 + 1) * 7 + FIRST * 7 + 1); }

//@ shift_of_a_free_operator 1
struct O { int v; };
template <class T> __device__ T& operator<<(T& o, int x) { o.v = o.v * 7 + x; return o; }
KERNEL(shift_of_a_free_operator) { O o{ITEM}; o << 1 << GIVE(o.v); WRITE(o.v == (ITEM * 7 + 1) * 7 + FIRST * 7 + 1); }

//@ chain_of_methods 1
struct O { int v; __device__ O& add(int x) { v = v * 7 + x; return *this; } };
KERNEL(chain_of_methods) { O o{ITEM}; o.add(1).add(GIVE(o.v)).add(2); WRITE(o.v == ((ITEM * 7 + 1) * 7 + FIRST * 7 + 1) * 7 + 2); }

//@ chain_of_methods_of_a_pointer 1
struct O { int v; __device__ O* add(int x) { v = v * 7 + x; return this; } };
KERNEL(chain_of_methods_of_a_pointer) { O o{ITEM}; O* p = &o; p->add(1)->add(GIVE(o.v)); WRITE(o.v == (ITEM * 7 + 1) * 7 + FIRST * 7 + 1); }

//@ call_of_what_a_call_returns 1
struct O { int v; __device__ O& operator()(int x) { v = v * 7 + x; return *this; } };
KERNEL(call_of_what_a_call_returns) { O o{ITEM}; o(1)(GIVE(o.v)); WRITE(o.v == (ITEM * 7 + 1) * 7 + FIRST * 7 + 1); }

//@ subscript_of_a_call 1
__device__ int* next(int*& p) { return ++p; }
KERNEL(subscript_of_a_call) { int a[40]; for (int q = 0; q < 40; q++) a[q] = q * q; int* p = a; int r = next(p)[GIVE(*p) & 7]; WRITE(r == 4); }

//@ subscript_of_a_step 1
KERNEL(subscript_of_a_step) { int a[40]; for (int q = 0; q < 40; q++) a[q] = q * q; int* p = a; int r = (++p)[GIVE(*p) & 7]; WRITE(r == 4); }

//@ subscripts_in_a_row 1
NEXT
KERNEL(subscripts_in_a_row) { int a[4][4]; for (int q = 0; q < 16; q++) a[q / 4][q & 3] = q; int k = ITEM; int r = a[next(k) & 3][GIVE(k) & 3]; WRITE(r == (((ITEM * 5 + 3) & 3) * 4 + ((FIRST * 5 + 3) & 3))); }

//@ assignment_to_what_a_call_chooses 1
NEXT
KERNEL(assignment_to_what_a_call_chooses) { int k = 0, a[4] = {}; a[GIVE(k) & 3] = next(k); WRITE(a[3] == 3); }

//@ assignment_of_a_step 1
KERNEL(assignment_of_a_step) { int k = 0, a[4] = {}; a[GIVE(k)] = ++k; WRITE(a[1] == 1); }

//@ sum_to_what_a_call_chooses 1
NEXT
KERNEL(sum_to_what_a_call_chooses) { int k = 0, a[4] = {}; a[GIVE(k) & 3] += next(k); WRITE(a[3] == 3); }

//@ assignment_of_a_class 1
struct O { int v; __device__ O& operator=(int x) { v = x; return *this; } __device__ O& at(int) { return *this; } };
NEXT
KERNEL(assignment_of_a_class) { int k = ITEM; O o{0}; int seen = 0; (seen = GIVE(k), o) = next(k); WRITE(seen == FIRST * 5 + 3 && o.v == k); }

//@ assignment_of_what_is_changed_behind_a_barrier 1
__device__ int place(int at) { __syncthreads(); return at; }
KERNEL(assignment_of_what_is_changed_behind_a_barrier) { __shared__ int s[64]; s[ITEM] = ITEM; __syncthreads(); s[place((ITEM + 1) & 63)] = s[ITEM]; __syncthreads(); WRITE(s[ITEM] == ((ITEM + 63) & 63)); }

//@ assignment_from_a_call 1
NEXT
KERNEL(assignment_from_a_call) { int k = 0, a[16] = {}; a[next(k)] = GIVE(k) + 1; WRITE(a[3] == 1); }

//@ effects_on_both_sides 1
NEXT
KERNEL(effects_on_both_sides) { int k = ITEM, z = ITEM; int b = (next(k), GIVE(k) + (next(z), z)); WRITE(b == FIRST * 5 + 3 + ITEM * 5 + 3); }

//@ exchange_of_a_tile 1
NEXT
KERNEL(exchange_of_a_tile) { auto tile = cg::tiled_partition<8>(cg::this_thread_block()); int k = ITEM; int a[2] = {next(k), tile.shfl(k, 0)}; WRITE(a[1] == (ITEM & ~7) * 5 + 3); }

//@ vote_behind_a_call 1
__device__ bool reset(int& k) { k = 0; return true; }
KERNEL(vote_behind_a_call) { int k = 1; int a[2] = {reset(k), __any_sync(~0u, k)}; WRITE(a[1] == 0); }

//@ active_lanes_behind_a_call 1
NEXT
KERNEL(active_lanes_behind_a_call) { int k = 0; unsigned a[2] = {(unsigned)next(k), __activemask()}; WRITE(a[0] == 3 && a[1] == ~0u); }

//@ sum_behind_a_call 1
NEXT
KERNEL(sum_behind_a_call) { int k = 1; int a[2] = {next(k), (int)__reduce_add_sync(~0u, k)}; WRITE(a[1] == 8 * 32); }

//@ lane_that_memory_has 1
KERNEL(lane_that_memory_has) { __shared__ int s[64]; s[ITEM] = ITEM & 31; __syncthreads(); int v = __shfl_sync(~0u, ITEM, s[(ITEM + 31) & 63]); s[ITEM] = 5; WRITE(v == FIRST + ((ITEM + 31) & 31)); }

//@ lane_of_a_tile_that_memory_has 1
KERNEL(lane_of_a_tile_that_memory_has) { __shared__ int s[64]; auto tile = cg::tiled_partition<8>(cg::this_thread_block()); s[ITEM] = ITEM & 7; __syncthreads(); int* p = s + ((ITEM + 7) & 63); int v = tile.shfl(ITEM, *p); s[ITEM] = 5; WRITE(v == (ITEM & ~7) + ((ITEM + 7) & 7)); }

//@ nothing_before_it 1
KERNEL(nothing_before_it) {
  int v = ITEM & 31, k = 2, a[2] = {1, GIVE(7)};
  for (int by = 16; by > 0; by /= 2) v += __shfl_xor_sync(~0u, v, by);
  const unsigned at = 1u << (GIVE(k) & 3);
  a[GIVE(1)] = v + (int)at;
  WRITE(a[1] == 496 + 4 && a[0] == 1); }

//@ lane_that_a_reference_has 1
KERNEL(lane_that_a_reference_has) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 31 - (t & 31);
  __syncthreads();
  int& r = s[(t & 32) + ((t + 1) & 31)];
  int v = __shfl_sync(~0u, t, r);
  s[t] = 0;
  WRITE(v == (t & 32) + 31 - ((t + 1) & 31)); }

//@ lane_that_a_shared_variable_has 1
KERNEL(lane_that_a_shared_variable_has) {
  __shared__ int n;
  int t = threadIdx.x, v = t ^ 4;
  n = 3;
  __syncthreads();
  if (t < 32) {
    v = __shfl_xor_sync(~0u, t, (n + 1) & 31);
    n = 9;
  }
  WRITE(v == (t ^ 4)); }

//@ lane_that_a_function_has 1
__device__ int first_of(const int* s) { return s[0]; }
KERNEL(lane_that_a_function_has) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 3;
  __syncthreads();
  int v = __shfl_sync(~0u, t, first_of(s + (t & 32)));
  s[t & 32] = 9;
  WRITE(v == (t & 32) + 3); }

//@ lane_that_a_global_variable_has 1
__device__ int global_lane = 3;
KERNEL(lane_that_a_global_variable_has) {
  int t = threadIdx.x, v = 3;
  if (blockIdx.x == 0 && t < 32) {
    v = __shfl_sync(~0u, t, global_lane);
    global_lane = 9;
    __syncwarp();
    global_lane = 3;
  }
  WRITE(v == 3); }

//@ mask_and_width_that_shared_variables_have 1
KERNEL(mask_and_width_that_shared_variables_have) {
  __shared__ unsigned m;
  __shared__ int w;
  int t = threadIdx.x, v = (t & 7) == 0 ? t + 7 : t, u = 0xaaaaaaaa;
  m = ~0u, w = 8;
  __syncthreads();
  if (t < 32) {
    v = __shfl_down_sync(m, t, 7, w), w = 32;
    u = __ballot_sync(m, t & 1);
    m = 1;
  }
  WRITE(v == ((t & 7) == 0 ? t + 7 : t) && u == (int)0xaaaaaaaa); }

//@ distance_that_an_object_has 1
struct Distance { int* at; __device__ operator int() const { return *at; } };
KERNEL(distance_that_an_object_has) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 3;
  Distance distance = {s + (t & 32)};
  __syncthreads();
  int v = __shfl_xor_sync(~0u, t, distance);
  s[t & 32] = 9;
  WRITE(v == (t ^ 3)); }
