// SPDX-License-Identifier: Apache-2.0
// Functions of the lanes of a warp that AMD's compilers lack.
#ifndef HAL_LANES_H
#define HAL_LANES_H
#include "hal_names.h"
#if defined(HAL_HIP) && !defined(HAL_HOST)
// The lanes with the same value, among those that come here.
template <class Hal_T> HAL_FUNCTION Hal_T hal_first(Hal_T value) {
  static_assert(sizeof(Hal_T) == 4 || sizeof(Hal_T) == 8, "a value that lanes compare has 4 or 8 bytes");
  int words[sizeof(Hal_T) / 4];
  __builtin_memcpy(words, &value, sizeof value);
  for (int& word : words) word = __builtin_amdgcn_readfirstlane(word);
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}
template <class Hal_T> HAL_FUNCTION unsigned long long __match_any_sync(unsigned long long mask, Hal_T value) {
  for (;;) {
    const bool is_equal = hal_first(value) == value;
    const unsigned long long equal = __ballot(is_equal);
    if (is_equal) return equal & mask;
  }
}
template <class Hal_T> HAL_FUNCTION unsigned long long __match_all_sync(unsigned long long mask, Hal_T value, int* all) {
  const unsigned long long active = __ballot(1), equal = __ballot(hal_first(value) == value);
  *all = active == equal;
  return active == equal ? active & mask : 0;
}
#endif
#endif
