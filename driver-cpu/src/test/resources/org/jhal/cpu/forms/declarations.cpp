// SPDX-License-Identifier: Apache-2.0
// Declarations of unusual kinds, which hide a global behind the barrier. Each kernel is a source of its own. All items write
// 1 if they see what they must.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define WRITE(condition) out[INDEX] = (condition) ? 1 : 0
struct Pair { int a, b; };
enum Number { ONE = 1, TWO = 2 };
typedef int Integer;
typedef Pair* Place;
__device__ int twice(int x) { return x * 2; }

//@ pointer_to_a_function 1
__device__ int n(int x) { return x * 100; }
KERNEL(pointer_to_a_function) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int (*n)(int) = twice;
  s[t] = n(3);
  __syncthreads();
  int x = s[63 - t], y = n(3);
  __syncthreads();
  WRITE(x == 6 && y == 6); }

//@ pointer_to_a_function_of_another_type 1
__device__ int n(int x) { return x * 100; }
KERNEL(pointer_to_a_function_of_another_type) {
  __shared__ int s[64];
  int t = threadIdx.x;
  Integer (*n)(int) = twice;
  s[t] = n(3);
  __syncthreads();
  int x = s[63 - t], y = n(3);
  __syncthreads();
  WRITE(x == 6 && y == 6); }

//@ name_in_parentheses 1
__device__ int n = 100;
KERNEL(name_in_parentheses) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int (n) = 5;
  s[t] = n;
  __syncthreads();
  int x = s[63 - t], y = n;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ name_of_another_type_in_parentheses 1
