// SPDX-License-Identifier: Apache-2.0
// The types that functions of a warp have in CUDA, where they exist for int and wider numbers so that narrower ones become
// int, and the types of indexes. As in proofs.cpp, each kernel is a part of its own; all items write 1 if they see what they
// must.
#include <type_traits>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define WRITE(condition) out[INDEX] = (condition) ? 1 : 0
#define FROM(x) (in[INDEX / 32 * 32 + (x)])
#define LANE (threadIdx.x % 32)
template <class T, class U> __device__ bool is(U) { return std::is_same<T, U>::value; }

//@ lanes_that_say_yes_are_counted 1
KERNEL(lanes_that_say_yes_are_counted) {
  int count = __reduce_add_sync(~0u, (in[INDEX] & 255) > 100);
  int wanted = 0;
  for (int i = 0; i < 32; i++) wanted += (FROM(i) & 255) > 100;
  WRITE(count == wanted); }

//@ bytes_are_summed 1
KERNEL(bytes_are_summed) {
  unsigned char c = in[INDEX];
  signed char s = in[INDEX];
  int sum = __reduce_add_sync(~0u, c), other = __reduce_add_sync(~0u, s);
  int wanted = 0, also = 0;
  for (int i = 0; i < 32; i++) {
    wanted += (unsigned char)FROM(i);
    also += (signed char)FROM(i); }
  WRITE(sum == wanted && other == also); }

//@ reductions_have_the_types_of_cuda 1
KERNEL(reductions_have_the_types_of_cuda) {
  unsigned char c = in[INDEX];
  short h = in[INDEX] - 500;
  bool b = in[INDEX] % 2;
  auto add = __reduce_add_sync(~0u, c);
  auto min = __reduce_min_sync(~0u, h);
  auto max = __reduce_max_sync(~0u, b);
  auto and_ = __reduce_and_sync(~0u, c);
  auto or_ = __reduce_or_sync(~0u, h);
  auto xor_ = __reduce_xor_sync(~0u, b);
  auto u = __reduce_min_sync(~0u, (unsigned)c);
  int least = 1000;
  for (int i = 0; i < 32; i++) least = FROM(i) - 500 < least ? FROM(i) - 500 : least;
  WRITE(is<int>(add) && is<int>(min) && is<int>(max) && is<unsigned>(and_) && is<unsigned>(or_) && is<unsigned>(xor_) &&
        is<unsigned>(u) && min == least && max <= 1); }

//@ bits_are_unsigned 1
KERNEL(bits_are_unsigned) {
  auto all = __reduce_or_sync(~0u, -1);
  long long as_long = __reduce_and_sync(~0u, -1);
  float as_float = __reduce_or_sync(~0u, LANE == 3 ? -1 : 0);
  int half = __reduce_xor_sync(~0u, LANE ? 0 : -2) / 2;
  WRITE(all > 0 && as_long == 4294967295ll && as_float == 4294967296.0f && half == 0x7fffffff); }

//@ reductions_of_wide_numbers_stay_wide 1
KERNEL(reductions_of_wide_numbers_stay_wide) {
  auto sum = __reduce_add_sync(~0u, (long long)in[INDEX] << 33);
  auto most = __reduce_max_sync(~0u, in[INDEX] * 0.5);
  auto bits = __reduce_or_sync(~0u, 1ull << LANE << 20);
  long long wanted = 0;
  for (int i = 0; i < 32; i++) wanted += (long long)FROM(i) << 33;
  WRITE(is<long long>(sum) && is<double>(most) && is<unsigned long long>(bits) && sum == wanted && bits == 0xffffffffull << 20); }

//@ narrow_numbers_are_shuffled_as_int 1
KERNEL(narrow_numbers_are_shuffled_as_int) {
  unsigned char c = in[INDEX];
  short h = in[INDEX] * 30;
  bool b = in[INDEX] % 2;
  auto x = __shfl_down_sync(~0u, c, 1);
  x += 200;
  auto y = __shfl_xor_sync(~0u, h, 1);
  y *= 300;
  auto z = __shfl_sync(~0u, b, 5);
  z += 2;
  auto w = __shfl_up_sync(~0u, c, 2);
  w <<= 4;
  int down = LANE < 31 ? LANE + 1 : 31, up = LANE < 2 ? LANE : LANE - 2;
  WRITE(x == (unsigned char)FROM(down) + 200 && y == (short)(FROM(LANE ^ 1) * 30) * 300 && z == FROM(5) % 2 + 2 &&
        w == (unsigned char)FROM(up) << 4); }

