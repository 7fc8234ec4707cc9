// SPDX-License-Identifier: Apache-2.0
// Loops of which items make several iterations in a row. As in proofs.cpp, each kernel is a part of its own, and all items write
// 1 if they see what they must. What is expected is computed by the same loop from a start that is not the same for all items
// as far as one can see (0 * in[at]), which leaves it as it is.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define BEGIN                                                                          \
  const int t = threadIdx.x, at = blockIdx.x * 64 + t, zero = 0 * in[at]; (void)zero
#define WRITE(condition) out[blockIdx.x * blockDim.x + threadIdx.x] = (condition) ? 1 : 0

//@ numbers_of_iterations 1
KERNEL(numbers_of_iterations) {
  BEGIN;
  int sum = 7, wanted = 7, n = blockIdx.x * 3;
  for (int k = 0; k < n; k++) sum = sum * 3 + in[k * 8 + t] * (k + 1);
  for (int k = zero; k < n; k++) wanted = wanted * 3 + in[k * 8 + t] * (k + 1);
  WRITE(sum == wanted); }

//@ downwards 1
KERNEL(downwards) {
  BEGIN;
  unsigned sum = 7, wanted = 7;
  int last = blockIdx.x;
  for (int k = 21; k >= last; --k) sum = sum * 3 + in[k * 8 + t] * k;
  for (int k = 21 + zero; k >= last; --k) wanted = wanted * 3 + in[k * 8 + t] * k;
  WRITE(sum == wanted); }

//@ counters_that_wrap 1
KERNEL(counters_that_wrap) {
  BEGIN;
  int sum = 0, wanted = 0, first = 244 + blockIdx.x;
  for (unsigned char k = first; k >= 200; k++) sum = sum * 3 + in[k] + k;
  for (unsigned char k = first + zero; k >= 200; k++) wanted = wanted * 3 + in[k] + k;
  unsigned rounds = 0, end = blockIdx.x;
  for (unsigned k = 4294967280u + end; k > end; k++) rounds = rounds * 2 + (in[k & 63] & 1) + t;
  for (unsigned k = 4294967280u + end + zero; k > end; k++) wanted += 0 * (k + in[k & 63]), rounds -= 0;
  unsigned other = 0;
  for (unsigned i = 0; i < 16u - end; i++) other = other * 2 + (in[(4294967280u + end + i + zero) & 63] & 1) + t;
  WRITE(sum == wanted && rounds == other); }

//@ several_variables 1
KERNEL(several_variables) {
  BEGIN;
  int best = -1, where = -1, n = 17 + blockIdx.x;
  long weight = 0;
  bool any = false;
  for (int k = 0; k < n; k++) {
    const int value = in[k * 8 + t] + k, twice = value * 2;
    weight += twice;
    if (value > best) {
      best = value;
      where = k;
    }
    any = any || value == 500;
  }
  int wanted = -1, at_wanted = -1;
  long all = 0;
  bool is = false;
  for (int k = zero; k < n; k++) {
    int value = in[k * 8 + t] + k;
    all += value * 2;
    is |= value == 500;
    at_wanted = value > wanted ? k : at_wanted;
    wanted = value > wanted ? value : wanted;
  }
  WRITE(best == wanted && where == at_wanted && weight == all && any == is); }

//@ limit_that_changes 1
KERNEL(limit_that_changes) {
  BEGIN;
  int sum = 0, wanted = 0, n = 40 + blockIdx.x, m = n;
  for (int k = 0; k < n; k++) { sum = sum * 3 + in[k + t]; n -= 2; }
  for (int k = zero; k < m; k++) { wanted = wanted * 3 + in[k + t]; m -= 2; }
  WRITE(sum == wanted); }

//@ limit_in_shared_memory 1
KERNEL(limit_in_shared_memory) {
  __shared__ int limit;
  BEGIN;
  if (t == 0) limit = 20 + blockIdx.x;
  __syncthreads();
  int sum = 0, wanted = 0;
  for (int k = 0; k < limit; k++) sum = sum * 3 + in[k + t];
  for (int k = zero; k < limit; k++) wanted = wanted * 3 + in[k + t];
  WRITE(sum == wanted); }

