// SPDX-License-Identifier: BSL-1.0
// Memory that vectors of any width find aligned.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace ctnn::ir {

struct release_aligned {
  static constexpr std::align_val_t alignment{64};  // a cache line
  template <class T>
  void operator()(T* p) const {
    ::operator delete[](p, alignment);
  }
};
template <class T>
using aligned_memory = std::unique_ptr<T[], release_aligned>;

/// Numbers or bytes that nobody has set.
template <class T>
aligned_memory<T> allocate_aligned(std::size_t count) {
  return aligned_memory<T>(static_cast<T*>(::operator new[](count * sizeof(T), release_aligned::alignment)));
}

}  // namespace ctnn::ir
