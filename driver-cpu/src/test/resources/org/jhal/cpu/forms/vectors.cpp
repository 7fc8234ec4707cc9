// SPDX-License-Identifier: Apache-2.0
// Kernels whose loops over the items compilers have made wrong vectors of. As in meanings.cpp, each is a part of its own, and
// all items write 1 if they see what they must.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
#define ITEM (int)threadIdx.x
#define WRITE(condition) __syncthreads(); out[AT] = (condition) ? 1 : 0

//@ chosen_by_a_comparison 1
KERNEL(chosen_by_a_comparison) {
  __shared__ int found[64];
  const int* pair = in + 100;
  int t = ITEM, x = t + blockIdx.x;
  found[t] = pair[x < 33 ? 0 : 1];
  WRITE(found[t] == (x < 33 ? in[100] : in[101])); }

//@ chosen_by_a_number_that_is_a_comparison 1
KERNEL(chosen_by_a_number_that_is_a_comparison) {
  __shared__ int found[64];
  const int* pair = in + 100;
  int t = ITEM, x = t + blockIdx.x;
  long which = x > 40;
  found[t] = pair[which & 1] + pair[which + 7];
  WRITE(found[t] == (x > 40 ? in[101] + in[108] : in[100] + in[107])); }

//@ chosen_in_a_function 1
__device__ int one_of(const int* from, int width, int x) { int k = x < width ? 0 : 1; return from[k + 100] + from[k * 7 + 30]; }
KERNEL(chosen_in_a_function) {
  __shared__ int found[64];
  int t = ITEM, i = AT;
  found[t] = one_of(in, 67, i - 1) + one_of(in, 67, i) * 3 + one_of(in, 67, i + 1) * 5;
  int wanted = 0;
  for (int k = 0; k < 3; k++) wanted += (i - 1 + k < 67 ? in[100] + in[30] : in[101] + in[37]) * (2 * k + 1);
  WRITE(found[t] == wanted); }

//@ written_where_a_comparison_says 1
KERNEL(written_where_a_comparison_says) {
  __shared__ int pairs[128], found[64];
  int t = ITEM, x = t + blockIdx.x;
  pairs[2 * t] = pairs[2 * t + 1] = -1;
  int* pair = pairs + 2 * t;
  pair[x > 40] = x;
  found[t] = pair[x > 40 ? 0 : 1];
  WRITE(found[t] == -1 && pairs[2 * t + (x > 40)] == x); }

//@ swapped_where_wanted 1
KERNEL(swapped_where_wanted) {
  __shared__ int found[128];
  int t = ITEM, first = 0, second = 0;
  if (in[2 * t] & 1) first = in[2 * t + 1];
  if (in[2 * t + 1] & 1) second = in[2 * t];
  found[2 * t] = first;
  found[2 * t + 1] = second;
  WRITE(found[2 * t] == (in[2 * t] & 1 ? in[2 * t + 1] : 0) && found[2 * t + 1] == (in[2 * t + 1] & 1 ? in[2 * t] : 0)); }

//@ ends_of_four_where_wanted 1
KERNEL(ends_of_four_where_wanted) {
  __shared__ int found[128];
  int t = ITEM, first = 2, second = 2;
  if (in[2 * t] & 1) first = in[4 * t];
  if (in[2 * t + 1] & 1) second = in[4 * t + 3];
  found[2 * t] = first;
  found[2 * t + 1] = second;
  WRITE(found[2 * t] == (in[2 * t] & 1 ? in[4 * t] : 2) && found[2 * t + 1] == (in[2 * t + 1] & 1 ? in[4 * t + 3] : 2)); }

//@ rounds_of_eight_where_wanted 1
KERNEL(rounds_of_eight_where_wanted) {
  __shared__ int found[512];
  int t = ITEM;
  for (int x = 0; x < 8; x++) {
    int i = t * 8 + x, one = 2;
    if (in[i] & 1) one = in[i * 4 % 480 + (x & 3)];
    found[i] = one; }
  __syncthreads();
  int right = 0;
  for (int x = 0; x < 8; x++) {
    int i = t * 8 + x;
    right += found[i] == (in[i] & 1 ? in[i * 4 % 480 + (x & 3)] : 2); }
  out[AT] = right == 8; }

//@ three_numbers_where_wanted 1
KERNEL(three_numbers_where_wanted) {
  __shared__ int found[192];
  int t = ITEM;
  for (int c = 0; c < 3; c++) found[3 * t + c] = in[3 * t + c] & 1 ? in[3 * t + c + 200] : 0;
  __syncthreads();
  int right = 0;
  for (int c = 0; c < 3; c++) right += found[3 * t + c] == (in[3 * t + c] & 1 ? in[3 * t + c + 200] : 0);
  out[AT] = right == 3; }

//@ three_bytes_where_wanted 1
KERNEL(three_bytes_where_wanted) {
  __shared__ unsigned char found[192];
  const unsigned char* bytes = (const unsigned char*)in;
  int t = ITEM;
  for (int c = 0; c < 3; c++) {
    unsigned char one = 0;
    if (bytes[3 * t + c] > 100) one = bytes[3 * t + c + 400];
    found[3 * t + c] = one; }
  __syncthreads();
  int right = 0;
  for (int c = 0; c < 3; c++) right += found[3 * t + c] == (bytes[3 * t + c] > 100 ? bytes[3 * t + c + 400] : 0);
  out[AT] = right == 3; }

//@ chosen_by_a_comparison_of_floats 1
KERNEL(chosen_by_a_comparison_of_floats) {
  __shared__ float table[64];
  __shared__ int found[64];
  int t = ITEM;
  float x = in[AT] * 0.25f;
  table[t] = t;
  __syncthreads();
  found[t] = (table + 16)[x < 99.5f ? 0 : 1];
  WRITE(found[t] == (in[AT] * 0.25f < 99.5f ? 16 : 17)); }

//@ chosen_by_two_comparisons_of_floats 1
KERNEL(chosen_by_two_comparisons_of_floats) {
  __shared__ int table[64], found[64];
  int t = ITEM;
  float x = in[AT] * 0.25f;
  table[t] = t;
  __syncthreads();
  found[t] = (table + 16)[(x < 100) | (x > 100)];
  WRITE(found[t] == (in[AT] == 400 ? 16 : 17)); }

//@ field_chosen_by_a_comparison 1
KERNEL(field_chosen_by_a_comparison) {
  __shared__ int2 table[64];
  __shared__ int found[64];
  int t = ITEM;
  table[t] = make_int2(t, 2 * t);
  __syncthreads();
  int2 one = (table + 16)[in[AT] > 400 ? 0 : 1];
  found[t] = one.x + one.y;
  WRITE(found[t] == (in[AT] > 400 ? 48 : 51)); }

//@ chosen_in_a_file_with_a_space 1
#line 1 "my kernels.cu"
KERNEL(chosen_in_a_file_with_a_space) {
  __shared__ int table[64], found[64];
  int t = ITEM;
  table[t] = t;
  __syncthreads();
  found[t] = (table + 16)[in[AT] > 400 ? 0 : 1];
  WRITE(found[t] == (in[AT] > 400 ? 16 : 17)); }
