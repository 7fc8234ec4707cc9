// SPDX-License-Identifier: Apache-2.0
// What compilers make of a list in braces, such as that of `for (int i : {1, 2})`. They demand this name and these members.
#pragma once
#include "hal_types.h"

namespace std {
template <class T> class initializer_list {
  const T* hal_first;
  size_t hal_count;
  constexpr initializer_list(const T* first, size_t count) : hal_first(first), hal_count(count) {}

 public:
  typedef T value_type;
  typedef const T* iterator;
  typedef const T* const_iterator;
  constexpr initializer_list() : hal_first(nullptr), hal_count(0) {}
  constexpr size_t size() const { return hal_count; }
  constexpr const T* begin() const { return hal_first; }
  constexpr const T* end() const { return hal_first + hal_count; }
};
}  // namespace std
