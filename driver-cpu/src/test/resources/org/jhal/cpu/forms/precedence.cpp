// SPDX-License-Identifier: Apache-2.0
// Kernels whose operators bind in another order than the eye expects: what is the same for all items, grows with them, or reads
// no memory, must be seen in that order. Each writes 1 with all items. ProofsTest runs them; none of them has what makes the
// translator cautious, such as atomics and operators of its own.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
static __device__ __attribute__((noinline)) int hidden(int x) { return x; }

//@ and_before_less 1
KERNEL(and_before_less) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if ((i + shift & 31) < 16) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = (x + shift & 31) < 16;
  if (!is) out[AT] += 8;
}

//@ and_before_less_leaving 1
KERNEL(and_before_less_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = (x + shift & 31) < 16;
  out[AT] = is ? 1 : 0;
  if ((i + shift & 31) < 16) return;
  out[AT] += 1;
}

//@ xor_before_less 1
KERNEL(xor_before_less) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if ((i + shift ^ 1) < 63) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = (x + shift ^ 1) < 63;
  if (!is) out[AT] += 8;
}

//@ xor_before_less_leaving 1
KERNEL(xor_before_less_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = (x + shift ^ 1) < 63;
  out[AT] = is ? 1 : 0;
  if ((i + shift ^ 1) < 63) return;
  out[AT] += 1;
}

//@ or_of_not_equal 1
KERNEL(or_of_not_equal) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (i + shift != 20 || shift < -3) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift != 20 || shift < -3;
  if (!is) out[AT] += 8;
}

//@ or_of_not_equal_leaving 1
KERNEL(or_of_not_equal_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift != 20 || shift < -3;
  out[AT] = is ? 1 : 0;
  if (i + shift != 20 || shift < -3) return;
  out[AT] += 1;
}

//@ shift_before_less 1
KERNEL(shift_before_less) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (i + shift << 26 < 40 << 26) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift << 26 < 40 << 26;
  if (!is) out[AT] += 8;
}

//@ shift_before_less_leaving 1
KERNEL(shift_before_less_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift << 26 < 40 << 26;
  out[AT] = is ? 1 : 0;
  if (i + shift << 26 < 40 << 26) return;
  out[AT] += 1;
}

//@ limit_on_the_left 1
KERNEL(limit_on_the_left) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (8 > (i + shift & 15)) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = 8 > (x + shift & 15);
  if (!is) out[AT] += 8;
}

//@ limit_on_the_left_leaving 1
KERNEL(limit_on_the_left_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = 8 > (x + shift & 15);
  out[AT] = is ? 1 : 0;
  if (8 > (i + shift & 15)) return;
  out[AT] += 1;
}

//@ two_comparisons 1
KERNEL(two_comparisons) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (i + shift < 16 < 1 + shift) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift < 16 < 1 + shift;
  if (!is) out[AT] += 8;
}

//@ two_comparisons_leaving 1
KERNEL(two_comparisons_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift < 16 < 1 + shift;
  out[AT] = is ? 1 : 0;
  if (i + shift < 16 < 1 + shift) return;
  out[AT] += 1;
}

//@ shifted_down 1
KERNEL(shifted_down) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (i + shift >> 1 < 9) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift >> 1 < 9;
  if (!is) out[AT] += 8;
}

//@ shifted_down_leaving 1
KERNEL(shifted_down_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift >> 1 < 9;
  out[AT] = is ? 1 : 0;
  if (i + shift >> 1 < 9) return;
  out[AT] += 1;
}

//@ chosen_by_a_mark 1
KERNEL(chosen_by_a_mark) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (i + shift < 16 ? shift > 3 : 1) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift < 16 ? shift > 3 : 1;
  if (!is) out[AT] += 8;
}

//@ chosen_by_a_mark_leaving 1
KERNEL(chosen_by_a_mark_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = x + shift < 16 ? shift > 3 : 1;
  out[AT] = is ? 1 : 0;
  if (i + shift < 16 ? shift > 3 : 1) return;
  out[AT] += 1;
}

//@ right_of_equal 1
KERNEL(right_of_equal) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (shift == 0 == i + shift < 20) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = shift == 0 == x + shift < 20;
  if (!is) out[AT] += 8;
}

//@ right_of_equal_leaving 1
KERNEL(right_of_equal_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = shift == 0 == x + shift < 20;
  out[AT] = is ? 1 : 0;
  if (shift == 0 == i + shift < 20) return;
  out[AT] += 1;
}

//@ unsigned_limit 1
KERNEL(unsigned_limit) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (i + back < 0xfffffffeu) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = x + back < 0xfffffffeu;
  if (!is) out[AT] += 8;
}

