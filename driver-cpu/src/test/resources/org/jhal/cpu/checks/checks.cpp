// SPDX-License-Identifier: Apache-2.0
// Kernels and what is found in them, as CheckTest reads it. 2 workgroups of 64 items; both buffers have 128 elements.

// ---- memory ----

extern "C" __global__ void copies(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

extern "C" __global__ void writes_past_the_end(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i + 1] = 1;  //! memory: | writes outside 'out': element 128 of 128 (i32), 0 bytes past its end | item (63, 0, 0) of workgroup (1, 0, 0)
}

extern "C" __global__ void reads_before_the_start(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;
  if (in[i - 2] > 3) out[i] = 1;  //! memory: | reads outside 'in': element -2 of 128 (i32), 8 bytes before its start | and 1 times more
}

__device__ int far(const int* from, int by) {
  return from[by];  //! memory: | reads outside | item (5, 0, 0)
}
extern "C" __global__ void reads_far_outside(const int* in, int* out) {
  if (threadIdx.x == 5) out[5 + blockIdx.x] = far(in, 100000);
}

extern "C" __global__ void writes_its_input(const int* in, int* out) {
  int* changed = (int*)in;
  if (threadIdx.x == 0) changed[blockIdx.x] = 1;  //! memory: | writes element 0 of 'in' | direction is 'in'
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[0] * 0;
}
