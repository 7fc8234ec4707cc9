// SPDX-License-Identifier: Apache-2.0
// Clamps in rows of 16 items, which a guard keeps from acting, or does not. As in ranges.cpp, each kernel is a part of its own,
// and all items write 1 if they see what they must. What is expected is computed with a clamp of the source.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define LOAD                                                                           \
  __shared__ int s[4][16];                                                             \
  const int x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * 64;                 \
  s[y][x] = in[first + y * 16 + x];                                                    \
  __syncthreads()
#define WRITE(condition) out[blockIdx.x * 64 + threadIdx.y * 16 + threadIdx.x] = (condition) ? 1 : 0
#define OWN                                                                            \
  template <class T> static __device__ T at_most(T a, T b) { return b < a ? b : a; }   \
  template <class T> static __device__ T at_least(T a, T b) { return a < b ? b : a; }

//@ acts_in_some_workgroups 1
OWN
KERNEL(acts_in_some_workgroups) {
  LOAD;
  int low = blockIdx.x % 4, high = 15 - blockIdx.x % 3;
  int west = max(x - 1, low), east = min(x + 1, high), sum = 0;
  if (x > 0 && x < 15) sum = s[y][west] * 3 + s[y][east] * 5;
  int wanted = x > 0 && x < 15 ? s[y][at_least(x - 1, low)] * 3 + s[y][at_most(x + 1, high)] * 5 : 0;
  WRITE(sum == wanted); }

//@ guard_in_variables 1
OWN
KERNEL(guard_in_variables) {
  LOAD;
  int low = blockIdx.x > 5 ? 3 : 0, high = blockIdx.x > 3 ? 12 : 15;
  bool inside = x >= low && x <= high && y > 0, inner = x > low && x < high;
  int sum = 0;
  for (int step = 0; step < 3; step++) {
    if (x > step && x < 15 - step && (inside && inner)) sum += s[y][max(x - 1, low)] * 3 + s[y][min(x + 1, high)] * 5;
    __syncthreads();
  }
  int wanted = 0;
  for (int step = 0; step < 3; step++) {
    bool passes = x > step & x < 15 - step & x > low & x < high & y > 0;
    wanted += passes ? s[y][at_least(x - 1, low)] * 3 + s[y][at_most(x + 1, high)] * 5 : 0;
  }
  WRITE(sum == wanted); }

//@ guard_lets_it_act 1
OWN
KERNEL(guard_lets_it_act) {
  LOAD;
  int low = 2, one = 0, two = 0;
  if (x >= 2) one = s[y][max(x - 1, low)];
  __syncthreads();
  if (x < 9) two = s[y][min(x + 1, 8)];
  WRITE(one == (x >= 2 ? s[y][at_least(x - 1, 2)] : 0) && two == (x < 9 ? s[y][at_most(x + 1, 8)] : 0)); }

//@ used_behind_the_guard 1
OWN
KERNEL(used_behind_the_guard) {
  LOAD;
  int west = max(x - 1, 0), sum = 0;
  if (x > 0) sum = s[y][west];
  sum += west;
  WRITE(sum == (x > 0 ? s[y][x - 1] : 0) + at_least(x - 1, 0)); }

//@ used_by_another_variable 1
OWN
KERNEL(used_by_another_variable) {
  LOAD;
  int west = max(x - 1, 0), again = west * 2, sum = 0;
  const int more = again + 1;
  if (x > 0) sum = s[y][west];
  s[y][x] = more;
  __syncthreads();
  WRITE(s[y][x] == at_least(x - 1, 0) * 2 + 1 && (x > 0 || sum == 0)); }

//@ kept_over_a_barrier 1
OWN
KERNEL(kept_over_a_barrier) {
  LOAD;
  int at = max(x - 1, 0) + 0 * s[y][x], sum = 0;
  if (x > 0) sum = s[y][at];
  __syncthreads();
  s[y][x] = at;
  __syncthreads();
  if (x < 15) sum += s[y][x + 1];
  WRITE(s[y][x] == at_least(x - 1, 0) && sum == (x > 0 ? in[first + y * 16 + x - 1] : 0) + (x < 15 ? x : 0)); }

