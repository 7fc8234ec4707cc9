// SPDX-License-Identifier: Apache-2.0
// Each workgroup normalizes a row.
__kernel void layer_norm(__global const float* restrict x, __global const float* restrict gain,
                                      __global const float* restrict bias, __global float* restrict y,
                                      int width, float epsilon) {
  __local float sum[64], square[64];
  __local float mean, scale;
  __global const float* row = x + get_group_id(0) * width;
  const int t = get_local_id(0);

  float s = 0.f, q = 0.f;
  for (int i = t; i < width; i += get_local_size(0)) {
    s += row[i];
    q += row[i] * row[i];
  }
  sum[t] = s;
  square[t] = q;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = get_local_size(0) / 2; step > 0; step >>= 1) {
    if (t < step) {
      sum[t] += sum[t + step];
      square[t] += square[t + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) {
    float m = sum[0] / width;
    mean = m;
    scale = rsqrt(square[0] / width - m * m + epsilon);
  }
  for (int i = t; i < width; i += get_local_size(0)) {
    y[get_group_id(0) * width + i] = (row[i] - mean) * scale * gain[i] + bias[i];
  }
}
