// SPDX-License-Identifier: Apache-2.0
// Names that mean something else in another scope, and types that change where a kernel is divided. As in proofs.cpp,
// each kernel is a part of its own; all items write 1 if they see what they must.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define COUNT (gridDim.x * 64)
#define WRITE(condition) out[INDEX] = (condition) ? 1 : 0
#define EXCHANGE(s, value) s[threadIdx.x] = (value); __syncthreads()

//@ unsigned_template_argument 1
template <unsigned N> __device__ int rest(int* s, int v) {
  EXCHANGE(s, v);
  int x = s[threadIdx.x];
  __syncthreads();
  return x % N + (x < N ? 1000 : 0); }
KERNEL(unsigned_template_argument) {
  __shared__ int s[64];
  int x = (int)threadIdx.x - 40;
  int found = rest<7>(s, x);
  WRITE(found == (int)((unsigned)x % 7u) + ((unsigned)x < 7u ? 1000 : 0)); }

//@ long_template_argument 1
template <size_t N> __device__ long long square(int* s, int v) {
  EXCHANGE(s, v);
  long long x = s[threadIdx.x] * N * N;
  __syncthreads();
  return x; }
KERNEL(long_template_argument) {
  __shared__ int s[64];
  WRITE(square<100000>(s, threadIdx.x) == threadIdx.x * 10000000000ll); }

//@ narrow_template_arguments 1
__device__ int kind(int) { return 1; }
__device__ int kind(unsigned char) { return 2; }
__device__ int kind(bool) { return 3; }
template <unsigned char N, bool B> __device__ int kinds(int* s) {
  EXCHANGE(s, 1);
  int x = kind(N) + kind(B) * 10 + sizeof(N) * 100;
  __syncthreads();
  return x + s[threadIdx.x]; }
KERNEL(narrow_template_arguments) {
  __shared__ int s[64];
  int x = kinds<7, 1>(s);
  WRITE(x == 133); }

//@ template_argument_of_the_type_of_another 1
template <class T, T N> __device__ int half(int v) {
  int x = __shfl_sync(~0u, v, threadIdx.x & 31) / N;
  return x; }
KERNEL(template_argument_of_the_type_of_another) {
  int x = (int)threadIdx.x - 40;
  int some = half<unsigned, 3>(x), other = half<int, 3>(x);
  WRITE(some == (int)((unsigned)x / 3u) && other == x / 3); }

//@ template_argument_that_another_name_gives 1
constexpr int WIDTH = 3;
template <unsigned W> __device__ int part(int v) {
  int x = __shfl_sync(~0u, v, threadIdx.x & 31) / W;
  return x; }
KERNEL(template_argument_that_another_name_gives) {
  int x = (int)threadIdx.x - 40;
  int found = part<WIDTH>(x);
  WRITE(found == (int)((unsigned)x / 3u)); }

//@ template_argument_that_the_function_hides 1
constexpr int K = 3;
template <int N> __device__ int times(int* s, int v) {
  enum { K = 5 };
  EXCHANGE(s, v);
  int x = s[threadIdx.x] * N + K;
  __syncthreads();
  return x; }
KERNEL(template_argument_that_the_function_hides) {
  __shared__ int s[64];
  int x = times<K>(s, threadIdx.x);
  WRITE(x == (int)threadIdx.x * 3 + 5); }

//@ template_type_that_the_function_hides 1
using Value = int;
template <class T> __device__ int sum(int* s, int v) {
  using Value = unsigned char;
  EXCHANGE(s, v);
  T x = s[threadIdx.x] + 250;
  Value y = (Value)x;
  __syncthreads();
  return x * 2 + y; }
KERNEL(template_type_that_the_function_hides) {
  __shared__ int s[64];
  int x = sum<Value>(s, threadIdx.x), v = threadIdx.x + 250;
  WRITE(x == v * 2 + (v & 255)); }

//@ reference_to_another_type 1
template <class T> __device__ long long large(int* s, const T& v) {
  EXCHANGE(s, 1);
  long long x = v * 100000 * 100000 + s[threadIdx.x];
  __syncthreads();
  return x; }
