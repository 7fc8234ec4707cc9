// SPDX-License-Identifier: Apache-2.0
extern __shared__ double work[];  // two doubles for each item

// Each workgroup takes a row.
extern "C" __global__ void moments(const double* rows, int length, double* mean, double* variance) {
  double* sums = work;
  double* squares = work + blockDim.x;
  const double* row = rows + (size_t)blockIdx.x * length;

  double s = 0, q = 0;
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    s += row[i];
    q += row[i] * row[i];
  }
  sums[threadIdx.x] = s;
  squares[threadIdx.x] = q;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    double m = sums[0] / length;
    mean[blockIdx.x] = m;
    variance[blockIdx.x] = squares[0] / length - m * m;
  }
}
