// SPDX-License-Identifier: Apache-2.0
__device__ unsigned hash(int key) {
  return (unsigned)key * 0x9E3779B1u;
}

// How many keys each bucket of a hash table would get.
extern "C" __global__ void count_buckets(const int* keys, int n, int* counts, int buckets) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    int bucket = hash(keys[i]) % buckets;
    atomicAdd(counts + bucket, 1);
  }
}