//@ unsigned_limit_leaving 1
KERNEL(unsigned_limit_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = x + back < 0xfffffffeu;
  out[AT] = is ? 1 : 0;
  if (i + back < 0xfffffffeu) return;
  out[AT] += 1;
}

//@ unsigned_limit_of_a_variable 1
KERNEL(unsigned_limit_of_a_variable) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  if (less < limit) out[AT] += 8;
  __syncthreads();
  const int x = hidden(i), y = hidden(less);
  bool is = y < limit;
  if (!is) out[AT] += 8;
}

//@ unsigned_limit_of_a_variable_leaving 1
KERNEL(unsigned_limit_of_a_variable_leaving) {
  const int shift = gridDim.x - 8;
  const unsigned limit = shift - 2;
  const int back = shift - 4;
  int i = threadIdx.x, less = i + back;
  const int x = hidden(i), y = hidden(less);
  bool is = y < limit;
  out[AT] = is ? 1 : 0;
  if (less < limit) return;
  out[AT] += 1;
}

//@ read_of_an_index 1
enum { W = 64 };
struct Cfg { static constexpr int W = 64; };
constexpr int G = 64;
KERNEL(read_of_an_index) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  int v = (int)blockDim.x * *p;
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = v == 64 * t;
}

//@ read_of_an_index_alone 1
enum { W = 64 };
struct Cfg { static constexpr int W = 64; };
constexpr int G = 64;
KERNEL(read_of_an_index_alone) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  int v = blockDim.x * *p;
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = v == 64 * t;
}

//@ read_of_the_item 1
enum { W = 64 };
struct Cfg { static constexpr int W = 64; };
constexpr int G = 64;
KERNEL(read_of_the_item) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  int v = 64 * (threadIdx.x > 70) + warpSize * *p * 2;
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = v == 64 * t;
}

//@ read_of_an_enumerator 1
enum { W = 64 };
struct Cfg { static constexpr int W = 64; };
constexpr int G = 64;
KERNEL(read_of_an_enumerator) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  int v = W * *p;
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = v == 64 * t;
}

//@ read_of_a_member 1
enum { W = 64 };
struct Cfg { static constexpr int W = 64; };
constexpr int G = 64;
KERNEL(read_of_a_member) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  int v = Cfg::W * *p;
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = v == 64 * t;
}

//@ read_of_a_constant 1
enum { W = 64 };
struct Cfg { static constexpr int W = 64; };
constexpr int G = 64;
KERNEL(read_of_a_constant) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  int v = G * *p;
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = v == 64 * t;
}

//@ read_behind_an_angle 1
enum { W = 64 };
struct Cfg { static constexpr int W = 64; };
constexpr int G = 64;
KERNEL(read_behind_an_angle) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  int v = (t < 80 | 300 > *p) * 64 * t + (t < 0 | 300 > *p) * 0;
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = v == 64 * t;
}

//@ read_behind_and 1
enum { W = 64 };
struct Cfg { static constexpr int W = 64; };
constexpr int G = 64;
KERNEL(read_behind_and) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  int v = 64 * t * (1 and *p >= 0);
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = v == 64 * t;
}

//@ comparison_that_reads 1
KERNEL(comparison_that_reads) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  const int* p = s + t;
  __syncthreads();
  bool below = t < 0 | 30 > *p;
  int m = 1 < (int)gridDim.x ? 30 > *p : 5 > *p;
  __syncthreads();
  s[t] = 500;
  __syncthreads();
  out[AT] = below == (t < 30) && m == (t < 30);
}

//@ turned_loop_with_and 1
KERNEL(turned_loop_with_and) {
  const int off = gridDim.x - 8;
  int t = threadIdx.x, sum = 0, wanted = 0;
  for (int i = t + off & 31; i < 40; i += 32) sum += in[i];
  const int x = hidden(t);
  for (int i = (x + off) & 31; i < 40; i += 32) wanted += in[i];
  out[AT] = sum == wanted;
}

//@ turned_loop_with_xor 1
KERNEL(turned_loop_with_xor) {
  const int off = gridDim.x - 8;
  int t = threadIdx.x, sum = 0, wanted = 0;
  for (int i = t + off ^ 1; i < 63; i += 64) sum += in[i] + 1;
  const int x = hidden(t);
  for (int i = (x + off) ^ 1; i < 63; i += 64) wanted += in[i] + 1;
  out[AT] = sum == wanted;
}

//@ choice_behind_and 1
KERNEL(choice_behind_and) {
  const int n = gridDim.x + 32;
  int t = threadIdx.x;
  if (t < n && n > 3 ? false : true) out[AT] += 8;
  const int x = hidden(t);
  bool is = x < n && n > 3 ? false : true;
  __syncthreads();
  if (!is) out[AT] += 8;
}
