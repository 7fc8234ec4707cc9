// SPDX-License-Identifier: Apache-2.0
// Each workgroup takes a row.
__kernel void moments(__global const double* rows, int length, __global double* mean, __global double* variance,
                      __local double* work /* two doubles for each item */) {
  __local double* sums = work;
  __local double* squares = work + get_local_size(0);
  __global const double* row = rows + (size_t)get_group_id(0) * length;

  double s = 0, q = 0;
  for (int i = get_local_id(0); i < length; i += get_local_size(0)) {
    s += row[i];
    q += row[i] * row[i];
  }
  sums[get_local_id(0)] = s;
  squares[get_local_id(0)] = q;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (unsigned step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (get_local_id(0) < step) {
      sums[get_local_id(0)] += sums[get_local_id(0) + step];
      squares[get_local_id(0)] += squares[get_local_id(0) + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) {
    double m = sums[0] / length;
    mean[get_group_id(0)] = m;
    variance[get_group_id(0)] = squares[0] / length - m * m;
  }
}
