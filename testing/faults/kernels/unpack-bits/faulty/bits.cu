// SPDX-License-Identifier: Apache-2.0
// Number i has the bits from 12 * i on; a word more than needed follows the last one.
extern "C" __global__ void unpack12(const unsigned* words, unsigned short* numbers, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bit = i * 12;
  unsigned shift = bit % 32;
  unsigned low = words[bit / 32] >> shift;
  unsigned high = words[bit / 32 + 1] << (32 - shift);
  numbers[i] = (unsigned short)((low | high) & 0xfff);
}
