// SPDX-License-Identifier: Apache-2.0
// Number i has the bits from 12 * i on; a word more than needed follows the last one.
__kernel void unpack12(__global const unsigned* words, __global unsigned short* numbers, unsigned n) {
  unsigned i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i >= n) return;
  unsigned bit = i * 12;
  unsigned shift = bit % 32;
  unsigned low = words[bit / 32] >> shift;
  unsigned high = shift == 0 ? 0 : words[bit / 32 + 1] << (32 - shift);
  numbers[i] = (unsigned short)((low | high) & 0xfff);
}
