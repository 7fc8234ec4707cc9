// SPDX-License-Identifier: Apache-2.0
// A kernel that allocates memory. in[i] is i.
extern "C" __global__ void allocated(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int* p = new int[4];
  p[i & 3] = in[i];
  int* q = (int*)malloc(16);
  q[0] = p[i & 3];
  memcpy(p, q, 4);
  memset(q, 0, 16);
  out[i] = p[0] + q[1];
  delete[] p;
  free(q);
}
