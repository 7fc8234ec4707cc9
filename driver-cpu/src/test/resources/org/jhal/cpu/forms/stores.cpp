// SPDX-License-Identifier: Apache-2.0
// Branches that replace elements of shared memory, and such as only seem to: what they would write in vain does not exist, or
// is another element. As in meanings.cpp, each is a part of its own, and all items write 1 if they see what they must.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
#define ITEM (int)threadIdx.x
#define WRITE(condition) __syncthreads(); out[AT] = (condition) ? 1 : 0

//@ largest_and_where 1
KERNEL(largest_and_where) { __shared__ float best[64]; __shared__ int where[64]; int t = ITEM; best[t] = (t * 37) % 64; where[t] = t; __syncthreads();
  for (int d = 1; d < 64; d *= 2) { if (t % (2 * d) == 0) { if (best[t + d] > best[t]) { best[t] = best[t + d]; where[t] = where[t + d]; } } __syncthreads(); }
  WRITE(best[0] == 63.0f && where[0] == 19); }

//@ floats_keep_their_bits 1
KERNEL(floats_keep_their_bits) { __shared__ float a[64], b[64]; int t = ITEM; a[t] = t % 2 ? __int_as_float(0x7fa00001 + t) : -0.0f; b[t] = 0.0f; __syncthreads();
  for (int d = 0; d < 2; d++) { if (a[t] < b[t]) { a[t] = b[t]; b[t] = 1.0f; } __syncthreads(); }
  WRITE(__float_as_int(a[t]) == (t % 2 ? 0x7fa00001 + t : (int)0x80000000) && __float_as_int(b[t]) == 0); }

//@ sorted_by_exchanges 1
KERNEL(sorted_by_exchanges) { __shared__ int s[64]; int t = ITEM; s[t] = (t * 29) % 64; __syncthreads();
  for (int k = 2; k <= 64; k *= 2) { for (int j = k / 2; j > 0; j /= 2) { int u = t ^ j; if (u > t) { if (t & k) { if (s[t] < s[u]) { int v = s[t]; s[t] = s[u]; s[u] = v; } } else { if (s[t] > s[u]) { int v = s[t]; s[t] = s[u]; s[u] = v; } } } __syncthreads(); } }
  WRITE(s[t] == t); }

//@ elements_of_each_width 1
KERNEL(elements_of_each_width) { __shared__ char a[64]; __shared__ short b[64]; __shared__ long long c[64]; __shared__ double d[64]; __shared__ unsigned char e[64]; int t = ITEM;
  a[t] = -t; b[t] = -t * 500; c[t] = -t * 5000000000ll; d[t] = t / 3.0; e[t] = 200 + t % 50; __syncthreads();
  if (e[t] > 210) { a[t] = 5; b[t] = 6; c[t] = 7; d[t] = 8.0; e[t] = 9; }
  bool is = t % 50 > 10; WRITE(a[t] == (is ? 5 : -t) && b[t] == (is ? 6 : -t * 500) && c[t] == (is ? 7 : -t * 5000000000ll) && d[t] == (is ? 8 : t / 3.0) && e[t] == (is ? 9 : 200 + t % 50)); }

//@ array_of_another_size 1
KERNEL(array_of_another_size) { __shared__ int before[64]; __shared__ int few[8]; __shared__ int behind[64]; int t = ITEM; before[t] = t; behind[t] = t; if (t < 8) few[t] = 0; __syncthreads();
  if (before[t] < 8) few[t] = 9; if (behind[t] < 8) { few[t] = 9; }
  WRITE(before[t] == t && behind[t] == t && few[t & 7] == 9); }

//@ elements_that_are_subscripts 1
KERNEL(elements_that_are_subscripts) { __shared__ int s[64], p[64]; int t = ITEM; s[t] = t; p[t] = t; __syncthreads();
  if (s[p[t]] > 31) { p[t] = 63 - t; s[p[t]] = 5; }
  __syncthreads(); int x = s[t]; WRITE(x == (t < 32 ? 5 : t) && p[t] == (t < 32 ? t : 63 - t)); }

//@ variables_of_the_same_name 1
KERNEL(variables_of_the_same_name) { __shared__ int s[64], q[64]; int t = ITEM, u = 63 - t; s[t] = t; q[t] = 0; __syncthreads();
  if (s[u] > s[t]) { int u = s[t]; s[t] = u; q[t] = 1; } if (s[u] > s[t]) { int t = 40; s[t] = 40; }
  WRITE(s[t] == t && q[t] == (t < 32 ? 1 : 0)); }

//@ guarded_elements 1
KERNEL(guarded_elements) { __shared__ int a[64]; __shared__ int few[8]; __shared__ int b[64]; int t = ITEM; a[t] = b[t] = 5; if (t < 8) few[t] = 5; __syncthreads();
  if (t < 8 && few[t] > 3) few[t] = 7; if (t < 8) { if (few[t] > 6) { few[t] = 8; } }
  WRITE(a[t] == 5 && b[t] == 5 && few[t & 7] == 8); }

//@ rows_of_elements 1
KERNEL(rows_of_elements) { __shared__ int a[4][16], b[4][16], c[16][4]; int t = ITEM, x = t & 15, y = t >> 4; a[y][x] = t; b[y][x] = 0; c[x][y] = 0; __syncthreads();
  if (a[y][x] > 31) { b[y][x] = a[y][x]; a[y][x] = 3; } if (a[y][x] > 15) { c[x][y] = 4; }
  WRITE(a[y][x] == (t > 31 ? 3 : t) && b[y][x] == (t > 31 ? t : 0) && c[x][y] == (t > 15 && t < 32 ? 4 : 0)); }

//@ values_that_are_converted 1
KERNEL(values_that_are_converted) { __shared__ int a[64]; __shared__ float f[64]; __shared__ unsigned char c[64]; int t = ITEM; a[t] = t; f[t] = t * 10.5f; c[t] = t; __syncthreads();
  if (f[t] > 30.0f) { a[t] = f[t]; c[t] = a[t]; } float x = 2.5f; if (f[t] < 5.0f) { a[t] = x; }
  int y = t * 10.5f; WRITE(a[t] == (t > 2 ? y : t == 0 ? 2 : t) && c[t] == (t > 2 ? (y & 255) : t)); }

//@ many_stores_to_one_element 1
KERNEL(many_stores_to_one_element) { __shared__ int s[64]; int t = ITEM; s[t] = t; __syncthreads();
  if (s[t] > 20) { s[t] = 100; s[63 - t] = 1; s[t] = 101; } __syncthreads(); if (s[t] > s[t ^ 1]) { s[t] = s[t ^ 1]; }
  WRITE(s[t] >= 0); }

//@ every_so_many_items 1
KERNEL(every_so_many_items) { __shared__ int s[64]; int t = ITEM, n = 3 + (int)(gridDim.x - 8), none = n - 3; s[t] = 0; __syncthreads();
  if (t % n == 1) { s[t] += 1; } __syncthreads(); if (t % n == n) { s[t] += 10; } __syncthreads(); if (t % 32 == 40) { s[t] += 100; } __syncthreads();
  if (t == n) { s[t] += 1000; } __syncthreads(); if (none != 0) { if (t % none == 0) { s[t] += 5; } } __syncthreads(); if (t % -n == 1) { s[t] += 10000; } __syncthreads();
  WRITE(s[t] == (t % 3 == 1 ? 10001 : 0) + (t == 3 ? 1000 : 0)); }
