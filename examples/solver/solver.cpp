// SPDX-License-Identifier: Apache-2.0
// Solves A x = b by conjugate gradients. A has 2.1 on its diagonal and -1 beside it. One dispatch takes all steps: its
// workgroups wait for each other where a step needs what all of them have computed.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// The sum of the numbers of all work items, the same for each: all add up the sums of the workgroups in one order.
__device__ double total(double own, double* sums) {
  cg::grid_group grid = cg::this_grid();
  __shared__ double part[64];
  const int item = threadIdx.x;
  part[item] = own;
  __syncthreads();
  for (int by = 32; by > 0; by /= 2) {
    if (item < by) part[item] += part[item + by];
    __syncthreads();
  }
  if (item == 0) sums[blockIdx.x] = part[0];
  grid.sync();
  double sum = 0;
  for (int i = 0; i < (int)gridDim.x; i++) sum += sums[i];
  grid.sync();  // all have read the sums, and the next may be written
  return sum;
}

extern "C" __global__ void solve(int n, int steps, double tolerance, const double* b, double* x, double* r, double* p,
                                 double* q, double* sums, int* taken) {
  cg::grid_group grid = cg::this_grid();
  const int first = blockIdx.x * 64 + threadIdx.x;
  const int stride = gridDim.x * 64;
  double own = 0;
  for (int i = first; i < n; i += stride) {
    x[i] = 0;
    r[i] = p[i] = b[i];
    own += b[i] * b[i];
  }
  double error = total(own, sums);
  int step = 0;
  while (step < steps && error > tolerance * tolerance) {
    own = 0;
    for (int i = first; i < n; i += stride) {
      q[i] = 2.1 * p[i] - (i > 0 ? p[i - 1] : 0) - (i < n - 1 ? p[i + 1] : 0);
      own += p[i] * q[i];
    }
    const double length = error / total(own, sums);
    own = 0;
    for (int i = first; i < n; i += stride) {
      x[i] += length * p[i];
      r[i] -= length * q[i];
      own += r[i] * r[i];
    }
    const double next = total(own, sums);
    for (int i = first; i < n; i += stride) p[i] = r[i] + next / error * p[i];
    error = next;
    step++;
    grid.sync();
  }
  if (first == 0) taken[0] = step;
}
