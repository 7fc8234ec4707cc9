// SPDX-License-Identifier: Apache-2.0
// The four largest numbers of each row, the largest one first.
__kernel void top_four(__global const int* rows, int height, int width, __global int* top) {
  int y = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (y >= height) return;
  int best[4] = {-1, -1, -1, -1};
  for (int x = 0; x < width; x++) {
    int value = rows[y * width + x];
    int j = 4;
    while (j > 0 && best[j - 1] < value) {
      best[j] = best[j - 1];
      j--;
    }
    if (j < 4) best[j] = value;
  }
  for (int k = 0; k < 4; k++) top[y * 4 + k] = best[k];
}