KERNEL(reference_to_another_type) {
  __shared__ int s[64];
  int i = threadIdx.x;
  long long x = large<long long>(s, i);
  WRITE(x == i * 10000000000ll + 1); }

//@ reference_to_a_narrow_copy 1
template <class T> __device__ int narrow(int* s, const T& v) {
  EXCHANGE(s, v);
  int x = v + s[threadIdx.x];
  __syncthreads();
  return x; }
KERNEL(reference_to_a_narrow_copy) {
  __shared__ int s[64];
  int k = threadIdx.x + 250;
  int x = narrow<unsigned char>(s, k);
  WRITE(x == (k & 255) * 2); }

//@ reference_that_a_lambda_hides 1
__device__ const int total = 100;
__device__ int added(int* s, const int& v) {
  EXCHANGE(s, 5);
  auto g = [&](int total) { return total + v; };
  int r = g(s[threadIdx.x]);
  __syncthreads();
  return r; }
KERNEL(reference_that_a_lambda_hides) {
  __shared__ int s[64];
  int x = added(s, total);
  WRITE(x == 105); }

//@ references_to_one_variable_in_a_lambda 1
__device__ int tripled(int* s, int& x, int& y) {
  EXCHANGE(s, x + 1);
  auto g = [&](int x) { return x * 3 + y; };
  int r = g(s[threadIdx.x]);
  __syncthreads();
  return r; }
KERNEL(references_to_one_variable_in_a_lambda) {
  __shared__ int s[64];
  int a = threadIdx.x;
  int x = tripled(s, a, a);
  WRITE(x == (a + 1) * 3 + a); }

//@ reference_that_is_constant 1
struct Counted { int v; __device__ int get() { return v; } __device__ int get() const { return v * 100; } };
__device__ int both(int* s, const Counted& r) {
  EXCHANGE(s, 1);
  int x = r.get() + s[threadIdx.x];
  __syncthreads();
  return x; }
KERNEL(reference_that_is_constant) {
  __shared__ int s[64];
  Counted q{(int)threadIdx.x};
  int x = both(s, q);
  WRITE(x == (int)threadIdx.x * 100 + 1); }

//@ constant_reference_that_is_passed_on 1
__device__ int kind(int&) { return 1; }
__device__ int kind(const int&) { return 2; }
__device__ int seen(int* s, const int& r) {
  EXCHANGE(s, 1);
  int x = kind(r) + s[threadIdx.x];
  __syncthreads();
  return x; }
KERNEL(constant_reference_that_is_passed_on) {
  __shared__ int s[64];
  int v = threadIdx.x;
  int x = seen(s, v);
  WRITE(x == 3); }

//@ result_of_a_type_that_the_caller_hides 1
typedef signed char Result;
__device__ Result small(int* s, int v) {
  EXCHANGE(s, v);
  int x = s[threadIdx.x] + 200;
  __syncthreads();
  return x; }
KERNEL(result_of_a_type_that_the_caller_hides) {
  __shared__ int s[64];
  typedef int Result;
  Result r = small(s, threadIdx.x);
  WRITE(r == (signed char)(threadIdx.x + 200)); }

//@ caller_that_uses_a_name 1
__device__ int scale(int x) { return x * 10; }
namespace fast { __device__ int scale(int x) { return x * 7; } }
__device__ int scaled(int* s, int v) {
  EXCHANGE(s, v);
  int x = scale(s[threadIdx.x]);
  __syncthreads();
  return x; }
KERNEL(caller_that_uses_a_name) {
  __shared__ int s[64];
  using fast::scale;
  int r = scaled(s, threadIdx.x);
  WRITE(r == (int)threadIdx.x * 10 && scale(1) == 7); }

//@ caller_that_uses_a_namespace 1
__device__ int scale(long long x) { return (int)x * 10; }
namespace fast { __device__ int scale(int x) { return x * 7; } }
__device__ int scaled(int* s, int v) {
  EXCHANGE(s, v);
  int x = scale(s[threadIdx.x]);
  __syncthreads();
  return x; }
