// SPDX-License-Identifier: Apache-2.0
// The index at which the run of equal colors begins that an element is part of, chunk by chunk.
extern "C" __global__ void label_runs(const unsigned char* color, int n, int* label) {
  __shared__ int begin[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  bool joined = t > 0 && i < n && color[i - 1] == color[i];
  begin[t] = t;
  __syncthreads();

  int changed = 1;
  while (changed) {
    int left = joined ? begin[t - 1] : t;
    __syncthreads();
    changed = left < begin[t];
    begin[t] = left;
    changed = __syncthreads_or(changed);
  }
  if (i < n) label[i] = blockIdx.x * 128 + begin[t];
}
