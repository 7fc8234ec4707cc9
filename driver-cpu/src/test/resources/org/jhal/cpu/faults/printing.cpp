// SPDX-License-Identifier: Apache-2.0
// Kernels that print, and one that never ends by itself.
extern "C" __global__ void formats(const int* in, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    printf("nothing\n");
    printf("%d %u %ld %llu %x %5d|%-5d|%05d\n", -in[0], 4000000000u, -5000000000l, 18446744073709551615ull, 255, 42, 42, 42);
    printf("%f %.3f %e %g %c %s %p %%\n", 1.5f, 2.0 / 3, 12345.678, 0.1, 'x', "text", (void*)0x1234);
  }
  out[blockIdx.x * 64 + threadIdx.x] = in[0];
}

extern "C" __global__ void cut(const int* in, int* out) {
  if (threadIdx.x == 0) {
    printf("%01022d\n", 1);
    out[0] = printf("%01023d\n", 2);
    printf("%d\n", out[0]);
  }
  out[threadIdx.x] = in[0];
}

extern "C" __global__ void items(const int* in, int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x % 32 == 0) printf("workgroup %d item %d\n", blockIdx.x, values[threadIdx.x]);
  out[blockIdx.x * 64 + threadIdx.x] = in[0];
}

extern "C" __global__ void prints_and_traps(const int* in, int* out) {
  if (threadIdx.x == 0) printf("before the trap\n");
  if (threadIdx.x == 63) __trap();
  out[threadIdx.x] = in[0];
}

extern "C" __global__ void spins(const int* in, int* out) {
  while (*(volatile const int*)in == 1) {
  }
  out[threadIdx.x] = 1;
}
