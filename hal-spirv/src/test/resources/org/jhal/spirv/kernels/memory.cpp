// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"
struct Mixed {
  unsigned char tag;
  float eye[3];
  double zoom;
  short on;
  float* more;
};
struct __attribute__((packed)) Packed {
  char a;
  int b;
  long long c;
};
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__global__ void structs(unsigned char first, Mixed mixed, unsigned short last, double* y) {
  y[0] = first + mixed.tag + mixed.eye[item() % 3] + mixed.zoom + mixed.on + mixed.more[2] + last;
}
struct Large { double values[20]; };
__global__ void large(Large a, const Large* b, double* y, char last) { y[item()] = a.values[item() % 20] + b->values[3] + last; }
__global__ void local(const int* x, int* y) {
  int values[16];
  for (int i = 0; i < 16; i++) values[i] = x[i] * primes[i & 7];
  y[item()] = values[x[0] & 15] + values[item() & 15];
}
__global__ void bytes(const unsigned char* x, unsigned short* y) {
  __shared__ unsigned char parts[64];
  __shared__ unsigned short words[64];
  __shared__ double wide[64];
  const unsigned t = hal_local_id(0);
  parts[t] = x[t];
  words[t] = y[t];
  wide[t] = x[t] + y[t];
  hal_barrier();
  y[t] = (unsigned short)(parts[63 - t] + words[(t + 1) & 63] + (int)wide[t ^ 1]);
}
__global__ void dynamic(const float* x, float* y) {
  extern __shared__ float values[];
  extern __shared__ int other[];
  const unsigned t = hal_local_id(0);
  values[t] = x[t];
  hal_barrier();
  y[t] = other[hal_group_size(0) - 1 - t] > 0 ? 1 : 2;
}
__global__ void unaligned(const Packed* x, Packed* y) { y[item()].b = x[item()].b + (int)x[item()].c; }
static __device__ __noinline__ float third(const float* at, int i) { return at[i] * 3; }
__global__ void generic(const float* x, float* y, int where) {
  __shared__ float shared[32];
  float own[4] = {x[0], x[1], x[2], x[3]};
  shared[hal_local_id(0)] = x[item()];
  hal_barrier();
  const float* at = where == 0 ? x : where == 1 ? shared : own;
  y[item()] = third(at, (int)(item() & 3)) + third(own, where & 3) + (at == own);
}
__global__ void copies(const Large* x, Large* y, Mixed mixed, Mixed* z) {
  Large all = *x;
  all.values[item() % 20] = 1;
  *y = all;
  *z = mixed;
}
