// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"
__global__ void straight(const float* x, float* y, float a) { y[item()] = a * x[item()] + y[item()]; }
__global__ void leaves(const int* x, int* y, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      if (x[k] == 7) goto out;
      if (x[k] == 8) return;
      if (x[k] == 9) break;
      if (x[k] & 1) continue;
      sum += x[k] * i;
    }
    sum ^= i;
  }
out:
  y[item()] = sum;
}
__global__ void cases(const long long* x, int* y, int n) {
  int value = 0;
  for (int i = 0; i < n; i++) {
    switch (x[i]) {
      case 1: value += 3; break;
      case 20000000000ll: value *= 5; // and on
      case 4: value ^= 9; continue;
      case -6: goto out;
      default: value -= i;
    }
    y[i] = value;
  }
out:
  y[n] = value;
}
// A loop with two entries.
__global__ void entered_twice(const int* x, int* y, int n) {
  int i = 0, sum = 0;
  if (x[0] > 3) goto middle;
first:
  sum += x[i];
  if (sum == 100) goto out;
middle:
  sum = sum * 3 + i;
  if (x[i] & 4) y[i] = sum;
  if (++i < n) goto first;
out:
  y[n] = sum;
}
__global__ void barriers(const float* x, float* y) {
  __shared__ float part[64];
  const unsigned t = hal_local_id(0);
  part[t] = x[item()];
  hal_barrier();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    hal_barrier();
  }
  if (t == 0) y[hal_group_id(0)] = part[0] / hal_grid_size(0);
}
