// SPDX-License-Identifier: Apache-2.0
#define RADIUS 8

/* A filter of 17 coefficients; samples outside the signal count as zero. */
__kernel void fir(__global const float* x, __global const float* weights, __global float* y, int n) {
  const int i = get_local_id(0) + get_group_id(0) * get_local_size(0);
  if (i >= n) return;
  float sum = 0.0f;
  for (int r = -RADIUS; r <= RADIUS; ++r) {
    const int k = i + r;
    if (k >= 0 && k < n)
      sum += weights[r + RADIUS] * x[k];
  }
  y[i] = sum;
}
