// SPDX-License-Identifier: Apache-2.0
// Clamps and guards of which most act for no item, or seem to. As in proofs.cpp, each kernel is a part of its own; all items
// write 1 if they see what they must. What is expected is computed with a clamp of the source, which nothing leaves out.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define COUNT ((int)(gridDim.x * 64))
#define WRITE(condition) out[blockIdx.x * blockDim.x + threadIdx.x] = (condition) ? 1 : 0
#define OWN                                                                            \
  template <class T> static __device__ T at_most(T a, T b) { return b < a ? b : a; }   \
  template <class T> static __device__ T at_least(T a, T b) { return a < b ? b : a; }

//@ clamped_neighbours 1
OWN
KERNEL(clamped_neighbours) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0, wanted = 0;
  for (int d = -3; d <= 3; d++) {
    int at = min(max(x + d, 0), COUNT - 1);
    sum += in[at] * (d + 5);
    wanted += *(in + at_most(at_least(x + d, 0), COUNT - 1)) * (d + 5);
  }
  WRITE(sum == wanted); }

//@ clamped_in_the_block 1
OWN
KERNEL(clamped_in_the_block) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  int low = blockIdx.x % 5, high = 60 - blockIdx.x;
  int left = s[max(t - 1, low)], right = s[min(t + 1, high)];
  int both = s[max(min(t + 2, high), low)] + s[min(high, max(low, t - 2))];
  int wanted = *(s + at_least(t - 1, low)) * 3 + *(s + at_most(t + 1, high)) * 5 +
               *(s + at_least(at_most(t + 2, high), low)) + *(s + at_most(high, at_least(low, t - 2)));
  WRITE(left * 3 + right * 5 + both == wanted); }

//@ limits_that_cross 1
OWN
KERNEL(limits_that_cross) {
  int t = threadIdx.x, low = 40, high = 20 + blockIdx.x;
  int one = min(max(t, low), high), two = max(min(t, high), low);
  WRITE(one == at_most(at_least(t, low), high) && two == at_least(at_most(t, high), low)); }

//@ index_that_overflows 1
OWN
KERNEL(index_that_overflows) {
  int t = threadIdx.x + 2147483630u;
  int clamped = max(t, 5), other = min(t, 100);
  unsigned u = threadIdx.x + 4294967280u;
  unsigned least = min(u, 20u), most = max(u, 7u);
  int passes = 0;
  if (t > -2000000000 && t < 2147483640) passes = 1;
  WRITE(clamped == at_least(t, 5) && other == at_most(t, 100) && least == at_most(u, 20u) && most == at_least(u, 7u) &&
        passes == (threadIdx.x < 10)); }

//@ mixed_signs 1
KERNEL(mixed_signs) {
  int t = (int)threadIdx.x - 9, passes = 0, other = 0;
  unsigned limit = 30;
  if (t < limit) passes = 1;
  if (t >= -3 && t <= 50u) other = 1;
  long wide = t;
  int more = 0;
  if (wide < limit && wide >= -2) more = 1;
  WRITE(passes == (threadIdx.x >= 9 && threadIdx.x < 39) && other == (threadIdx.x >= 9 && threadIdx.x < 60) &&
        more == (threadIdx.x >= 7 && threadIdx.x < 39)); }

//@ wide_sum_of_a_narrow_one 1
OWN
KERNEL(wide_sum_of_a_narrow_one) {
  long at = (long)(threadIdx.x - 20u) - 4294967276l;
  long clamped = min(max(at, -4294967300l), 3l);
  long wanted = at_most(at_least(at, -4294967300l), 3l);
  long long far = (long long)threadIdx.x + 9223372036854775780ll;
  int passes = 0;
  if (far > 0 && far < 9223372036854775800ll) passes = 1;
  WRITE(clamped == wanted && passes == (threadIdx.x < 20)); }

//@ narrow_types 1
OWN
KERNEL(narrow_types) {
  unsigned char c = threadIdx.x + 220;
  short s = threadIdx.x + 32740;
  int one = max((int)c, 10), two = min((int)s, 50), three = 0;
  if (c > 5 && s < 32760) three = 1;
  bool b = threadIdx.x;
  if (b >= 1) three += 2;
  int wanted = (c > 5 ? s < 32760 : 0) + (threadIdx.x > 0 ? 2 : 0);
  WRITE(one == at_least((int)c, 10) && two == at_most((int)s, 50) && three == wanted); }

