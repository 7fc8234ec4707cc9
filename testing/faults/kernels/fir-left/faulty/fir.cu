// SPDX-License-Identifier: Apache-2.0
constexpr int RADIUS = 8;

/* A filter of 17 coefficients; samples outside the signal count as zero. */
extern "C" __global__ void fir(const float* x, const float* weights, float* y, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int r = -RADIUS; r <= RADIUS; ++r) {
    const int k = i + r;
    if (k < n)
      sum += weights[r + RADIUS] * x[k];
  }
  y[i] = sum;
}
