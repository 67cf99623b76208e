// SPDX-License-Identifier: BSL-1.0
// Where heads, keys and masks of an attention lie, whatever its form: for kernels of every element type.
#pragma once

#include "../../base/refuse.hpp"
#include "../../graph/operators/attention.hpp"
#include "../tensor.hpp"

namespace ctnn::ir {

/// Where vector (batch, head, position) of Q, K, V or the result begins, in either form.
struct head_places {
  bool by_head;
  std::int64_t heads, length, size;
  constexpr head_places(const extents& given, int count) {
    by_head = given.rank == 4;
    const extents x = op::attention::by_heads(given, count);
    heads = x[1];
    length = x[2];
    size = x[3];
  }
  constexpr std::int64_t operator()(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return (by_head ? (b * heads + h) * length + i : (b * length + i) * heads + h) * size;
  }
  /// From a position to the next.
  constexpr std::int64_t pitch() const { return by_head ? size : heads * size; }
};

struct attention_walk {
  head_places q, k, v, out;
  std::int64_t batch, group;  ///< query heads that share one of keys
  std::int64_t past, total;   ///< keys that were there before, and all
  int past_at;                ///< input: past keys, and behind it past values

  constexpr attention_walk(const op::attention& p, const arguments& a)
      : q(a.in[0].shape, p.heads),
        k(a.in[1].shape, p.kv_heads),
        v(a.in[2].shape, p.kv_heads),
        out(a.out[0].shape, static_cast<int>(q.heads)),
        batch(a.in[0].shape[0]),
        group(q.heads / k.heads),
        past_at(p.mask ? 4 : 3) {
    past = p.past ? a.in[static_cast<std::size_t>(past_at)].shape[2] : 0;
    total = past + k.length;
  }
  /// Keys of a batch that count; another number of them is refused.
  std::int64_t valid(const op::attention& p, const arguments& a, std::int64_t n) const {
    if (!p.lengths) return total;
    const const_tensor& t = a.in.back();
    const std::int64_t given = t.type == dtype::i32 ? elements<std::int32_t>(t)[n] : elements<std::int64_t>(t)[n];
    const std::int64_t count = given < 0 ? given + total + 1 : given;
    if (count < 0 || count > total)
      refuse_at_run_time(p.name, "index % is out of range for % elements", given, total + 1);
    return count;
  }
  /// Keys that a causal row i may see are those up to i + ahead.
  constexpr std::int64_t ahead(const op::attention& p, std::int64_t valid) const {
    return p.lower_right || (!p.past && p.lengths) ? valid - q.length : past;
  }
  /// The first of them.
  static constexpr std::int64_t first_seen(const op::attention& p, std::int64_t i, std::int64_t ahead) {
    const std::int64_t first = i + ahead + 1 - p.sliding_window;
    return p.sliding_window > 0 && first > 0 ? first : 0;
  }
};

/// A mask's elements for (batch, head, row): those of keys j < size at first + j * step; beyond, keys are masked.
struct mask_row {
  std::int64_t first = 0, step = 0, size = 0;
  constexpr mask_row(const extents& mask, std::int64_t n, std::int64_t h, std::int64_t i, std::int64_t total) {
    const std::int64_t at[] = {0, i, h, n};  // from the last axis
    std::int64_t stride = 1;
    for (int d = 0; d < mask.rank; ++d) {
      if (d > 0 && mask.back(d) > 1) first += at[d] * stride;
      stride *= mask.back(d);
    }
    const bool alike = mask.rank == 0 || mask.back(0) == 1;
    step = alike ? 0 : 1;
    size = alike || mask.back(0) > total ? total : mask.back(0);
  }
};

}  // namespace ctnn::ir
