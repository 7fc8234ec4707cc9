// SPDX-License-Identifier: Apache-2.0
// Reverses each chunk of 256 elements; the last one may be shorter.
__kernel void reverse_chunks(__global const unsigned short* in, __global unsigned short* out, int n) {
  __local unsigned short chunk[256];
  int first = get_group_id(0) * get_local_size(0);
  int length = min((int)get_local_size(0), n - first);
  int t = get_local_id(0);
  if (t < length) {
    chunk[t] = in[first + t];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < length) {
    out[first + t] = chunk[length - 1 - t];
  }
}