//@ shuffles_of_lanes_that_differ 1
KERNEL(shuffles_of_lanes_that_differ) {
  unsigned char c = in[INDEX];
  auto x = __shfl_sync(~0u, c, LANE * 7 + 3);
  x += 200;
  auto y = __shfl_down_sync(LANE < 16 ? 0xffffu : 0xffff0000u, c, 1, 16);
  y -= 300;
  WRITE(x == (unsigned char)FROM((LANE * 7 + 3) % 32) + 200 && y == (unsigned char)FROM(LANE % 16 < 15 ? LANE + 1 : LANE) - 300); }

//@ shuffles_have_the_types_of_cuda 1
enum Plain { SMALL, LARGE = 1 << 30 };
enum Narrow : unsigned char { FIRST = 200 };
enum Wide : unsigned long long { HUGE_ = 1ull << 40 };
struct Bits { unsigned five : 5; int three : 3; };
KERNEL(shuffles_have_the_types_of_cuda) {
  Bits bits = {17, -2};
  Plain plain = in[INDEX] % 2 ? LARGE : SMALL;
  Narrow narrow = FIRST;
  Wide wide = HUGE_;
  char16_t c16 = u'x';
  char32_t c32 = U'y';
  auto a = __shfl_sync(~0u, plain, 1);
  auto b = __shfl_up_sync(~0u, narrow, 1);
  auto c = __shfl_down_sync(~0u, wide, 1);
  auto d = __shfl_xor_sync(~0u, bits.five, 1);
  auto e = __shfl_xor_sync(~0u, bits.three, 1);
  auto f = __shfl_sync(~0u, c16, 1);
  auto g = __shfl_sync(~0u, c32, 1);
  auto h = __shfl_sync(~0u, 1ul << 40, 1);
  auto i = __shfl_sync(~0u, 0.5f, 1);
  auto j = __shfl_sync(~0u, (char)-3, 1);
  WRITE(is<int>(a) && is<int>(b) && is<unsigned long long>(c) && is<unsigned>(d) && is<int>(e) && is<int>(f) && is<unsigned>(g) &&
        is<unsigned long>(h) && is<float>(i) && is<int>(j) && a == (FROM(1) % 2 ? 1 << 30 : 0) && b == 200 && c == 1ull << 40 &&
        d == 17 && e == -2 && f == 'x' && g == 'y' && h == 1ul << 40 && i == 0.5f && j == -3); }

//@ other_types_stay 1
struct Pair { short a, b; };
enum class Side { LEFT, RIGHT };
KERNEL(other_types_stay) {
  __half half = __float2half(in[INDEX] * 0.5f);
  __half2 halves = __floats2half2_rn(in[INDEX], 2.0f);
  Pair pair{(short)in[INDEX], 7};
  auto a = __shfl_xor_sync(~0u, half, 1);
  auto b = __shfl_xor_sync(~0u, halves, 1);
  auto c = __shfl_xor_sync(~0u, pair, 1);
  auto d = __shfl_xor_sync(~0u, Side::RIGHT, 1);
  auto e = __shfl_xor_sync(~0u, out, 1);
  WRITE(is<__half>(a) && is<__half2>(b) && is<Pair>(c) && is<Side>(d) && is<int*>(e) && __half2float(a) == FROM(LANE ^ 1) * 0.5f &&
        c.a == FROM(LANE ^ 1) && e == out); }

//@ overloads_see_int 1
__device__ int kind(int) { return 1; }
__device__ int kind(unsigned char) { return 2; }
__device__ int kind(bool) { return 3; }
__device__ int kind(unsigned) { return 4; }
template <class T> __device__ int size(T) { return sizeof(T); }
KERNEL(overloads_see_int) {
  unsigned char c = in[INDEX];
  int kinds = kind(__shfl_xor_sync(~0u, c, 1));
  kinds += kind(__shfl_sync(~0u, c > 3, 1)) * 10;
  kinds += kind(__reduce_add_sync(~0u, c > 3)) * 100;
  kinds += kind(__reduce_or_sync(~0u, c)) * 1000;
  kinds += kind(__shfl_sync(~0u, c, LANE + 1)) * 10000;
  int sizes = size(__shfl_up_sync(~0u, c, 1));
  sizes += size(__reduce_max_sync(~0u, c)) * 10;
  WRITE(kinds == 14111 && sizes == 44); }

//@ lambdas_and_functions_by_pointer_see_int 1
__device__ int turned(unsigned char c) {
  auto x = __shfl_xor_sync(~0u, c, 1);
  x += 200;
  return x; }
