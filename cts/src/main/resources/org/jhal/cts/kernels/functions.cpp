// SPDX-License-Identifier: Apache-2.0
// Operands and results as words. The kernel is generated.
#include <cuda_runtime.h>
typedef unsigned long long word;
template <class T> __device__ T of_word(word bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> __device__ word to_word(T value) {
  word bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
