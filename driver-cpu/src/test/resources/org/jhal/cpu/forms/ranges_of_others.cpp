// SPDX-License-Identifier: Apache-2.0
// What looks like a clamp or a guard, but is something else; apart from ranges.cpp, where no such names are.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define COUNT ((int)(gridDim.x * 64))
#define WRITE(condition) out[blockIdx.x * blockDim.x + threadIdx.x] = (condition) ? 1 : 0

//@ min_of_the_source 1
namespace own { static __device__ int min(int a, int b) { return a + b; } }
KERNEL(min_of_the_source) {
  using own::min;
  int t = threadIdx.x;
  WRITE(min(t, 100) == t + 100); }

//@ min_is_a_class 1
struct Max { int v; __device__ Max(int a, int b) : v(a - b) {} };
KERNEL(min_is_a_class) {
  typedef Max max;
  int t = threadIdx.x;
  WRITE(max(t, -5).v == t + 5); }

//@ comparison_of_the_source 1
struct Limit { int n; };
__device__ static bool operator<(int a, const Limit& b) { return a > b.n; }
__device__ static bool operator>=(const Limit& b, int a) { return a != b.n; }
KERNEL(comparison_of_the_source) {
  int t = threadIdx.x, v = 0;
  Limit limit{12};
  if (t < limit && limit >= t) v = 1;
  WRITE(v == (t > 12)); }

//@ min_is_a_lambda 1
KERNEL(min_is_a_lambda) {
  int t = threadIdx.x;
  auto max = [](int a, int b) { return a * b; };
  WRITE(max(t, 0) == 0); }
