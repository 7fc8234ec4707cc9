// SPDX-License-Identifier: Apache-2.0
// Kernels whose operators bind in another order than the eye expects: what is the same for all items, grows with them, or reads
// no memory, must be seen in that order. Each writes 1 with all items. ProofsTest runs them; none of them has what makes the
// translator cautious, such as atomics and operators of its own.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
// A condition, and the same where nothing can be known about its operands.
#define OPERANDS                                 \
  const int shift = gridDim.x - 8;               \
  const unsigned limit = shift - 2;              \
  const int back = shift - 4;                    \
  int i = threadIdx.x, less = i + back;
#define GUARDED(name, condition, again)          \
  KERNEL(name) {                                 \
    OPERANDS                                     \
    if (condition) out[AT] += 8;                 \
    __syncthreads();                             \
    const int x = hidden(i), y = hidden(less);   \
    bool is = again;                             \
    if (!is) out[AT] += 8;                       \
  }
#define LEAVING(name, condition, again)          \
  KERNEL(name) {                                 \
    OPERANDS                                     \
    const int x = hidden(i), y = hidden(less);   \
    bool is = again;                             \
    out[AT] = is ? 1 : 0;                        \
    if (condition) return;                       \
    out[AT] += 1;                                \
  }
// What an expression has read before a barrier, it must not read again behind it.
#define READING(name, expression)                \
  enum { W = 64 };                               \
  struct Cfg { static constexpr int W = 64; };   \
  constexpr int G = 64;                          \
  KERNEL(name) {                                 \
    __shared__ int s[64];                        \
    int t = threadIdx.x;                         \
    s[t] = t;                                    \
    const int* p = s + t;                        \
    __syncthreads();                             \
    int v = expression;                          \
    __syncthreads();                             \
    s[t] = 500;                                  \
    __syncthreads();                             \
    out[AT] = v == 64 * t;                       \
  }
static __device__ __attribute__((noinline)) int hidden(int x) { return x; }

//@ and_before_less 1
GUARDED(and_before_less, (i + shift & 31) < 16, (x + shift & 31) < 16)

//@ and_before_less_leaving 1
LEAVING(and_before_less_leaving, (i + shift & 31) < 16, (x + shift & 31) < 16)

//@ xor_before_less 1
GUARDED(xor_before_less, (i + shift ^ 1) < 63, (x + shift ^ 1) < 63)

//@ xor_before_less_leaving 1
LEAVING(xor_before_less_leaving, (i + shift ^ 1) < 63, (x + shift ^ 1) < 63)

//@ or_of_not_equal 1
GUARDED(or_of_not_equal, i + shift != 20 || shift < -3, x + shift != 20 || shift < -3)

//@ or_of_not_equal_leaving 1
LEAVING(or_of_not_equal_leaving, i + shift != 20 || shift < -3, x + shift != 20 || shift < -3)

//@ shift_before_less 1
GUARDED(shift_before_less, i + shift << 26 < 40 << 26, x + shift << 26 < 40 << 26)

//@ shift_before_less_leaving 1
LEAVING(shift_before_less_leaving, i + shift << 26 < 40 << 26, x + shift << 26 < 40 << 26)

//@ limit_on_the_left 1
GUARDED(limit_on_the_left, 8 > (i + shift & 15), 8 > (x + shift & 15))

//@ limit_on_the_left_leaving 1
LEAVING(limit_on_the_left_leaving, 8 > (i + shift & 15), 8 > (x + shift & 15))

//@ two_comparisons 1
GUARDED(two_comparisons, i + shift < 16 < 1 + shift, x + shift < 16 < 1 + shift)

//@ two_comparisons_leaving 1
LEAVING(two_comparisons_leaving, i + shift < 16 < 1 + shift, x + shift < 16 < 1 + shift)

//@ shifted_down 1
GUARDED(shifted_down, i + shift >> 1 < 9, x + shift >> 1 < 9)

//@ shifted_down_leaving 1
LEAVING(shifted_down_leaving, i + shift >> 1 < 9, x + shift >> 1 < 9)

//@ chosen_by_a_mark 1
GUARDED(chosen_by_a_mark, i + shift < 16 ? shift > 3 : 1, x + shift < 16 ? shift > 3 : 1)

//@ chosen_by_a_mark_leaving 1
LEAVING(chosen_by_a_mark_leaving, i + shift < 16 ? shift > 3 : 1, x + shift < 16 ? shift > 3 : 1)

//@ right_of_equal 1
GUARDED(right_of_equal, shift == 0 == i + shift < 20, shift == 0 == x + shift < 20)

//@ right_of_equal_leaving 1
LEAVING(right_of_equal_leaving, shift == 0 == i + shift < 20, shift == 0 == x + shift < 20)

//@ unsigned_limit 1
GUARDED(unsigned_limit, i + back < 0xfffffffeu, x + back < 0xfffffffeu)

//@ unsigned_limit_leaving 1
LEAVING(unsigned_limit_leaving, i + back < 0xfffffffeu, x + back < 0xfffffffeu)

//@ unsigned_limit_of_a_variable 1
GUARDED(unsigned_limit_of_a_variable, less < limit, y < limit)

//@ unsigned_limit_of_a_variable_leaving 1
LEAVING(unsigned_limit_of_a_variable_leaving, less < limit, y < limit)

//@ read_of_an_index 1
READING(read_of_an_index, (int)blockDim.x * *p)

//@ read_of_an_index_alone 1
READING(read_of_an_index_alone, blockDim.x * *p)

//@ read_of_the_item 1
READING(read_of_the_item, 64 * (threadIdx.x > 70) + warpSize * *p * 2)

//@ read_of_an_enumerator 1
READING(read_of_an_enumerator, W * *p)

//@ read_of_a_member 1
READING(read_of_a_member, Cfg::W * *p)

//@ read_of_a_constant 1
READING(read_of_a_constant, G * *p)

//@ read_behind_an_angle 1
READING(read_behind_an_angle, (t < 80 | 300 > *p) * 64 * t + (t < 0 | 300 > *p) * 0)

//@ read_behind_and 1
READING(read_behind_and, 64 * t * (1 and *p >= 0))

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