KERNEL(caller_that_uses_a_namespace) {
  __shared__ int s[64];
  using namespace fast;
  int r = scaled(s, threadIdx.x);
  WRITE(r == (int)threadIdx.x * 10); }

//@ caller_with_another_name_for_a_namespace 1
namespace one { __device__ int g(int x) { return x + 1; } }
namespace two { __device__ int g(int x) { return x + 2; } }
namespace z = one;
__device__ int next(int* s, int v) {
  EXCHANGE(s, v);
  int x = z::g(s[threadIdx.x]);
  __syncthreads();
  return x; }
KERNEL(caller_with_another_name_for_a_namespace) {
  __shared__ int s[64];
  namespace z = two;
  int r = next(s, threadIdx.x);
  WRITE(r == (int)threadIdx.x + 1 && z::g(1) == 3); }

//@ constant_behind_the_use_of_another 1
__device__ constexpr int K = 100;
KERNEL(constant_behind_the_use_of_another) {
  __shared__ int s[64];
  int a = in[INDEX] + K;
  constexpr int K = 4;
  EXCHANGE(s, a + K);
  WRITE(s[threadIdx.x] == in[INDEX] + 104 && a == in[INDEX] + 100 && K == 4); }

//@ variable_behind_the_use_of_another 1
__device__ constexpr int N = 100;
KERNEL(variable_behind_the_use_of_another) {
  int a = in[INDEX] + N;
  int N = gridDim.x * 2;
  WRITE(a == in[INDEX] + 100 && N == gridDim.x * 2); }

//@ expanded_variable_behind_the_use_of_another 1
__device__ constexpr int N = 100;
KERNEL(expanded_variable_behind_the_use_of_another) {
  __shared__ int s[64];
  int a = in[INDEX] + N;
  EXCHANGE(s, a);
  a += N * s[threadIdx.x];
  int N = in[INDEX];
  __syncthreads();
  WRITE(a == (in[INDEX] + 100) * 101 && N == in[INDEX]); }

//@ variable_of_a_block_behind_the_use_of_another 1
__device__ constexpr int W = 16;
KERNEL(variable_of_a_block_behind_the_use_of_another) {
  __shared__ int s[64];
  int r;
  {
    r = threadIdx.x / W;
    int W = 8;
    r += threadIdx.x / W;
    EXCHANGE(s, r * W);
  }
  WRITE(s[threadIdx.x] * W == (int)(threadIdx.x / 16 + threadIdx.x / 8) * 128); }

//@ variables_of_one_declaration 1
__device__ constexpr int N = 100;
KERNEL(variables_of_one_declaration) {
  int a = N + 1, N = 7, b = N + 1;
  WRITE(a == 101 && N == 7 && b == 8); }

//@ shared_array_behind_the_use_of_another 1
__device__ const int table[64] = {5, 6, 7};
KERNEL(shared_array_behind_the_use_of_another) {
  int v = table[1];
  __shared__ int table[64];
  EXCHANGE(table, v + 1);
  WRITE(table[threadIdx.x] == 7); }

//@ shared_array_before_the_use_of_another 1
__device__ const int table[64] = {5, 6, 7};
KERNEL(shared_array_before_the_use_of_another) {
  int v = 0;
  if (gridDim.x > 0) {
    __shared__ int table[64];
    EXCHANGE(table, 1);
    v = table[threadIdx.x];
  }
  WRITE(v + table[2] == 8); }

//@ type_behind_the_use_of_another 1
struct S { char c; };
KERNEL(type_behind_the_use_of_another) {
  int x = in[INDEX] + sizeof(S);
  struct S { int v[4]; };
  WRITE(x == in[INDEX] + 1 && sizeof(S) == 16); }

//@ type_behind_a_value_that_is_computed_again 1
typedef unsigned char V;
KERNEL(type_behind_a_value_that_is_computed_again) {
  __shared__ int s[64];
  int x = (V)(threadIdx.x + 250);
  EXCHANGE(s, x);
  using V = int;
  WRITE(x == (V)((threadIdx.x + 250) & 255) && s[threadIdx.x] == x); }