//@ guards_as_variables 1
KERNEL(guards_as_variables) {
  __shared__ int s[64];
  int t = threadIdx.x, low = blockIdx.x, high = 63 - blockIdx.x;
  bool inside = t >= low && t <= high, outside = !(t < low || t > high);
  int v = 0;
  s[t] = 0;
  __syncthreads();
  if (inside) s[t] = 1;
  __syncthreads();
  if (outside && t != 20) v = s[t] + 1;
  if (!inside) v = 7;
  WRITE(v == (t >= low && t <= high ? (t == 20 ? 0 : 2) : 7)); }

//@ guard_that_changes 1
KERNEL(guard_that_changes) {
  int t = threadIdx.x, low = 5, v = 0;
  bool passes = t >= low && t < 50;
  if (passes) v = 1;
  low = 9;
  passes = passes && t >= low;
  if (passes) v += 2;
  int moved = t;
  moved += t;
  if (moved > 20 && moved < 90) v += 4;
  WRITE(v == (t >= 5 && t < 50 ? 1 : 0) + (t >= 9 && t < 50 ? 2 : 0) + (t > 10 && t < 45 ? 4 : 0)); }

//@ limit_of_the_item 1
KERNEL(limit_of_the_item) {
  int t = threadIdx.x, low = in[t] % 64, v = 0;
  if (t >= low && t < 60) v = 1;
  int clamped = max(t, low), twice = min(2 * t, 60), back = max(63 - t, 8), both = max(t + t, 30);
  WRITE(v == (t >= *(in + t) % 64 ? t < 60 : 0) && clamped == (t < low ? low : t) && twice == (t < 30 ? 2 * t : 60) &&
        back == (t > 55 ? 8 : 63 - t) && both == (t < 15 ? 30 : 2 * t)); }

//@ limit_with_an_effect 1
KERNEL(limit_with_an_effect) {
  int t = threadIdx.x, n = 0, v = 0;
  if (t >= n++ && t < 64 + n) v = 1;
  int clamped = max(t, n++);
  WRITE(v == 1 && n == 2 && clamped == (t < 1 ? 1 : t)); }

//@ counters 1
OWN
KERNEL(counters) {
  int t = threadIdx.x, sum = 0, wanted = 0;
  for (int a = -2; a < 3; ++a) {
    for (int b = 0; b <= 4; b++) {
      int at = t + a - b;
      sum += max(at + b, 3) + min(t - a, 55) * 3 + max(t + b, a) * 7;
      wanted += at_least(at + b, 3) + at_most(t - a, 55) * 3 + at_least(t + b, a) * 7;
    }
  }
  for (int a = 0; a < 30; a++) {
    if (a == 7) a += 3;
    sum += min(t + a, 70);
    wanted += at_most(t + a, 70);
  }
  for (int a = 40; a < 4; a++) sum += min(t + a, 1);
  for (int a = 0; a < 6 && t + a < 64; a++) {
    sum += max(t + a, 9);
    wanted += at_least(t + a, 9);
  }
  WRITE(sum == wanted); }

//@ counter_that_wraps 1
OWN
KERNEL(counter_that_wraps) {
  int t = threadIdx.x + 2147483580u;
  unsigned sum = 0, wanted = 0;
  for (int k = 0; k <= 40; k++) {
    sum += max(t + k, 9) + min((int)(threadIdx.x + 4294967290u) + k, 20);
    wanted += at_least(t + k, 9) + at_most((int)(threadIdx.x + 4294967290u) + k, 20);
  }
  WRITE(sum == wanted); }

//@ counter_that_wraps_between_its_ends 1
OWN
KERNEL(counter_that_wraps_between_its_ends) {
  int t = threadIdx.x + 2147483634u;
  unsigned sum = 0, wanted = 0;
  for (int k = 0; k <= 15; k++) sum += min(t + k, 2147483644);
  for (int k = 0; k <= 15; k++) wanted += at_most(t + k, 2147483644);
  WRITE(sum == wanted); }

