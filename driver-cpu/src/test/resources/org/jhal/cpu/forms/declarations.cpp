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