//@ using_declaration_behind_the_use_of_another 1
__device__ int scale(int x) { return x * 10; }
namespace fast { __device__ int scale(int x) { return x * 7; } }
KERNEL(using_declaration_behind_the_use_of_another) {
  int a = scale(in[INDEX]);
  using fast::scale;
  WRITE(a == in[INDEX] * 10 && scale(2) == 14); }

//@ using_directive_behind_the_use_of_another 1
__device__ int scale(long long x) { return (int)x * 10; }
namespace fast { __device__ int scale(int x) { return x * 7; } }
KERNEL(using_directive_behind_the_use_of_another) {
  int a = scale(in[INDEX]);
  using namespace fast;
  WRITE(a == in[INDEX] * 10 && scale(2) == 14); }

//@ enumerator_behind_the_use_of_another 1
__device__ constexpr int Q = 9;
KERNEL(enumerator_behind_the_use_of_another) {
  int a = in[INDEX] + Q;
  enum { P, Q };
  WRITE(a == in[INDEX] + 9 && Q == 1); }

//@ enumerator_that_hides_an_index 1
KERNEL(enumerator_that_hides_an_index) {
  int x = INDEX, r = *(in + x), wanted = *(in + 2);
  if (r >= 0) {
    enum E { w, z, x };
    r = in[x] - in[x + z] + in[3];
  }
  WRITE(r == wanted && x == INDEX); }

//@ condition_that_declares 1
KERNEL(condition_that_declares) {
  int x = INDEX, s = 0, wanted = x & 3 ? *(in + (x & 3) + 1) : *(in + 2);
  if (int x = INDEX & 3) {
    s = in[x + 1];
  } else {
    s = in[x + 2];
  }
  WRITE(s == wanted && in[x + 0] == *(in + INDEX)); }

//@ else_branch_that_declares 1
KERNEL(else_branch_that_declares) {
  int x = INDEX, y = 5, s = 0;
  if (int x = INDEX & 1) {
    s = in[x + 1];
  } else if (int y = INDEX & 2) {
    s = in[x + y + 1];
  } else {
    s = in[y + x];
  }
  WRITE(s == *(in + (INDEX & 1 ? 2 : INDEX & 2 ? 3 : 0)) && x + y == INDEX + 5); }

//@ loop_whose_condition_declares 1
KERNEL(loop_whose_condition_declares) {
  int x = INDEX + 1, s = 0, wanted = 0, q = threadIdx.x & 15;
  for (int k = q; k; k >>= 1) { wanted = wanted * 3 + *(in + k + 1); }
  while (int x = q) {
    q >>= 1;
    s = s * 3 + in[x + 1];
    if (s == 0) continue;
  }
  WRITE(s == wanted && x == INDEX + 1); }

//@ for_loop_whose_condition_declares 1
KERNEL(for_loop_whose_condition_declares) {
  int j = INDEX, s = 0, wanted = 0;
  for (int k = 6; k; k--) { wanted += *(in + (k & 7) + 1); }
  for (int k = 6; int j = k & 7; k--) {
    if (k < 0) continue;
    s += in[j + 1];
  }
  WRITE(s == wanted && in[j + 0] == *(in + INDEX)); }

//@ loop_with_a_barrier_whose_condition_declares 1
KERNEL(loop_with_a_barrier_whose_condition_declares) {
  __shared__ int s[64];
  int x = 7, q = 3, sum = 0;
  while (int x = q) {
    EXCHANGE(s, x);
    sum += s[threadIdx.x ^ 1];
    q--;
    __syncthreads();
  }
  WRITE(sum == 6 && x == 7); }

//@ exit_whose_condition_declares 1
struct M { int v; };
__device__ M operator+(M a, M b) { return {a.v + b.v}; }
KERNEL(exit_whose_condition_declares) {
  int v = 5, s = 0;
  for (int k = 0; k < 4; k++) {
    if (int v = k & 1) continue;
    s += v;
  }
  WRITE(s == 10);
  if (int v = INDEX & 1) return;
  WRITE(v == 5 && s == 10); }