//@ references_to_sums 1
KERNEL(references_to_sums) {
  BEGIN;
  int sum = 0, wanted = 0, n = 19 + blockIdx.x;
  int& other = sum;
  for (int k = 0; k < n; k++) { sum = sum * 3 + in[k + t]; other += 5; }
  for (int k = zero; k < n; k++) wanted = wanted * 3 + in[k + t] + 5;
  WRITE(sum == wanted); }

//@ writes_memory 1
KERNEL(writes_memory) {
  __shared__ int s[64];
  BEGIN;
  int sum = 0, wanted = 0, was = 3, n = 19 + blockIdx.x;
  s[t] = 3;
  for (int k = 0; k < n; k++) { sum = sum * 3 + s[t] * in[k + t]; s[t] = sum ^ k; }
  for (int k = zero; k < n; k++) { wanted = wanted * 3 + was * in[k + t]; was = wanted ^ k; }
  WRITE(sum == wanted && s[t] == was); }

//@ items_in_branches 1
KERNEL(items_in_branches) {
  BEGIN;
  int sum = 1, other = 2, wanted = 1, also = 2, n = 17 + blockIdx.x;
  if (t >= 5 && t < 20) {
    for (int k = 0; k < n; k++) sum = sum * 3 + in[k * 8 + t];
  }
  if (in[at] % 3 == 0) {
    for (int k = 0; k < n; k++) other = other * 3 + in[k * 8 + t];
  } else if (in[at] % 3 == 1 || blockIdx.x > 5) {
    for (int k = 0; k < n + 2; k++) other = other * 5 + in[k * 8 + t];
  }
  for (int k = zero; k < n; k++) wanted = t >= 5 && t < 20 ? wanted * 3 + in[k * 8 + t] : wanted;
  if (in[at] % 3 == 0) for (int k = zero; k < n; k++) also = also * 3 + in[k * 8 + t];
  if (in[at] % 3 == 1 || (in[at] % 3 == 2 && blockIdx.x > 5)) for (int k = zero; k < n + 2; k++) also = also * 5 + in[k * 8 + t];
  WRITE(sum == wanted && other == also); }

//@ items_that_return 1
KERNEL(items_that_return) {
  BEGIN;
  WRITE(true);
  if (t > 40 && blockIdx.x % 2 == 0) return;
  int sum = 0, wanted = 0, n = 17 + blockIdx.x;
  for (int k = 0; k < n; k++) sum = sum * 3 + in[k * 8 + t];
  __syncthreads();
  for (int k = zero; k < n; k++) wanted = wanted * 3 + in[k * 8 + t];
  WRITE(sum == wanted); }

//@ guards_and_clamps 1
KERNEL(guards_and_clamps) {
  BEGIN;
  int sum = 0, wanted = 0, other = 0, also = 0, n = 9 + blockIdx.x;
  for (int k = -2; k <= n; k++) {
    int x = at + k;
    if (x >= 3 && x < 500) sum = sum * 3 + in[x] * (k + 7);
  }
  for (int k = -2; k <= n; k++) other = other * 3 + in[min(max(at + k, 4), 507)] * (k + 7);
  for (int k = -2 + zero; k <= n; k++) {
    int x = at + k;
    wanted = x < 3 || x >= 500 ? wanted : wanted * 3 + in[x] * (k + 7);
    also = also * 3 + in[x < 4 ? 4 : x > 507 ? 507 : x] * (k + 7);
  }
  WRITE(sum == wanted && other == also); }

