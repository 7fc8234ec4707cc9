// SPDX-License-Identifier: Apache-2.0
// What the parts of the standard library mean. As in proofs.cpp, each kernel is a part of its own; all items write 1 if they
// see what they must.
#include <array>
#include <cfloat>
#include <climits>
#include <utility>
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define WRITE(condition) out[INDEX] = (condition) ? 1 : 0

//@ pair_begins_with_zeros 1
__device__ bool is_zero(const std::pair<int, float>& p) { return p.first == 0 && p.second == 0; }
KERNEL(pair_begins_with_zeros) {
  __shared__ int s[64];
  bool right = true;
  for (int k = 0; k < 3; k++) {
    std::pair<int, float> p;
    right &= is_zero(p);
    p.first = 7 + k;
    p.second = in[INDEX];
    s[threadIdx.x] = p.first;
    __syncthreads();
    right &= s[63 - threadIdx.x] == 7 + k && p.second == in[INDEX];
    __syncthreads(); }
  std::array<std::pair<int, float>, 2> two;
  WRITE(right && is_zero(two[0]) && is_zero(two[1])); }

//@ pair_of_pairs 1
KERNEL(pair_of_pairs) {
  std::pair<std::pair<int, bool>, double> p;
  auto q = std::make_pair(in[INDEX], p);
  WRITE(!p.first.second && p.first.first == 0 && p.second == 0 && q.first == in[INDEX] && q.second.second == 0); }

//@ limits_of_c 1
KERNEL(limits_of_c) {
  static_assert(LONG_MAX == (long)(~0ul >> 1) && LONG_MIN == -LONG_MAX - 1 && ULONG_MAX == ~0ul, "");
  static_assert(CHAR_MAX == (char)(CHAR_MIN - 1) && sizeof(LONG_MIN) == sizeof(long), "");
  static_assert(FLT_DIG == 6 && DBL_DIG == 15 && FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53 && FLT_RADIX == 2, "");
  static_assert(FLT_MAX_EXP == 128 && FLT_MIN_EXP == -125 && DBL_MAX_EXP == 1024 && DBL_MIN_EXP == -1021, "");
  static_assert(FLT_MAX_10_EXP == 38 && FLT_MIN_10_EXP == -37 && DBL_MAX_10_EXP == 308 && DBL_MIN_10_EXP == -307, "");
  WRITE(FLT_TRUE_MIN > 0 && FLT_TRUE_MIN / 2 == 0 && DBL_TRUE_MIN > 0 && DBL_TRUE_MIN / 2 == 0); }