//@ constant_over_a_barrier 1
__device__ int kind(int&) { return 1; }
__device__ int kind(const int&) { return 2; }
KERNEL(constant_over_a_barrier) {
  __shared__ int s[64];
  int v = INDEX, u = gridDim.x;
  const int c = in[INDEX];
  EXCHANGE(s, kind(v) + kind(c) * 10 + kind(u) * 100);
  WRITE(s[threadIdx.x ^ 1] == 121 && kind(v) + kind(c) * 10 + kind(u) * 100 == 121 && c == in[INDEX]); }

//@ volatile_over_a_barrier 1
__device__ int kind(int&) { return 1; }
__device__ int kind(volatile int&) { return 2; }
KERNEL(volatile_over_a_barrier) {
  __shared__ int s[64];
  volatile int v = INDEX;
  EXCHANGE(s, kind(v));
  v = v + 1;
  WRITE(s[threadIdx.x ^ 1] == 2 && kind(v) == 2 && v == INDEX + 1); }

//@ constant_object_over_a_barrier 1
struct Counted { int v; __device__ int get() { return v; } __device__ int get() const { return v * 100; } };
typedef const Counted Constant;
KERNEL(constant_object_over_a_barrier) {
  __shared__ int s[64];
  const Counted c{(int)threadIdx.x};
  Constant d{(int)threadIdx.x};
  const auto e = c;
  Counted f = c;
  EXCHANGE(s, c.get());
  int wanted = threadIdx.x * 100;
  WRITE(s[threadIdx.x] == wanted && c.get() == wanted && d.get() == wanted && e.get() == wanted && f.get() * 100 == wanted); }

//@ constant_array_over_a_barrier 1
__device__ int kind(int*) { return 1; }
__device__ int kind(const int*) { return 2; }
KERNEL(constant_array_over_a_barrier) {
  __shared__ int s[64];
  const int c[2] = {(int)INDEX, 3};
  EXCHANGE(s, kind(c));
  WRITE(s[threadIdx.x ^ 1] == 2 && kind(c) == 2 && c[0] + c[1] == INDEX + 3); }

//@ constant_pointer_over_a_barrier 1
__device__ int kind(int*&) { return 1; }
__device__ int kind(int* const&) { return 2; }
KERNEL(constant_pointer_over_a_barrier) {
  __shared__ int s[64];
  int x = in[INDEX];
  int* const p = &x;
  int* q = &x;
  EXCHANGE(s, kind(p) + kind(q) * 10);
  WRITE(s[threadIdx.x ^ 1] == 12 && kind(p) + kind(q) * 10 == 12 && *p == in[INDEX] && *q == *p); }

//@ lambda_with_the_name_of_a_pure_function 1
KERNEL(lambda_with_the_name_of_a_pure_function) {
  int k = threadIdx.x;
  auto min = [&](int a, int b) { k += 10; return a < b ? a : b; };
  int v[2] = {min(k, 300), __shfl_sync(~0u, k, threadIdx.x & 31)};
  WRITE(v[1] == (int)threadIdx.x + 10 && v[0] == (int)threadIdx.x); }

//@ object_with_the_name_of_a_pure_function 1
struct Counter { int* k; __device__ int operator()(int a) const { *k += 10; return a; } };
KERNEL(object_with_the_name_of_a_pure_function) {
  int k = threadIdx.x;
  Counter abs{&k};
  int v[2] = {abs(3), __shfl_sync(~0u, k, threadIdx.x & 31)};
  WRITE(v[1] == (int)threadIdx.x + 10 && v[0] == 3); }

//@ read_through_a_pointer_before_a_call 1
__device__ int bump(int& x) {
  int old = __shfl_sync(~0u, x, threadIdx.x & 31);
  x += 100;
  return old; }
