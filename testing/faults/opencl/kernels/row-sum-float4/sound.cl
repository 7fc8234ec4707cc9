// SPDX-License-Identifier: Apache-2.0
// The sum of each row of width numbers; a row begins every pitch numbers.
__kernel void row_sum(__global const float* x, int width, int pitch, __global float* sums) {
  __local float part[64];
  __global const float* row = x + get_group_id(0) * pitch;
  __global const float4* row4 = (__global const float4*)row;

  float sum = 0;
  for (int i = get_local_id(0); i < width / 4; i += get_local_size(0)) {
    float4 v = row4[i];
    sum += v.x + v.y + v.z + v.w;
  }
  for (int i = width / 4 * 4 + get_local_id(0); i < width; i += get_local_size(0)) sum += row[i];

  part[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 32; step > 0; step >>= 1) {
    if (get_local_id(0) < step) part[get_local_id(0)] += part[get_local_id(0) + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) sums[get_group_id(0)] = part[0];
}
