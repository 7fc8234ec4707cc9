// SPDX-License-Identifier: Apache-2.0
#define BLOCK 128

float block_sum(float value, __local float* scratch) {
  scratch[get_local_id(0)] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = BLOCK / 2; width > 0; width >>= 1) {
    if (get_local_id(0) < width) scratch[get_local_id(0)] += scratch[get_local_id(0) + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float total = scratch[0];
  return total;
}

// The variance of each row of samples, in two passes.
__kernel void variance(__global const float* samples, int count, __global float* result) {
  __local float scratch[BLOCK];
  __global const float* mine = samples + get_group_id(0) * count;

  float sum = 0;
  for (int i = get_local_id(0); i < count; i += BLOCK) sum += mine[i];
  float mean = block_sum(sum, scratch) / count;

  float squares = 0;
  for (int i = get_local_id(0); i < count; i += BLOCK) {
    float d = mine[i] - mean;
    squares += d * d;
  }
  float total = block_sum(squares, scratch);
  if (get_local_id(0) == 0) result[get_group_id(0)] = total / count;
}