KERNEL(read_through_a_pointer_before_a_call) {
  int a = threadIdx.x;
  int* p = &a;
  int v[2] = {*p, bump(a)};
  WRITE(v[0] == (int)threadIdx.x && v[1] == (int)threadIdx.x && a == v[0] + 100); }

//@ read_of_what_a_function_changes_by_its_own_name 1
__device__ int counts[2048];
__device__ int bump(int i) {
  int old = __shfl_sync(~0u, i, threadIdx.x & 31);
  counts[i] += 100;
  return old; }
KERNEL(read_of_what_a_function_changes_by_its_own_name) {
  int i = threadIdx.x + blockIdx.x * 64;
  counts[i] = 1;
  int* p = counts + i;
  int v[2] = {*p, bump(i)};
  WRITE(v[0] == 1 && v[1] == i && *p == 101); }

//@ shared_array_outside_functions 1
__shared__ int scratch[64];
KERNEL(shared_array_outside_functions) {
  int i = blockIdx.x * 64 + threadIdx.x;
  scratch[i & 63] = i;
  int sum = 0;
  for (int k = 0; k < 40; k++) { sum += in[(k + i) % COUNT]; }
  WRITE(scratch[i & 63] == i && sum >= 0); }

//@ shared_array_of_a_function 1
__device__ int* place() {
  __shared__ int scratch[64];
  return scratch; }
KERNEL(shared_array_of_a_function) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int* at = place();
  at[i & 63] = i;
  int sum = 0;
  for (int k = 0; k < 40; k++) { sum += in[(k + i) % COUNT]; }
  WRITE(at[i & 63] == i && sum >= 0); }

//@ static_method_with_a_result_of_its_class 1
using Value = int;
struct Op { using Value = unsigned char; static __device__ Value f(int v) { return v + threadIdx.x + 250; } };
KERNEL(static_method_with_a_result_of_its_class) { WRITE(Op::f(0) == ((threadIdx.x + 250) & 255)); }

//@ static_method_with_a_default_of_its_class 1
__device__ constexpr int FACTOR = 100;
struct Op { static constexpr int FACTOR = 3; template <int M = FACTOR> static __device__ int f(int v) { return v * M + threadIdx.x; } };
KERNEL(static_method_with_a_default_of_its_class) { WRITE(Op::f(2) == 6 + threadIdx.x); }

//@ type_with_the_name_of_a_wide_integer 1
KERNEL(type_with_the_name_of_a_wide_integer) {
  typedef unsigned char uint;
  uint c = blockIdx.x * 64 + threadIdx.x;
  WRITE(1);
  if (c < 100) return;
  WRITE((INDEX & 255) >= 100); }

//@ narrow_cast_with_the_name_of_a_wide_integer 1
KERNEL(narrow_cast_with_the_name_of_a_wide_integer) {
  typedef unsigned char uint;
  int i = blockIdx.x * 64 + (uint)(threadIdx.x + 256);
  out[i] = 1; }

//@ type_of_a_variable_in_parentheses 1
template <class T> struct Kind { static constexpr int value = 1; };
template <class T> struct Kind<T&> { static constexpr int value = 2; };
template <class T> struct Kind<const T&> { static constexpr int value = 3; };
KERNEL(type_of_a_variable_in_parentheses) {
  __shared__ int s[64];
  int u = gridDim.x;
  EXCHANGE(s, Kind<decltype((u))>::value);
  WRITE(s[threadIdx.x] == 2 && Kind<decltype((u))>::value == 2); }

//@ shuffle_of_comparisons 1
KERNEL(shuffle_of_comparisons) {
  int a = threadIdx.x & 7, b = 4, c = threadIdx.x & 3, d = 1;
  int found = __shfl_sync(~0u, a < b, c > d);
  WRITE(found == 1); }

//@ variable_of_a_condition_that_a_step_uses 1
KERNEL(variable_of_a_condition_that_a_step_uses) {
  int j = 1, n = 0;
  for (int k = 0; int j = 8 - k; k += j > 1 ? j / 2 : j) n = n * 10 + j;
  WRITE(n == 8421 && j == 1); }

