// SPDX-License-Identifier: Apache-2.0
// What compilers make of a list in braces, such as that of `for (int i : {1, 2})`. They demand this name and these members.
#pragma once
#include "hal_types.h"

namespace std {
template <class Hal_T> class initializer_list {
  const Hal_T* hal_first;
  size_t hal_count;
  constexpr initializer_list(const Hal_T* first, size_t count) : hal_first(first), hal_count(count) {}

 public:
  typedef Hal_T value_type;
  typedef const Hal_T* iterator;
  typedef const Hal_T* const_iterator;
  constexpr initializer_list() : hal_first(nullptr), hal_count(0) {}
  constexpr size_t size() const { return hal_count; }
  constexpr const Hal_T* begin() const { return hal_first; }
  constexpr const Hal_T* end() const { return hal_first + hal_count; }
};
}  // namespace std
