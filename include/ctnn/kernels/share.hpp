// SPDX-License-Identifier: BSL-1.0
// Parts of a kernel's work for several threads. A part is a range of independent results, never of a sum, and begins
// where the whole would begin a tile anyway: results are the same bits for any number of parts.
#pragma once

#include <cstddef>

#include "../graph/operators.hpp"
#include "walks/loop_nest.hpp"
#include "targets.hpp"
#include "tensor.hpp"

namespace ctnn::ir {

struct index_range {
  std::ptrdiff_t begin, end;
  constexpr std::ptrdiff_t size() const { return end - begin; }
};

/// The share of [0, count), which begins at a multiple of `granule`; what is left at the end goes with the last one.
constexpr CTNN_INLINE index_range share_of(const work_share& s, std::ptrdiff_t count, std::ptrdiff_t granule = 1) {
  if (s.count == 1) return {0, count};
  const std::ptrdiff_t granules = count < granule ? 1 : count / granule;
  const std::ptrdiff_t first = granules * s.index / s.count, last = granules * (s.index + 1) / s.count;
  return {first * granule < count ? first * granule : count, last == granules ? count : last * granule};
}

/// Those of image n among a range of the rows of all images.
struct rows_of_image {
  int begin, end;
  constexpr CTNN_INLINE rows_of_image(const index_range& rows, int n, int height) {
    const std::ptrdiff_t first = std::ptrdiff_t{n} * height, from = rows.begin - first, to = rows.end - first;
    begin = static_cast<int>(from < 0 ? 0 : from);
    end = static_cast<int>(to > height ? height : to);
  }
};

/// A way to cut: `count` things, `granule` at a time.
struct cut {
  std::ptrdiff_t count, granule;
};

/// The first of the ways that makes the largest share (nearly) as small as any other does.
template <std::size_t N>
constexpr CTNN_INLINE std::size_t choose_cut(const work_share& s, const cut (&ways)[N]) {
  std::size_t best = 0;
  if (s.count == 1) return best;
  std::ptrdiff_t best_percent = 200;
  for (std::size_t i = 0; i < N; ++i) {
    if (ways[i].count == 0) continue;
    std::ptrdiff_t largest = 0;
    for (int k = 0; k < s.count; ++k) {
      const index_range r = share_of({k, s.count}, ways[i].count, ways[i].granule);
      if (r.size() > largest) largest = r.size();
    }
    const std::ptrdiff_t percent = 100 * largest / ways[i].count;
    if (percent + 5 > best_percent) continue;
    best = i;
    best_percent = percent;
  }
  return best;
}

/// Cuts the longest loop of a nest, the outermost of equal ones, to the share, and moves `offset` there; false if the
/// share is empty. Only for work that takes every element for itself.
template <int Operands>
constexpr bool take_share(loop_nest<Operands>& nest, const work_share& s, std::ptrdiff_t (&offset)[Operands]) {
  int longest = 0;
  for (int d = 1; d < nest.depth; ++d)
    if (nest.levels[d].extent > nest.levels[longest].extent) longest = d;
  auto& level = nest.levels[longest];
  const index_range r = share_of(s, level.extent, longest + 1 == nest.depth ? 64 : 1);
  if (r.size() <= 0) return false;
  level.extent = r.size();
  for (int i = 0; i < Operands; ++i) offset[i] += r.begin * level.stride[i];
  return true;
}

}  // namespace ctnn::ir
