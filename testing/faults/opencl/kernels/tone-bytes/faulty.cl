// SPDX-License-Identifier: Apache-2.0
unsigned char to_byte(float v) {
  return (unsigned char)(v * 255.0f + 0.5f);
}

__kernel void tone(__global const float* light, __global unsigned char* pixels, int n, float exposure) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i < n) pixels[i] = to_byte(light[i] * exposure);
}