//@ two_guards 1
OWN
KERNEL(two_guards) {
  LOAD;
  int west = max(x - 1, 0), one = 0, two = 0;
  if (x < 9) two = s[y][west];
  if (x > 0) one = s[y][west];
  WRITE(one == (x > 0 ? s[y][x - 1] : 0) && two == (x < 9 ? s[y][at_least(x - 1, 0)] : 0)); }

//@ other_branch 1
OWN
KERNEL(other_branch) {
  LOAD;
  int west = max(x - 1, 0), sum = 7;
  if (x > 0) sum = s[y][west]; else sum = west + 100;
  WRITE(sum == (x > 0 ? s[y][x - 1] : 100)); }

//@ guard_of_other_operators 1
OWN
KERNEL(guard_of_other_operators) {
  LOAD;
  int one = 0, two = 0, three = 0;
  if (x > 0 || y == 2) one = s[y][max(x - 1, 0)];
  __syncthreads();
  if (!(x > 0)) two = s[y][max(x - 1, 0)];
  __syncthreads();
  if (x > 0 ? y < 2 : y > 1) three = s[y][max(x - 1, 0)];
  int west = s[y][at_least(x - 1, 0)];
  WRITE(one == (x > 0 || y == 2 ? west : 0) && two == (x > 0 ? 0 : west) && three == ((x > 0 ? y < 2 : y > 1) ? west : 0)); }

//@ clamp_in_the_guard 1
OWN
KERNEL(clamp_in_the_guard) {
  LOAD;
  int west = max(x - 1, 0), sum = 0;
  if (x >= 0 && west == 0 && min(x + 1, 15) < 15) sum = s[y][west] + 1;
  WRITE(sum == (x < 2 ? s[y][0] + 1 : 0)); }

//@ guard_that_changes 1
OWN
KERNEL(guard_that_changes) {
  LOAD;
  bool passes = x > 0;
  int sum = 0;
  if (y == 1) passes = true;
  if (passes) sum = s[y][max(x - 1, 0)];
  WRITE(sum == (x > 0 || y == 1 ? s[y][at_least(x - 1, 0)] : 0)); }

//@ guard_by_rows 1
OWN
KERNEL(guard_by_rows) {
  LOAD;
  int sum = 0, other = 0;
  if (x > y) sum = s[y][max(x - 1, y)];
  __syncthreads();
  if (x > 1) other = s[y][max(x - y, 1)];
  WRITE(sum == (x > y ? s[y][x - 1] : 0) && other == (x > 1 ? s[y][at_least(x - y, 1)] : 0)); }

//@ sums_that_wrap 1
OWN
KERNEL(sums_that_wrap) {
  LOAD;
  int far = x + 2147483640, sum = 0;
  unsigned behind = threadIdx.x - 3u;
  unsigned long count = 0;
  if (far > 0) sum = max(far, 2147483644);
  __syncthreads();
  if (far < 2147483645) count = min(far, 2147483642);
  __syncthreads();
  if (behind < 20u) count += max(behind, 4u);
  unsigned long wanted = (far < 2147483645 ? (unsigned long)(long)at_most(far, 2147483642) : 0) + (behind < 20u ? at_least(behind, 4u) : 0);
  WRITE(sum == (far > 0 ? at_least(far, 2147483644) : 0) && count == wanted); }

//@ mixed_signs 1
OWN
KERNEL(mixed_signs) {
  LOAD;
  int at = x - 3, sum = 0;
  unsigned limit = 9;
  if (at < limit) sum = s[y][max(at, 2)];
  WRITE(sum == ((unsigned)at < limit ? s[y][at_least(at, 2)] : 0)); }

