// SPDX-License-Identifier: Apache-2.0
// Reverses each chunk of 256 elements; the last one may be shorter.
extern "C" __global__ void reverse_chunks(const unsigned short* in, unsigned short* out, int n) {
  __shared__ unsigned short chunk[256];
  int first = blockIdx.x * blockDim.x;
  int length = min((int)blockDim.x, n - first);
  int t = threadIdx.x;
  if (t < length) {
    chunk[t] = in[first + t];
    __syncthreads();
    out[first + t] = chunk[length - 1 - t];
  }
}
