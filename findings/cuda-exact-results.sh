#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CUDA's functions of double and float miss results that are exact numbers.
#
# Expected  pow(x, 1) is x, log2 of a power of two is its exponent, exp10f(3) is 1000, and j0(0) is 1: the exact result is a
#           number of the type, and the C library of Debian 12 returns it.
# Happens   pow(3.0, 1.0) is 2.9999999999999996, log2(2^52) is 51.999999999999993, log2(2^51) is 51.000000000000007,
#           exp10f(3) is 1000.00006, j0(0.0) is 0.99999999999999978, and j0f(0) is 1.00000012. So (int)pow(3.0, 1.0) is 2, and
#           (int)log2(4503599627370496.0) is 51. All are within the errors that NVIDIA documents (2 units for pow, 1 for log2).
# Version   CUDA 13.0, driver 580.159.04, on an H200.
# Meets it  whoever truncates such a result to an index or a size in a kernel, after a test on a CPU.
#
# Needs nvcc of CUDA 13.0 and a GPU; ends with 77 without them, with 1 if the results have changed.
set -euo pipefail
command -v nvcc >/dev/null || { echo "there is no nvcc"; exit 77; }
nvcc --version | grep -q "release 13.0" || { echo "nvcc is not that of CUDA 13.0"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cat >"$folder/exact.cu" <<'CODE'
#include <cstdio>
__global__ void compute(const double* in, double* out) {
  out[0] = pow(in[0], in[1]);
  out[1] = log2(in[2]);
  out[2] = log2(in[3]);
  out[3] = exp10f((float)in[0]);
  out[4] = j0(in[4]);
  out[5] = j0f((float)in[4]);
}
int main() {
  const double operands[] = {3, 1, 4503599627370496.0, 2251799813685248.0, 0};
  double *in, *out, results[6];
  if (cudaMalloc(&in, sizeof operands) != cudaSuccess || cudaMalloc(&out, sizeof results) != cudaSuccess) return 77;
  cudaMemcpy(in, operands, sizeof operands, cudaMemcpyHostToDevice);
  compute<<<1, 1>>>(in, out);
  if (cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost) != cudaSuccess) return 77;
  for (double result : results) printf("%.17g\n", result);
}
CODE
nvcc -arch=native -o "$folder/exact" "$folder/exact.cu" 2>/dev/null || { echo "there is no GPU that nvcc knows"; exit 77; }
"$folder/exact" >"$folder/seen" || { code=$?; echo "there is no GPU"; exit "$code"; }
diff - "$folder/seen" <<'SEEN'
2.9999999999999996
51.999999999999993
51.000000000000007
1000.0000610351562
0.99999999999999978
1.0000001192092896
SEEN
echo "as described: pow(3.0, 1.0) is 2.9999999999999996"
