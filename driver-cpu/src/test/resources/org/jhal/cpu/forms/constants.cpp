// SPDX-License-Identifier: Apache-2.0
// Members of classes, and parameters, that are constant where they are used. Each kernel is a source of its own. All items
// write 1 if they see what they must.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define WRITE(condition) out[INDEX] = (condition) ? 1 : 0
#define EXCHANGE(s, value) s[threadIdx.x] = (value); __syncthreads()

//@ field_in_a_constant_method 1
__device__ int kind(int&) { return 1; }
__device__ int kind(const int&) { return 2; }
struct Field { int v; __device__ int get() const { return kind(v) + threadIdx.x; } };
KERNEL(field_in_a_constant_method) {
  Field f{3};
  WRITE(f.get() == 2 + (int)threadIdx.x); }

//@ field_in_a_constant_method_that_meets 1
__device__ int kind(int&) { return 1; }
__device__ int kind(const int&) { return 2; }
struct Field { int v; int* s; __device__ int get() const {
  EXCHANGE(s, kind(v));
  int x = s[63 - threadIdx.x];
  __syncthreads();
  return x; } };
KERNEL(field_in_a_constant_method_that_meets) {
  __shared__ int s[64];
  Field f{3, s};
  int x = f.get();
  WRITE(x == 2); }

//@ pointer_to_a_field_of_a_constant_method 1
__device__ int kind(int*) { return 1; }
__device__ int kind(const int*) { return 2; }
struct Field { int v; __device__ int get() const { auto p = &v; return kind(p) + threadIdx.x; } };
KERNEL(pointer_to_a_field_of_a_constant_method) {
  Field f{3};
  WRITE(f.get() == 2 + (int)threadIdx.x); }

//@ template_of_a_field_of_a_constant_method 1
template <class T> struct Constant { static const int value = 1; };
template <class T> struct Constant<const T> { static const int value = 2; };
template <class T> __device__ int kind(T&) { return Constant<T>::value; }
struct Field { int v; __device__ int get() const { return kind(v) + threadIdx.x; } };
KERNEL(template_of_a_field_of_a_constant_method) {
  Field f{3};
  WRITE(f.get() == 2 + (int)threadIdx.x); }

//@ field_that_begins_with_a_method 1
__device__ int rank() { return 100; }
struct Field { int v = rank() + 5; __device__ int rank() { return threadIdx.x; } };
KERNEL(field_that_begins_with_a_method) {
  Field f;
  int v = f.v;
  int r = f.rank();
  WRITE(v == (int)threadIdx.x + 5 && r == (int)threadIdx.x); }

//@ function_parameter_that_hides_a_field 1
__device__ int twice(int x) { return x * 2; }
struct Hundred { __device__ int operator()(int x) const { return x * 100; } };
struct Field { Hundred f; int v; __device__ int go(int (*f)(int)) { return f(v) + threadIdx.x; } };
KERNEL(function_parameter_that_hides_a_field) {
  Field field{Hundred(), 3};
  WRITE(field.go(twice) == 6 + (int)threadIdx.x); }

//@ array_parameter_that_hides_a_field 1
struct Field { int a[4]; int v; __device__ int go(int (&a)[4]) { return a[v] + threadIdx.x; } };
KERNEL(array_parameter_that_hides_a_field) {
  Field f{{1, 2, 3, 4}, 3};
  int a[4] = {10, 20, 30, 40};
  WRITE(f.go(a) == 40 + (int)threadIdx.x); }

//@ constant_reference_by_another_reference 1
__device__ int kind(int&) { return 1; }
__device__ int kind(const int&) { return 2; }
__device__ int other(int* s, const int& v) {
  EXCHANGE(s, 1);
  auto& r = v;
  int x = kind(r);
  __syncthreads();
  return x; }
KERNEL(constant_reference_by_another_reference) {
  __shared__ int s[64];
  int n = threadIdx.x;
  int x = other(s, n);
  WRITE(x == 2); }

//@ object_of_a_constant_reference 1
struct Kind { int k; __device__ Kind(int&) : k(1) {} __device__ Kind(const int&) : k(2) {} };
__device__ int other(int* s, const int& v) {
  EXCHANGE(s, 1);
  Kind a(v);
  Kind b{v};
  int x = a.k + b.k * 10;
  __syncthreads();
  return x; }
KERNEL(object_of_a_constant_reference) {
  __shared__ int s[64];
  int n = threadIdx.x;
  int x = other(s, n);
  WRITE(x == 22); }

//@ method_that_gets_a_constant_reference 1
struct Kind { __device__ int of(int&) { return 1; } __device__ int of(const int&) { return 2; } };
__device__ int other(int* s, const int& v) {
  EXCHANGE(s, 1);
  Kind kind;
  int x = kind.of(v);
  __syncthreads();
  return x; }
KERNEL(method_that_gets_a_constant_reference) {
  __shared__ int s[64];
  int n = threadIdx.x;
  int x = other(s, n);
  WRITE(x == 2); }

//@ lambda_that_gets_a_constant_reference 1
__device__ int probe(int&) { return 1; }
__device__ int probe(const int&) { return 2; }
__device__ int other(int* s, const int& v) {
  EXCHANGE(s, 1);
  auto kind = [](auto& x) { return probe(x); };
  int x = kind(v);
  __syncthreads();
  return x; }
KERNEL(lambda_that_gets_a_constant_reference) {
  __shared__ int s[64];
  int n = threadIdx.x;
  int x = other(s, n);
  WRITE(x == 2); }

//@ operator_that_gets_a_constant_reference 1
struct Value { int v; };
__device__ int operator+(Value& a, int b) { return a.v + b; }
__device__ int operator+(const Value& a, int b) { return a.v * b; }
__device__ int other(int* s, const Value& v) {
  EXCHANGE(s, 1);
  int x = v + 3;
  __syncthreads();
  return x; }
KERNEL(operator_that_gets_a_constant_reference) {
  __shared__ int s[64];
  Value v{(int)threadIdx.x};
  int x = other(s, v);
  WRITE(x == 3 * (int)threadIdx.x); }

//@ method_of_a_part_of_a_constant_reference 1
struct Part { __device__ int get() { return 1; } __device__ int get() const { return 2; } };
struct Whole { Part part; };
__device__ int other(int* s, const Whole& v) {
  EXCHANGE(s, 1);
  int x = v.part.get();
  __syncthreads();
  return x; }
KERNEL(method_of_a_part_of_a_constant_reference) {
  __shared__ int s[64];
  Whole v;
  int x = other(s, v);
  WRITE(x == 2); }

//@ other_ways_to_use_a_constant_reference 1
struct Kind {
  int v;
  __device__ int get() { return 1; }
  __device__ int get() const { return 2; }
  __device__ explicit operator bool() { return false; }
  __device__ explicit operator bool() const { return true; }
  __device__ operator int() { return 1; }
  __device__ operator int() const { return 2; }
};
__device__ int uses(int* s, const Kind& r) {
  Kind k = {5};
  EXCHANGE(s, 1);
  int a = (r).get() + (r.v > 0 ? r : k).get() * 10 + __builtin_addressof(r)->get() * 100, b = r, c = 0;
  if (r) c = 3;
  __syncthreads();
  return a + b * 1000 + c * 10000 + r.v * 100000; }
KERNEL(other_ways_to_use_a_constant_reference) {
  __shared__ int s[64];
  Kind k = {7};
  int x = uses(s, k);
  WRITE(x == 732222); }