//@ names_of_inner_blocks 1
KERNEL(names_of_inner_blocks) {
  int t = threadIdx.x, n = 20, v = 0;
  { int t = 63 - (int)threadIdx.x, n = 40; if (t >= 3 && t < n) v = 1; }
  { long n = t; if (n >= 10 && t < 30) v += 2; }
  if (t >= 5 && t < n) v += 4;
  WRITE(v == (threadIdx.x > 23 && threadIdx.x <= 60 ? 1 : 0) + (t >= 10 && t < 30 ? 2 : 0) + (t >= 5 && t < 20 ? 4 : 0)); }

//@ else_and_returns 1
KERNEL(else_and_returns) {
  int t = threadIdx.x, v = 0;
  if (t >= 5 && t < 50) v = 1; else v = max(t, 7);
  if (t >= 60) { WRITE(v == t); return; }
  if (t >= 20 && t < 40) { v += 2; if (t > 30 && t < 33) { WRITE(v == 3); return; } }
  WRITE(v == (t < 5 ? 7 : t >= 50 ? t : t >= 20 && t < 40 ? 3 : 1)); }

//@ short_circuits 1
KERNEL(short_circuits) {
  int t = threadIdx.x, v = 0, n = 0;
  if (t >= 8 && n++ >= 0 && t < 56) v = 1;
  if (t < 8 || t >= 56 || (t >= 20 && t < 30)) v += 2;
  if (!(t < 8 || t >= 56) && !(t >= 20 && t < 30)) v += 4;
  bool odd = t & 1;
  if (odd && t > 9 && t < 20) v += 8;
  WRITE(n == (t >= 8) && v == (t >= 8 && t < 56 ? 1 : 0) + (t < 8 || t >= 56 || (t >= 20 && t < 30) ? 2 : 0) +
        (t >= 8 && t < 56 && !(t >= 20 && t < 30) ? 4 : 0) + (t % 2 && t > 9 && t < 20 ? 8 : 0)); }

//@ loops_around 1
KERNEL(loops_around) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int sum = 0, wanted = 0;
  for (int k = 0; k < 20; k++) {
    for (int m = -2; m <= 2; m++) {
      int c = t + m + k - 10;
      if (c >= 0 && c < 64) sum += s[c] * (k + 1);
      wanted += c < 0 ? 0 : c > 63 ? 0 : c * (k + 1);
    }
    if (t == 40 && k == 5) break;
    if (t > 50 && t < 55) continue;
    sum += max(t - k, 1);
    wanted += t - k < 1 ? 1 : t - k;
  }
  WRITE(sum == wanted); }

//@ atomics_of_a_block 1
KERNEL(atomics_of_a_block) {
  __shared__ int s[8];
  __shared__ unsigned long long all;
  __shared__ float f;
  __shared__ int* there;
  int t = threadIdx.x;
  if (t < 8) s[t] = 1000;
  if (t == 0) { all = 0; f = 0; there = &s[7]; }
  __syncthreads();
  atomicAdd(&s[t % 4], t);
  atomicMax(&s[4], t + 990);
  atomicMin(&s[5], t + 5);
  atomicSub(&s[6], 2);
  atomicAdd(&all, 1ull << 32);
  atomicAdd(&f, 0.5f);
  atomicAdd(there, 1);
  __syncthreads();
  WRITE(s[0] == 1480 && s[3] == 1528 && s[4] == 1053 && s[5] == 5 && s[6] == 872 && s[7] == 1064 &&
        all == 64ull << 32 && f == 32); }

//@ atomics_of_all_blocks 1
KERNEL(atomics_of_all_blocks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int odd = in[i] % 2, half = i / 2 + (int)gridDim.x * 32 * (i % 2);
  if (odd) atomicAdd(&out[half], 8);
  else atomicAdd(out + half, 8); }

//@ atomics_that_go_down 1
KERNEL(atomics_that_go_down) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, first = COUNT - 1 - i, second = (i * 37 + 5) % COUNT, all = in[0] - in[0];
  __shared__ int s[64];
  s[threadIdx.x] = 2147483647;
  __syncthreads();
  atomicAdd(&out[first], s[threadIdx.x]);
  atomicAdd(&out[second], 11);
  atomicAdd(out + first + all, -2147483647);
  atomicAdd(&out[first], -3); }