//@ loops_in_loops 1
KERNEL(loops_in_loops) {
  BEGIN;
  int sum = 0, wanted = 0, r = blockIdx.x;
  for (int i = -r; i <= r; i++) {
    for (int j = -r; j <= r; j++) {
      int y = i + 8, x = (t & 31) + j + 8;
      if (y >= 3 && y < 14 && x >= 4 && x < 30) sum = sum * 3 + in[y * 32 + x] * (i * 5 + j);
    }
  }
  for (int i = -r + zero; i <= r; i++) {
    for (int j = -r + zero; j <= r; j++) {
      int y = i + 8, x = (t & 31) + j + 8;
      wanted = y < 3 || y >= 14 || x < 4 || x >= 30 ? wanted : wanted * 3 + in[y * 32 + x] * (i * 5 + j);
    }
  }
  WRITE(sum == wanted); }

//@ narrow_sums 1
KERNEL(narrow_sums) {
  BEGIN;
  unsigned char sum = 1, wanted = 1;
  short other = 1, also = 1;
  float real = 0.5f, exact = 0.5f;
  int n = 17 + blockIdx.x;
  for (int k = 0; k < n; k++) {
    sum = sum * 3 + in[k * 8 + t];
    other += sum * 77;
    real = real * 0.75f + in[k * 8 + t];
  }
  for (int k = zero; k < n; k++) {
    wanted = wanted * 3 + in[k * 8 + t];
    also += wanted * 77;
    exact = exact * 0.75f + in[k * 8 + t];
  }
  WRITE(sum == wanted && other == also && real == exact); }

//@ functions_in_the_body 1
static __device__ int changed(int* value, int by) { return *value += by; }
KERNEL(functions_in_the_body) {
  BEGIN;
  int sum = 0, seen = 0, wanted = 0, also = 0, n = 17 + blockIdx.x;
  for (int k = 0; k < n; k++) seen = seen * 3 + changed(&sum, in[k * 8 + t]);
  for (int k = zero; k < n; k++) { wanted += in[k * 8 + t]; also = also * 3 + wanted; }
  WRITE(sum == wanted && seen == also); }

//@ steps_of_a_row 1
KERNEL(steps_of_a_row) {
  BEGIN;
  int sum = 1, wanted = 1, n = 200 + blockIdx.x * 44 + (blockIdx.x == 7) * 4;
  for (int k = t; k < n; k += 64) sum = sum * 3 + in[k] * (k + 1);
  for (int k = t + zero; k < n; k += 64) wanted = wanted * 3 + in[k] * (k + 1);
  unsigned rounds = 0, other = 0, end = 4294967231u - blockIdx.x * 60;
  for (unsigned k = t + 4294966700u; k < end; k += 64u) rounds = rounds * 3 + k;
  for (unsigned k = t + zero + 4294966700u; k < end; k += 64u) other = other * 3 + k;
  WRITE(sum == wanted && rounds == other); }

//@ other_steps 1
KERNEL(other_steps) {
  BEGIN;
  int sum = 1, wanted = 1, by = 1 + blockIdx.x % 3;
  for (int k = 0; k < 40; k += by * 2) sum = sum * 3 + in[k * 8 + t];
  for (int k = zero; k < 40; k += by * 2) wanted = wanted * 3 + in[k * 8 + t];
  for (int k = 47; k > 3; k -= by) sum = sum * 5 + in[k * 8 + t];
  for (int k = 47 + zero; k > 3; k -= by) wanted = wanted * 5 + in[k * 8 + t];
  for (short k = 32000; k > 31000; k += 200) sum = sum * 7 + k + in[t];
  for (short k = 32000 + zero; k > 31000; k += 200) wanted = wanted * 7 + k + in[t];
  WRITE(sum == wanted); }

//@ counters_called_like_members 1
KERNEL(counters_called_like_members) {
  BEGIN;
  int sum = 1, wanted = 1, n = gridDim.x * 5;
  for (int x = 0; x < blockDim.x; x++) sum = sum * 3 + in[x * 4 + t];
  for (int x = zero; x < blockDim.x; x++) wanted = wanted * 3 + in[x * 4 + t];
  for (int x = blockIdx.x; x < n; x += gridDim.x / 4) sum = sum * 5 + in[x * 4 + t];
  for (int x = blockIdx.x + zero; x < n; x += gridDim.x / 4) wanted = wanted * 5 + in[x * 4 + t];
  WRITE(sum == wanted); }