KERNEL(lambdas_and_functions_by_pointer_see_int) {
  int (*by)(unsigned char) = turned;
  auto total = [&](unsigned char c) {
    auto x = __reduce_add_sync(~0u, c);
    return x + (int)sizeof(x); };
  int sum = 4;
  for (int i = 0; i < 32; i++) sum += (unsigned char)FROM(i);
  WRITE(by(in[INDEX]) == (unsigned char)FROM(LANE ^ 1) + 200 && total(in[INDEX]) == sum); }

//@ shuffles_without_a_mask 1
KERNEL(shuffles_without_a_mask) {
  unsigned char c = in[INDEX];
  auto x = __shfl_xor(c, 1);
  x += 200;
  WRITE(x == (unsigned char)FROM(LANE ^ 1) + 200); }

//@ tiles_keep_the_type 1
KERNEL(tiles_keep_the_type) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned char c = in[INDEX];
  short h = in[INDEX];
  auto a = tile.shfl_xor(c, 1);
  auto b = tile.shfl(h, LANE * 5 & 31);
  auto d = tile.shfl_down(c > 99, 1);
  a += 200;
  WRITE(is<unsigned char>(a) && is<short>(b) && is<bool>(d) && a == (unsigned char)(FROM(LANE ^ 1) + 200) &&
        b == FROM(LANE * 5 & 31)); }

//@ indexes_are_constant 1
__device__ int kind(unsigned&) { return 1; }
__device__ int kind(const unsigned&) { return 2; }
template <class T> __device__ bool is_constant(T&) { return std::is_const<T>::value; }
template <class T> __device__ bool is_reference_to_constant(T&&) { return std::is_same<T, const unsigned&>::value; }
KERNEL(indexes_are_constant) {
  int kinds = kind(threadIdx.x) + kind(blockIdx.y) * 10 + kind(blockDim.z) * 100 + kind(gridDim.x) * 1000;
  WRITE(kinds == 2222 && is_constant(threadIdx) && is_constant(blockIdx) && is_constant(blockDim) && is_constant(gridDim) &&
        is_reference_to_constant(threadIdx.x) && is_reference_to_constant(gridDim.z)); }

//@ indexes_are_constant_behind_barriers 1
__device__ int kind(unsigned&) { return 1; }
__device__ int kind(const unsigned&) { return 2; }
template <class T> __device__ bool is_constant(T&) { return std::is_const<T>::value; }
__device__ int kinds(int* s) {
  s[threadIdx.x] = kind(threadIdx.x);
  __syncthreads();
  int found = s[63 - threadIdx.x] + kind(blockDim.x) * 10;
  __syncthreads();
  return found; }
KERNEL(indexes_are_constant_behind_barriers) {
  __shared__ int s[64];
  int found = kinds(s);
  auto& size = blockDim;
  const unsigned x = threadIdx.x;
  s[63 - x] = found + is_constant(size) * 100;
  __syncthreads();
  WRITE(s[x] == 122 && kind(threadIdx.x) == 2); }

//@ indexes_are_constant_in_classes 1
__device__ int kind(unsigned&) { return 1; }
__device__ int kind(const unsigned&) { return 2; }
struct Item {
  int v;
  __device__ int kinds() const { return kind(threadIdx.x) + kind(blockDim.x) * 10; }
  __device__ Item operator+(int x) const { return {v + x * kind(blockIdx.x)}; } };
__device__ int by_pointer(int x) { return x + kind(threadIdx.x) + kind(gridDim.x); }
KERNEL(indexes_are_constant_in_classes) {
  Item item{3};
  int (*by)(int) = by_pointer;
  auto lambda = [] { return kind(threadIdx.x); };
  WRITE(item.kinds() == 22 && (item + 5).v == 13 && by(10) == 14 && lambda() == 2); }

//@ sizes_are_of_the_class_dim3 1
__device__ int kind(uint3) { return 1; }
__device__ int kind(dim3) { return 2; }
KERNEL(sizes_are_of_the_class_dim3) {
  dim3 size = in[INDEX] % 2 ? blockDim : dim3(7);
  auto copy = gridDim;
  copy.x += 5;
  auto at = threadIdx;
  at.y += 3;
  WRITE(kind(threadIdx) == 1 && kind(blockIdx) == 1 && kind(blockDim) == 2 && kind(gridDim) == 2 && kind(copy) == 2 && kind(at) == 1 &&
        size.x == (in[INDEX] % 2 ? 64 : 7) && size.y == 1 && copy.x == gridDim.x + 5 && at.x == threadIdx.x && at.y == 3); }

