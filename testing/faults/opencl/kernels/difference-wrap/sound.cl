// SPDX-License-Identifier: Apache-2.0
// What each counter has gained since the one before; the first one counts from zero.
__kernel void difference(unsigned n, __global const long* in, __global long* out) {
  unsigned i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i < n) {
    long before = i > 0 ? in[i - 1] : 0;
    out[i] = in[i] - before;
  }
}
