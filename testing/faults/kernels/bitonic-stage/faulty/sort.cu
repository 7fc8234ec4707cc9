// SPDX-License-Identifier: Apache-2.0
// Sorts each chunk of 512 keys; what is missing in the last one counts as the largest key.
extern "C" __global__ void sort_chunks(int n, int* keys) {
  __shared__ int s[512];
  int t = threadIdx.x;
  int first = blockIdx.x * 512;
  for (int i = t; i < 512; i += blockDim.x) s[i] = first + i < n ? keys[first + i] : 2147483647;
  __syncthreads();

  for (int size = 2; size <= 512; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int low = 2 * t - (t & (stride - 1));
      bool up = (low & size) == 0;
      if ((s[low] > s[low + stride]) == up) {
        int key = s[low];
        s[low] = s[low + stride];
        s[low + stride] = key;
      }
    }
    __syncthreads();
  }

  for (int i = t; i < 512; i += blockDim.x) {
    if (first + i < n) keys[first + i] = s[i];
  }
}
