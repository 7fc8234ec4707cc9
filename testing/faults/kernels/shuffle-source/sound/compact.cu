// SPDX-License-Identifier: Apache-2.0
// Gathers the odd elements, in any order; one atomic for each warp.
extern "C" __global__ void compact(const int* in, int n, int* out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  unsigned mask = __ballot_sync(0xffffffffu, value & 1);
  if (value & 1) {
    int lane = threadIdx.x % 32;
    int leader = __ffs(mask) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    out[base + __popc(mask & ((1u << lane) - 1))] = value;
  }
}