//@ variable_of_a_condition_that_a_step_uses_behind_a_barrier 1
KERNEL(variable_of_a_condition_that_a_step_uses_behind_a_barrier) {
  __shared__ int s[64];
  int j = 1, n = 0;
  EXCHANGE(s, threadIdx.x);
  for (int k = 0; int j = 8 - k; k += j > 1 ? j / 2 : j) n = n * 10 + j;
  WRITE(n == 8421 && j + s[63 - threadIdx.x] == 64 - (int)threadIdx.x); }

//@ results_are_values 1
__device__ int kind(int&) { return 1; }
__device__ int kind(const int&) { return 2; }
__device__ int kind(int&&) { return 3; }
template <class T> __device__ int deduced(T&&) { return std::is_lvalue_reference<T>::value ? 1 : 3; }
__device__ int exchanged(int* s, int v) {
  EXCHANGE(s, v);
  int x = s[63 - threadIdx.x];
  __syncthreads();
  return x; }
KERNEL(results_are_values) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int a = kind(exchanged(s, t)), b = deduced(exchanged(s, t)), c = kind(__syncthreads_count(t & 1));
  int d = deduced(__syncthreads_or(t == 1)), e = kind(__shfl_xor_sync(~0u, t, 1)), f = deduced(__ballot_sync(~0u, t & 1));
  int g = kind((int)exchanged(s, t)) + kind(exchanged(s, t) + 1);
  WRITE(a == 3 && b == 3 && c == 3 && d == 3 && e == 3 && f == 3 && g == 6); }

//@ result_in_a_list_of_values 1
struct Kind { int k; __device__ Kind(int&) : k(1) {} __device__ Kind(int&&) : k(3) {} };
__device__ int given(int* s, int v) {
  EXCHANGE(s, v);
  int x = s[63 - threadIdx.x];
  __syncthreads();
  return x; }
KERNEL(result_in_a_list_of_values) {
  __shared__ int s[64];
  Kind a{given(s, threadIdx.x)};
  Kind b(given(s, threadIdx.x));
  auto&& c = given(s, threadIdx.x);
  WRITE(a.k == 3 && b.k == 3 && c == 63 - (int)threadIdx.x); }

//@ calls_that_are_not_evaluated 1
__device__ int added(int* s, int v) {
  s[threadIdx.x] += v;
  __syncthreads();
  int x = s[63 - threadIdx.x];
  __syncthreads();
  return x; }
KERNEL(calls_that_are_not_evaluated) {
  __shared__ int s[64];
  int k = 3;
  EXCHANGE(s, 1);
  int a = sizeof(added(s, 5)), b = sizeof added(s, 6);
  decltype(added(s, 7)) c = 2;
  int d = sizeof(__shfl_sync(~0u, k++, 5)) + sizeof(int[sizeof(added(s, 8))]);
  WRITE(a == 4 && b == 4 && c == 2 && d == 20 && k == 3 && s[threadIdx.x] == 1); }

//@ calls_in_a_type_are_not_evaluated 1
__device__ int more(int* s, int v) {
  s[threadIdx.x] += v;
  __syncthreads();
  int x = s[63 - threadIdx.x];
  __syncthreads();
  return x; }
KERNEL(calls_in_a_type_are_not_evaluated) {
  __shared__ int s[64];
  EXCHANGE(s, 1);
  decltype(more(s, 7)) a = more(s, 2);
  int b[sizeof(more(s, 8))] = {};
  WRITE(a == 3 && sizeof(b) == 16 && s[threadIdx.x] == 3); }

//@ number_of_the_warp_is_signed 1
KERNEL(number_of_the_warp_is_signed) {
  __shared__ int s[64];
  int t = threadIdx.x;
  long l = t;
  const auto w = t / 32;
  auto v = t >> 5, u = t / 32;
  auto x = l / 32;
  EXCHANGE(s, t);
  WRITE((w - 2 < 0) && (v - 2 < 0) && (u - 2 < 0) && sizeof(x) == 8 && s[63 - t] == 63 - t); }
