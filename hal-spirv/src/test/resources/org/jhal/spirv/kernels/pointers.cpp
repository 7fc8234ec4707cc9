// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"
typedef int (*op)(int, const int*);
static __device__ int plus(int a, const int* b) { return a + *b; }
static __device__ int minus(int a, const int* b) { return a - *b; }
static __device__ int unused(int a, const int* b) { return a * *b; }
__device__ op table[2] = {plus, minus};
__constant__ op hidden[1] = {unused};
struct functions {
  float (*first)(float);
  void (*second)(int*);
};
static __device__ float half_of(float x) { return x / 2; }
static __device__ void clear(int* at) { *at = 0; }
static __device__ void set(int* at) { *at = 1; }
__global__ void chosen(const int* x, int* y) {
  int local[4] = {1, 2, 3, 4};
  y[item()] = table[x[item()] & 1](x[item()], x) + table[x[item()] & 1](y[item()], local + (x[0] & 3));
}
__global__ void compared(const int* x, int* y) {
  const op f = x[item()] > 3 ? minus : x[item()] > 2 ? plus : nullptr;
  y[item()] = f ? f(x[item()], y) : 7;
}
__global__ void kept(const int* x, int* y, float* z) {
  functions all[2] = {{half_of, clear}, {half_of, set}};
  const functions* f = all + (x[item()] & 1);
  f->second(y + item());
  z[item()] = f->first(z[item()]);
}