__device__ int n = 100;
KERNEL(name_of_another_type_in_parentheses) {
  __shared__ int s[64];
  int t = threadIdx.x;
  Integer (n) = 5;
  s[t] = n;
  __syncthreads();
  int x = s[63 - t], y = n;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ class_with_its_key 1
__device__ Pair n;
KERNEL(class_with_its_key) {
  __shared__ int s[64];
  int t = threadIdx.x;
  Pair zero = {0, 5}; struct Pair n = zero;
  s[t] = n.b;
  __syncthreads();
  int x = s[63 - t], y = n.b;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ enumeration_with_its_key 1
__device__ Number n = TWO;
KERNEL(enumeration_with_its_key) {
  __shared__ int s[64];
  int t = threadIdx.x;
  enum Number n = ONE;
  s[t] = (int)n;
  __syncthreads();
  int x = s[63 - t], y = (int)n;
  __syncthreads();
  WRITE(x == 1 && y == 1); }

//@ type_of_the_global_namespace 1
__device__ Integer n = 100;
KERNEL(type_of_the_global_namespace) {
  __shared__ int s[64];
  int t = threadIdx.x;
  ::Integer n = 5;
  s[t] = n;
  __syncthreads();
  int x = s[63 - t], y = n;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ class_of_the_global_namespace 1
__device__ Pair n;
KERNEL(class_of_the_global_namespace) {
  __shared__ int s[64];
  int t = threadIdx.x;
  ::Pair n = {t - t, 5};
  s[t] = n.b;
  __syncthreads();
  int x = s[63 - t], y = n.b;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ type_of_an_expression 1
__device__ int n = 100;
KERNEL(type_of_an_expression) {
  __shared__ int s[64];
  int t = threadIdx.x;
  __typeof__(t + 0) n = 5;
  s[t] = n;
  __syncthreads();
  int x = s[63 - t], y = n;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ volatile_pointer 1
__device__ Place n;
KERNEL(volatile_pointer) {
  __shared__ int s[64];
  int t = threadIdx.x;
  Pair pair = {0, 5}; Pair* volatile n = &pair;
  s[t] = n->b;
  __syncthreads();
  int x = s[63 - t], y = n->b;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ volatile_pointer_of_another_type 1
__device__ Pair* n;
KERNEL(volatile_pointer_of_another_type) {
  __shared__ int s[64];
  int t = threadIdx.x;
  Pair pair = {0, 5}; Place volatile n = &pair;
  s[t] = n->b;
  __syncthreads();
  int x = s[63 - t], y = n->b;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ variable_with_an_attribute 1
__device__ Integer n = 100;
KERNEL(variable_with_an_attribute) {
  __shared__ int s[64];
  int t = threadIdx.x;
  Integer n __attribute__((unused)) = 5;
  s[t] = n;
  __syncthreads();
  int x = s[63 - t], y = n;
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ pointer_to_an_array 1
__device__ int n[2][2];
KERNEL(pointer_to_an_array) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int a[1][2] = {{0, 5}}; Integer (*n)[2] = a;
  s[t] = n[0][1];
  __syncthreads();
  int x = s[63 - t], y = n[0][1];
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ reference_to_an_array 1
__device__ int n[2] = {1, 2};
KERNEL(reference_to_an_array) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int a[2] = {0, 5}; Integer (&n)[2] = a;
  s[t] = n[1];
  __syncthreads();
  int x = s[63 - t], y = n[1];
  __syncthreads();
  WRITE(x == 5 && y == 5); }

//@ types_that_are_declared_together 1
typedef char A;
typedef short B;
KERNEL(types_that_are_declared_together) {
  __shared__ int s[64];
  s[threadIdx.x] = sizeof(A);
  __syncthreads();
  int a = s[63 - threadIdx.x] + sizeof(A) * 100;
  typedef long A, B;
  WRITE(a == 101 && sizeof(A) == 8 && sizeof(B) == 8); }

//@ type_of_a_pointer_to_a_function 1
typedef char F;
KERNEL(type_of_a_pointer_to_a_function) {
  __shared__ int s[64];
  s[threadIdx.x] = sizeof(F);
  __syncthreads();
  int a = s[63 - threadIdx.x] + sizeof(F) * 100;
  typedef int (*F)(int);
  WRITE(a == 101 && sizeof(F) == 8); }

//@ functions_that_are_used_together 1
namespace q {
__device__ int g(int x) { return x * 7; }
__device__ int h(int x) { return x * 9; }
}
__device__ int g(long x) { return (int)x * 3; }
KERNEL(functions_that_are_used_together) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = g(t);
  __syncthreads();
  int a = s[63 - t] + g(2);
  using q::g, q::h;
  WRITE(a == (63 - t) * 3 + 6 && g(1) == 7 && h(1) == 9); }

//@ volatile_variables_stay_volatile 1
__device__ int kind(int&) { return 1; }
__device__ int kind(volatile int&) { return 2; }
__device__ int kind(int*&) { return 3; }
__device__ int kind(int* volatile&) { return 4; }
KERNEL(volatile_variables_stay_volatile) {
  __shared__ int s[64];
  volatile auto a = (int)threadIdx.x;
  int b = a;
  int *volatile p = &b, *w = &b;
  s[threadIdx.x] = *p + *w;
  __syncthreads();
  int x = kind(a), y = kind(p) + kind(w) * 10;
  a++, p++, w++;
  WRITE(x == 2 && y == 34 && s[63 - threadIdx.x] == 2 * (63 - (int)threadIdx.x)); }

//@ volatile_variable_of_a_deduced_type 1
__device__ int kind(int&) { return 1; }
__device__ int kind(volatile int&) { return 2; }
KERNEL(volatile_variable_of_a_deduced_type) {
  __shared__ int s[64];
  volatile auto a = (int)threadIdx.x;
  s[threadIdx.x] = a;
  __syncthreads();
  int x = kind(a);
  a = 5;
  WRITE(x == 2 && s[63 - threadIdx.x] == 63 - (int)threadIdx.x); }

//@ type_named_like_a_wide_integer 1
typedef unsigned char uint;
KERNEL(type_named_like_a_wide_integer) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  uint c = threadIdx.x * 5;
  if (c < 100) s[threadIdx.x] = 1;
  __syncthreads();
  WRITE(s[threadIdx.x] == ((5 * threadIdx.x & 255) < 100)); }

//@ other_type_named_like_a_wide_integer 1
using size_t = signed char;
KERNEL(other_type_named_like_a_wide_integer) {
  size_t i = 5 * threadIdx.x - 128;
  __shared__ int s[512];
  for (int k = threadIdx.x; k < 512; k += 64) s[k] = k;
  __syncthreads();
  WRITE(s[i + 200] == (signed char)(5 * threadIdx.x - 128) + 200); }

//@ brackets_that_are_digraphs 1
KERNEL(brackets_that_are_digraphs) <%
  __shared__ int s<:64:>;
  int t = threadIdx.x, x = 0;
  s<:t:> = t;
  __syncthreads();
  for (int i = 0; i < 3; i++) <% x += s<:63 - t:>; %>
  WRITE(x == 3 * (63 - t)); %>

//@ angles_before_a_global_name 1
template <class T> struct Box { T v; };
KERNEL(angles_before_a_global_name) {
  __shared__ int s[64];
  Box<::Pair> box = {{(int)threadIdx.x, 1}};
  s[threadIdx.x] = box.v.a;
  __syncthreads();
  WRITE(s[63 - threadIdx.x] + box.v.b == 64 - (int)threadIdx.x); }

//@ kernel_in_an_inline_namespace 1
inline namespace first { __device__ int twice_in(int x) { return x * 2 + threadIdx.x - threadIdx.x; } }
KERNEL(kernel_in_an_inline_namespace) {
  __shared__ int s[64];
  s[threadIdx.x] = twice_in(threadIdx.x);
  __syncthreads();
  WRITE(s[63 - threadIdx.x] == 2 * (63 - (int)threadIdx.x)); }

//@ types_of_choices 1
template <class T> struct Constant { static const int value = 0; };
template <class T> struct Constant<const T&> { static const int value = 1; };
KERNEL(types_of_choices) {
  __shared__ int s[64];
  int t = threadIdx.x, x = t * 3, k = 5;
  s[t] = x;
  __syncthreads();
  int r = s[63 - t] + Constant<decltype(true ? x : x)>::value + Constant<decltype((0, k))>::value;
  WRITE(r + x + k == 194); }