//@ sizes_that_live_across_a_barrier 1
__device__ int kind(uint3) { return 1; }
__device__ int kind(dim3) { return 2; }
KERNEL(sizes_that_live_across_a_barrier) {
  __shared__ int s[64];
  auto size = blockDim;
  dim3 grid = gridDim, one;
  auto at = threadIdx;
  s[at.x] = kind(size);
  __syncthreads();
  size.x += s[63 - at.x];
  one.y += at.x;
  __syncthreads();
  WRITE(size.x == 66 && kind(grid) == 2 && grid.x == gridDim.x && kind(at) == 1 && one.x == 1 && one.y == 1 + at.x && one.z == 1); }

//@ results_are_values_for_constructors 1
struct Source { int is_value; __device__ Source(int&&) : is_value(1) {} __device__ Source(const int&) : is_value(0) {} };
__device__ int number_of_neighbour(int* shared, int x) {
  shared[threadIdx.x] = x;
  __syncthreads();
  const int found = shared[threadIdx.x ^ 1];
  __syncthreads();
  return found; }
KERNEL(results_are_values_for_constructors) {
  __shared__ int shared[1024];
  Source own = number_of_neighbour(shared, in[INDEX]);
  Source counted = __syncthreads_count(in[INDEX] & 1);
  Source shuffled = __shfl_sync(~0u, in[INDEX], 3);
  Source assigned = in[INDEX];
  assigned = number_of_neighbour(shared, in[INDEX]);
  WRITE(own.is_value && counted.is_value && shuffled.is_value && assigned.is_value); }

//@ results_are_values_for_operators 1
struct Added { __device__ int operator+(int&&) const { return 1; } __device__ int operator+(const int&) const { return 0; } };
__device__ int summand_of_neighbour(int* shared, int x) {
  shared[threadIdx.x] = x;
  __syncthreads();
  const int found = shared[threadIdx.x ^ 1];
  __syncthreads();
  return found; }
KERNEL(results_are_values_for_operators) {
  __shared__ int shared[1024];
  const Added to = {};
  const int own = to + summand_of_neighbour(shared, in[INDEX]);
  const int counted = to + __syncthreads_count(in[INDEX] & 1);
  WRITE(own && counted); }

//@ results_that_are_objects_are_values 1
struct Number { int value; __device__ int is_value() & { return 0; } __device__ int is_value() && { return 1; } };
struct Taken { int is_value; __device__ Taken(Number&&) : is_value(1) {} __device__ Taken(const Number&) : is_value(0) {} };
__device__ Number object_of_neighbour(int* shared, int x) {
  shared[threadIdx.x] = x;
  __syncthreads();
  const Number found = {shared[threadIdx.x ^ 1]};
  __syncthreads();
  return found; }
KERNEL(results_that_are_objects_are_values) {
  __shared__ int shared[1024];
  const int is_value = object_of_neighbour(shared, in[INDEX]).is_value();
  Taken taken = object_of_neighbour(shared, in[INDEX]);
  WRITE(is_value && taken.is_value); }

//@ references_keep_results 1
__device__ int kept_of_neighbour(int* shared, int x) {
  shared[threadIdx.x] = x;
  __syncthreads();
  const int found = shared[threadIdx.x ^ 1];
  __syncthreads();
  return found; }
KERNEL(references_keep_results) {
  __shared__ int shared[1024];
  const int& first = kept_of_neighbour(shared, in[INDEX]);
  auto&& second = kept_of_neighbour(shared, 2 * in[INDEX]);
  const int is_value = !std::is_lvalue_reference<decltype(second)>::value;
  __syncthreads();
  shared[threadIdx.x] = 7;
  __syncthreads();
  const int wanted = in[INDEX ^ 1];
  WRITE(is_value && first == wanted && second == 2 * wanted); }

//@ constant_references_keep_results 1
__device__ int lasting_of_neighbour(int* shared, int x) {
  shared[threadIdx.x] = x;
  __syncthreads();
  const int found = shared[threadIdx.x ^ 1];
  __syncthreads();
  return found; }
KERNEL(constant_references_keep_results) {
  __shared__ int shared[1024];
  const int& result = lasting_of_neighbour(shared, in[INDEX]);
  __syncthreads();
  shared[threadIdx.x] = 7;
  __syncthreads();
  WRITE(result == in[INDEX ^ 1]); }