//@ flags_over_barriers 1
KERNEL(flags_over_barriers) {
  __shared__ int s[64], r[64];
  int t = threadIdx.x, seen = 0;
  bool some = false, odd = in[t] % 2, none = false, all = true, changes = t > 20;
  s[t] = t;
  if (t >= 10 && t < 50) some = true;
  __syncthreads();
  if (some) r[t] = s[63 - t];
  __syncthreads();
  if (odd) s[t] = -1;
  __syncthreads();
  if (none) s[t] = -5;
  __syncthreads();
  if (all) seen = s[t];
  __syncthreads();
  if (changes) { s[t] = 7; changes = t < 40; }
  __syncthreads();
  if (changes) seen += 100;
  __syncthreads();
  if (some) { if (t == 12) some = false; seen += r[t] == 63 - t ? 1000 : 0; }
  __syncthreads();
  if (some) seen += 10000;
  WRITE(seen == (*(in + t) % 2 ? -1 : t) + (t > 20 && t < 40 ? 100 : 0) + (t >= 10 && t < 50 ? 1000 : 0) +
                (t >= 10 && t < 50 && t != 12 ? 10000 : 0)); }

//@ flags_of_other_types 1
struct Flag { int v; __device__ operator bool() { v++; return v > 1; } };
KERNEL(flags_of_other_types) {
  __shared__ int s[64];
  int t = threadIdx.x, seen = 0;
  int many = t % 3;
  Flag flag = {t % 2};
  bool a[2] = {t > 5, t > 7}, first = t > 30;
  bool& same = first;
  s[t] = t;
  __syncthreads();
  if (many) seen += 1;
  __syncthreads();
  if (flag) seen += 10;
  __syncthreads();
  if (*a) seen += 100;
  __syncthreads();
  if (first) { seen += 1000; same = t < 40; }
  __syncthreads();
  if (first) seen += 10000;
  WRITE(seen == (t % 3 ? 1 : 0) + (t % 2 ? 10 : 0) + (t > 5 ? 100 : 0) + (t > 30 ? 1000 : 0) + (t > 30 && t < 40 ? 10000 : 0)); }

//@ branches_around_loops 1
KERNEL(branches_around_loops) {
  int t = threadIdx.x, n = in[0] % 20 + 30, sum = 0, wanted = 0;
  if (t >= 5 && t != 9) {
    for (int k = 0; k < n; k++) sum += in[k] + t;
    if (in[t] % 2) { for (int k = 0; k < n; k++) sum += in[k] * 3 - t; }
    else { for (int k = 1; k < n; k++) sum -= in[k] + t; }
  } else {
    for (int k = 0; k < n; k++) sum += 5 * in[k];
  }
  for (int k = 0; k < n; k++) {
    int v = *(in + k);
    wanted += t >= 5 && t != 9 ? v + t + (*(in + t) % 2 ? v * 3 - t : k ? -v - t : 0) : 5 * v;
  }
  WRITE(sum == wanted); }

//@ between_borders 1
KERNEL(between_borders) {
  int t = threadIdx.x, low = blockIdx.x, high = 60 - 2 * blockIdx.x, at = blockIdx.x * 64 + t;
  int one, two, three, four = 5;
  if (t >= low && t < high) one = in[at] * 3; else one = in[at] + 1;
  if (t < low || high <= t) two = in[at] + 2; else two = in[at] * 5;
  if (t > low && blockIdx.x % 2 && t < 50) three = in[at] * 7; else three = in[at] + 3;
  if (t < low || blockIdx.x % 2 || t > 50) four += in[at] * 9; else { four = in[at]; if (t < 30 && t > 10) four++; else four--; }
  int inner = in[at] * 3, outer = in[at] + 1;
  bool is = t >= low & t < high, other = t > low & t < 50 & blockIdx.x % 2, last = t < low | t > 50 | blockIdx.x % 2;
  WRITE(one == (is ? inner : outer) && two == (is ? in[at] * 5 : in[at] + 2) && three == (other ? in[at] * 7 : in[at] + 3) &&
        four == (last ? in[at] * 9 + 5 : in[at] + (t < 30 & t > 10 ? 1 : -1))); }
