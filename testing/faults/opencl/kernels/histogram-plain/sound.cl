// SPDX-License-Identifier: Apache-2.0
typedef unsigned char byte;

__kernel void byte_histogram(__global const byte* image, unsigned size, __global unsigned* histogram) {
  __local unsigned mine[256];
  mine[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  unsigned stride = get_local_size(0) * get_num_groups(0);
  for (unsigned i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < size; i += stride) {
    atomic_add(&mine[image[i]], 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  atomic_add(&histogram[get_local_id(0)], mine[get_local_id(0)]);
}
