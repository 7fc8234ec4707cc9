// SPDX-License-Identifier: Apache-2.0
// y = a * x + b * y, with a grid that need not cover all elements.
__kernel void axpby(int n, float a, __global const float* x, float b, __global float* y) {
  int stride = get_local_size(0) * get_num_groups(0);
  for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += stride) {
    y[i] = a * x[i] + b * y[i];
  }
}