//@ loop_under_the_guard 1
OWN
KERNEL(loop_under_the_guard) {
  LOAD;
  int sum = 0, wanted = 0, margin = blockIdx.x < 4 ? 2 : 1;
  if (x >= margin && x < 16 - margin) {
    for (int d = -2; d <= 2; d++) sum += s[y][min(max(x + d, 0), 15)] * (d + 7);
  }
  if (x >= margin && x < 16 - margin) {
    for (int d = -2; d <= 2; d++) wanted += s[y][at_most(at_least(x + d, 0), 15)] * (d + 7);
  }
  WRITE(sum == wanted); }

//@ always_in_between 1
OWN
KERNEL(always_in_between) {
  LOAD;
  int low = blockIdx.x == 3, sum = s[y][max(x, low)] + s[y][min(x, 15)];
  WRITE(sum == s[y][at_least(x, low)] + s[y][x]); }

//@ replaced_elements 1
OWN
KERNEL(replaced_elements) {
  LOAD;
  __shared__ int t[4][16];
  int west = max(x - 1, 0);
  t[y][x] = 500;
  __syncthreads();
  if (t[y][x] < s[y][x]) t[y][x] = west;
  __syncthreads();
  WRITE(t[y][x] == (s[y][x] > 500 ? at_least(x - 1, 0) : 500)); }

//@ guard_that_returns 1
OWN
KERNEL(guard_that_returns) {
  LOAD;
  out[first + y * 16 + x] = 1;
  if (x == 0) return;
  int sum = s[y][max(x - 1, 0)];
  __syncthreads();
  WRITE(sum == s[y][x - 1]); }

//@ initial_values_with_effects 1
static __device__ int put(int* at, int value) { return *at = value; }
KERNEL(initial_values_with_effects) {
  LOAD;
  __shared__ int u[4][16], h[16];
  int total = 100, one = 0, b = 0, two = 0, c = 0, three = 0, four = 0, five = 0;
  u[y][x] = 0;
  if (y == 0) h[x] = 0;
  __syncthreads();
  int v = (total += max(x, 5));
  if (x >= 5) one = v;
  __syncthreads();
  int w = b = max(x, 6);
  if (x >= 6) two = w;
  __syncthreads();
  int f = put(&c, max(x, 7));
  if (x >= 7) three = f;
  __syncthreads();
  int g = u[y][x] = max(x, 8);
  if (x >= 8) four = g;
  __syncthreads();
  int old = atomicAdd(&h[max(x, 9)], 1);
  if (x >= 9) five = old >= 0;
  __syncthreads();
  bool effects = total == (x < 5 ? 105 : 100 + x) && b == (x < 6 ? 6 : x) && c == (x < 7 ? 7 : x) && u[y][x] == (x < 8 ? 8 : x) &&
                 h[x] == (x < 9 ? 0 : x == 9 ? 40 : 4);
  WRITE(effects && one == (x < 5 ? 0 : 100 + x) && two == (x < 6 ? 0 : x) && three == (x < 7 ? 0 : x) &&
        four == (x < 8 ? 0 : x) && five == (x >= 9)); }

//@ divisors_and_subscripts 1
static __device__ int gcd(int a, int b) { while (a % b) { int rest = a % b; a = b; b = rest; } return b; }
KERNEL(divisors_and_subscripts) {
  LOAD;
  int one = 0, two = 0, three = 0, four = 0, far = 900000000 + gridDim.x;
  int q = s[y][x] / max(x, 1);
  if (x > 0) one = q;
  __syncthreads();
  int g = gcd(720, max(x, 1));
  if (x > 0) two = g;
  __syncthreads();
  int r = 1000 % max(x, 1);
  s[y][x] += 0;
  if (x > 0) three = r;
  __syncthreads();
  int read = in[max(x - far, 0)];
  if (x >= far) four = read;
  int wanted = 1;
  for (int d = 1; d <= x; d++) wanted = 720 % d == 0 && x % d == 0 ? d : wanted;
  WRITE(one == (x ? s[y][x] / x : 0) && (x == 0 ? two == 0 : two == wanted) && three == (x ? 1000 % x : 0) && four == 0); }
