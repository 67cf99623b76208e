// SPDX-License-Identifier: BSL-1.0
// Kernels whose work is cut into parts: the same bits as the whole, for any number of parts in any order.
#pragma once

#include <cstring>
#include <vector>

#include <ctnn/kernels/share.hpp>

namespace ctnn::ir::test {

/// Numbers of parts to try.
inline const std::vector<int> part_counts{2, 3, 5};

/// A kernel, part by part, the last one first.
template <class Kernel>
struct in_parts {
  Kernel kernel;
  int count;

  template <class Op>
  void operator()(const Op& p, const arguments& all) const {
    arguments a = all;
    for (int i = count; i-- > 0;) {
      a.share = {i, count};
      kernel(p, a);
    }
  }
};
template <class Kernel>
in_parts(Kernel, int) -> in_parts<Kernel>;

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace ctnn::ir::test
