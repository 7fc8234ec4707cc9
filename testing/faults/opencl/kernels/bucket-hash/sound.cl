// SPDX-License-Identifier: Apache-2.0
unsigned hash(int key) {
  return (unsigned)key * 0x9E3779B1u;
}

// How many keys each bucket of a hash table would get.
__kernel void count_buckets(__global const int* keys, int n, __global int* counts, int buckets) {
  for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += get_local_size(0) * get_num_groups(0)) {
    int bucket = hash(keys[i]) % buckets;
    atomic_add(counts + bucket, 1);
  }
}
