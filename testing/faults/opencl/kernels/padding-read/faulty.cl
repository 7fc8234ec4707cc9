// SPDX-License-Identifier: Apache-2.0
// Rows of bytes become rows of floats that begin every pitch elements.
__kernel void unpack(__global const unsigned char* bytes, int width, int height, int pitch,
                                  __global float* rows) {
  int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
  int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
  if (x < width && y < height) rows[y * pitch + x] = bytes[y * width + x] / 255.0f;
}

__kernel void row_sums(__global const float* rows, int width, int height, int pitch, __global float* sums) {
  int y = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (y >= height) return;
  float sum = 0;
  for (int x = 0; x < pitch; x++) {
    sum += rows[y * pitch + x];
  }
  sums[y] = sum;
}
