// SPDX-License-Identifier: BSL-1.0
// Attention head by head: keys and values are packed once for all rows of the heads that share them, then some rows at
// a time make scores, probabilities and weighted sums while these are in the cache. For a few rows, as a decoder has
// that makes one word after the other, keys and values are read where they are.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_ATTENTION_INL_HPP)
#define CTNN_KERNELS_ATTENTION_INL_HPP
#define CTNN_KERNELS_ATTENTION_ENABLED
#endif
#elif defined(CTNN_KERNELS_ATTENTION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_ATTENTION_INL_HPP
#undef CTNN_KERNELS_ATTENTION_INL_HPP
#else
#define CTNN_KERNELS_ATTENTION_INL_HPP
#endif
#define CTNN_KERNELS_ATTENTION_ENABLED
#endif

#if defined(CTNN_KERNELS_ATTENTION_ENABLED)
#undef CTNN_KERNELS_ATTENTION_ENABLED

#include "../scratch.hpp"
#include "../share.hpp"
#include "../simd/sums_along-inl.hpp"
#include "../simd/transpose-inl.hpp"
#include "../walks/attention_walk.hpp"
#include "linear-inl.hpp"
#include "softmax-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

struct soft_cap {
  vec cap, inverse;
  CTNN_INLINE vec operator()(vec x) const { return mul(cap, tanh(mul(x, inverse))); }
};

/// y += the sum of weights[j] * value j, of which Vectors * lanes numbers are taken (or fewer, if `part` of the last
/// vector). A value whose weight is 0 is left out where `visible`.
template <int Vectors>
CTNN_INLINE void add_values(const float* weights, const float* values, std::ptrdiff_t pitch, std::ptrdiff_t count,
                            int part, bool visible, float* y) {
  vec total[Vectors];
  CTNN_UNROLL for (int v = 0; v < Vectors; ++v) total[v] = load_bounded(y + v * lanes, part);
  for (std::ptrdiff_t j = 0; j < count; ++j, values += pitch) {
    if (visible && weights[j] == 0) continue;
    const vec w = set(weights[j]);
    CTNN_UNROLL for (int v = 0; v < Vectors; ++v) total[v] =
        mul_add(w, load_bounded(values + v * lanes, part), total[v]);
  }
  CTNN_UNROLL for (int v = 0; v < Vectors; ++v) store_bounded(total[v], y + v * lanes, part);
}

/// A part of an attention: its memory, and where it is.
template <int = 0>
class attention_part {
 public:
  attention_part(const op::attention& p, const arguments& a, scratch_memory memory)
      : p_(p),
        a_(a),
        w_(p, a),
        scale_(p.scale != 0 ? p.scale : 1 / math::sqrt(static_cast<float>(w_.q.size))),
        skips_(p.mask || p.causal || p.lengths),
        packs_(w_.group * w_.q.length > few_rows),
        seen_(p.scores ? a.out[p.present ? 3 : 1].data : nullptr) {
    static_assert(op::attention::key_block % channel_block == 0 && op::attention::row_block % row_tiles == 0);
    for (int i = 0; i <= a.share.index; ++i) {  // those of the parts before it are theirs
      keys_ = memory.take<float>(p.whole_blocks(w_.total) * w_.q.size).data();
      values_ = memory.take<float>(w_.total * p.whole_blocks(w_.v.size)).data();
      scores_ = memory.take<float>(op::attention::row_block * w_.total).data();
    }
  }

  void run() {
    const std::ptrdiff_t heads = w_.batch * w_.k.heads, rows = w_.q.length;
    const std::size_t way = choose_cut(a_.share, {{heads, 1}, {rows, op::attention::row_block}});
    const index_range head = way == 0 ? share_of(a_.share, heads) : index_range{0, heads};
    const index_range row = way == 0 ? index_range{0, rows} : share_of(a_.share, rows, op::attention::row_block);
    if (p_.present) copy_present(share_of(a_.share, heads));
    if (row.size() <= 0) return;
    for (std::ptrdiff_t at = head.begin; at < head.end; ++at) {
      const std::ptrdiff_t n = at / w_.k.heads, h = at % w_.k.heads;
      valid_ = w_.valid(p_, a_, n);
      ahead_ = w_.ahead(p_, valid_);
      if (packs_) pack(n, h);
      for (std::ptrdiff_t g = h * w_.group; g < (h + 1) * w_.group; ++g)
        for (std::ptrdiff_t i = row.begin; i < row.end; i += op::attention::row_block)
          attend(n, g, i, row.end - i < op::attention::row_block ? row.end : i + op::attention::row_block);
    }
  }

 private:
  /// So many that read the same keys are done sooner than these are packed.
  static constexpr int few_rows = 4;

  const float* past(std::ptrdiff_t n, std::ptrdiff_t h, const head_places& at, int which) const {
    if (!p_.past) return nullptr;
    return a_.in[static_cast<std::size_t>(w_.past_at + which)].data + (n * at.heads + h) * w_.past * at.size;
  }

  /// Keys or values [first, first + count) of a head where they are.
  struct stretch {
    std::int64_t first, count, pitch;
    const float* at;
  };
  /// Those of the past among [first, end), or the new ones.
  stretch stretch_of(bool now, int which, std::ptrdiff_t n, std::ptrdiff_t h, std::ptrdiff_t first,
                     std::ptrdiff_t end) const {
    const head_places& x = which == 0 ? w_.k : w_.v;
    const std::int64_t seam = end < w_.past ? end : w_.past, begin = first < seam ? first : seam;
    if (!now) return {begin, seam - begin, x.size, past(n, h, x, which) + begin * x.size};
    const std::int64_t from = first < seam ? seam : first;
    const float* const at = a_.in[static_cast<std::size_t>(1 + which)].data + x(n, h, 0);
    return {from, end - from, x.pitch(), at + (from - w_.past) * x.pitch()};
  }

  /// Past ones and new ones of a head behind each other.
  void copy_present(const index_range& heads) const {
    for (std::ptrdiff_t at = heads.begin; at < heads.end; ++at)
      for (int which = 0; which < 2; ++which) {
        const head_places& x = which == 0 ? w_.k : w_.v;
        float* y = a_.out[static_cast<std::size_t>(1 + which)].data + at * w_.total * x.size;
        for (const bool now : {false, true}) {
          const stretch from = stretch_of(now, which, at / x.heads, at % x.heads, 0, w_.total);
          for (std::ptrdiff_t j = 0; j < from.count; ++j)
            for (std::ptrdiff_t i = 0; i < x.size; ++i) *y++ = from.at[j * from.pitch + i];
        }
      }
  }

  void pack(std::ptrdiff_t n, std::ptrdiff_t h) {
    for (const bool now : {false, true}) {
      const stretch k = stretch_of(now, 0, n, h, 0, w_.total), v = stretch_of(now, 1, n, h, 0, w_.total);
      if (k.count == 0) continue;
      pack_keys(k.at, k.pitch, k.first, k.first + k.count);
      pack_values(v.at, v.pitch, v.first, v.first + v.count);
    }
    const std::ptrdiff_t last = w_.total / channel_block * channel_block, size = w_.k.size;
    for (std::ptrdiff_t i = 0; w_.total > last && i < size; ++i)
      for (std::ptrdiff_t j = w_.total - last; j < channel_block; ++j) keys_[last * size + i * channel_block + j] = 0;
    map_row(multiply_all{set(scale_)}, (w_.total + channel_block - 1) / channel_block * channel_block * size, keys_,
            keys_);
  }
  /// Keys [first, last), `pitch` apart: each a column of the product's right side.
  void pack_keys(const float* from, std::ptrdiff_t pitch, std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t j = first; j < last;) {
      const std::ptrdiff_t in_block = j % channel_block, rest = channel_block - in_block;
      const std::ptrdiff_t some = last - j < rest ? last - j : rest;
      transpose(w_.k.size, some, keys_ + (j - in_block) * w_.k.size + in_block, channel_block, from, pitch);
      from += some * pitch;
      j += some;
    }
  }
  /// Values [first, last): each a row.
  void pack_values(const float* from, std::ptrdiff_t pitch, std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t c = 0; c < w_.v.size; c += channel_block) {
      const int some = static_cast<int>(w_.v.size - c < channel_block ? w_.v.size - c : channel_block);
      const float* x = from + c;
      float* y = values_ + (c / channel_block * w_.total + first) * channel_block;
      for (std::ptrdiff_t j = first; j < last; ++j, x += pitch, y += channel_block)
        for (int i = 0; i < channel_block; i += lanes) storeu(load_bounded(x + i, some - i < 0 ? 0 : some - i), y + i);
    }
  }

  /// A row of scores, for keys [first, end).
  void multiply_by_keys(const float* q, std::ptrdiff_t n, std::ptrdiff_t h, std::ptrdiff_t first, std::ptrdiff_t end,
                        float* s) const {
    for (const bool now : {false, true}) {
      const stretch k = stretch_of(now, 0, n, h, first, end);
      multiply_along(scale_, q, k.at, k.pitch, s + k.first - first, static_cast<int>(w_.q.size), k.count);
    }
  }
  /// A row of results.
  void sum_values(const float* weights, std::ptrdiff_t n, std::ptrdiff_t h, std::ptrdiff_t first, std::ptrdiff_t end,
                  bool visible, float* y) const {
    const int width = static_cast<int>(w_.v.size);
    for (int i = 0; i < width; ++i) y[i] = 0;
    for (const bool now : {false, true}) {
      const stretch v = stretch_of(now, 1, n, h, first, end);
      if (v.count == 0) continue;
      const float* const w = weights + v.first - first;
      int c = 0;
      for (; c + 4 * lanes <= width; c += 4 * lanes)
        add_values<4>(w, v.at + c, v.pitch, v.count, lanes, visible, y + c);
      for (; c < width; c += lanes) add_values<1>(w, v.at + c, v.pitch, v.count, width - c, visible, y + c);
    }
  }

  /// Rows [row, row_end) of query head h.
  void attend(std::ptrdiff_t n, std::ptrdiff_t h, std::ptrdiff_t row, std::ptrdiff_t row_end) {
    using enum op::attention_scores;
    const int rows = static_cast<int>(row_end - row), size = static_cast<int>(w_.q.size);
    // Keys that no row may see are left out; one stays, so that a row that sees none is NaN.
    std::ptrdiff_t keys = w_.total, first = 0;
    if (seen_ == nullptr) {
      const std::ptrdiff_t most = p_.causal && row_end + ahead_ < valid_ ? row_end + ahead_ : valid_;
      keys = most < 1 ? (w_.total < 1 ? w_.total : 1) : most;
      const std::ptrdiff_t least = w_.first_seen(p_, row, ahead_);
      first = (least < keys ? least : keys > 0 ? keys - 1 : 0) / channel_block * channel_block;
    }
    const int width = static_cast<int>(w_.v.size), columns = static_cast<int>(keys - first);
    float* const y = a_.out[0].data + w_.out(n, h, row);
    if (columns == 0) {
      for (std::ptrdiff_t r = 0; r < rows; ++r)
        for (int i = 0; i < width; ++i) y[r * w_.out.pitch() + i] = 0;
      return;
    }
    const float* const q = a_.in[0].data + w_.q(n, h, row);
    const std::ptrdiff_t shared = h / w_.group;
    if (packs_)
      multiply_rows(q, w_.q.pitch(), rows, size, keys_ + first * size, nullptr, nullptr, scores_, columns, columns,
                    epilogue{});
    for (int r = 0; !packs_ && r < rows; ++r)
      multiply_by_keys(q + r * w_.q.pitch(), n, shared, first, keys, scores_ + std::ptrdiff_t{r} * columns);
    keep(product, n, h, row, rows);
    if (p_.softcap > 0)
      map_row(soft_cap{set(p_.softcap), set(1 / p_.softcap)}, std::ptrdiff_t{rows} * columns, scores_, scores_);
    keep(with_softcap, n, h, row, rows);
    for (int r = 0; skips_ && r < rows; ++r) hide(n, h, row + r, first, columns, scores_ + std::ptrdiff_t{r} * columns);
    keep(with_mask, n, h, row, rows);
    // The sums of values are fewer numbers than the scores: they are multiplied instead, unless the scores are wanted.
    const bool late = seen_ == nullptr || p_.which != probabilities;
    float factors[op::attention::row_block];
    for (int r = 0; r < rows; ++r) {
      float* const s = scores_ + std::ptrdiff_t{r} * columns;
      if (late) factors[r] = first_lane(softmax_powers(columns, s, s));
      else softmax_row(columns, s, s);
    }
    keep(probabilities, n, h, row, rows);
    if (packs_)
      multiply_first_inputs(scores_, columns, rows, columns, values_ + first * channel_block,
                            static_cast<int>(w_.total), y, w_.out.pitch(), width);
    for (int r = 0; !packs_ && r < rows; ++r)
      sum_values(scores_ + std::ptrdiff_t{r} * columns, n, shared, first, keys, false, y + r * w_.out.pitch());
    for (int r = 0; skips_ && r < rows; ++r) {
      float* const sums = y + r * w_.out.pitch();
      float finite = 0;
      for (int i = 0; i < width; ++i) finite += sums[i] * 0;
      if (finite == 0) continue;
      if (packs_) add_visible(scores_ + std::ptrdiff_t{r} * columns, first, columns, sums);
      else sum_values(scores_ + std::ptrdiff_t{r} * columns, n, shared, first, keys, true, sums);
    }
    for (std::ptrdiff_t r = 0; late && r < rows; ++r)
      map_row(multiply_all{set(factors[r])}, width, y + r * w_.out.pitch(), y + r * w_.out.pitch());
  }
  void keep(op::attention_scores which, std::ptrdiff_t n, std::ptrdiff_t h, std::ptrdiff_t row, int rows) const {
    if (seen_ == nullptr || p_.which != which) return;
    float* const to = seen_ + ((n * w_.q.heads + h) * w_.q.length + row) * w_.total;
    for (std::ptrdiff_t i = 0; i < rows * w_.total; ++i) to[i] = scores_[i];
  }
  /// Adds the mask to scores of keys from `first` on; what a row may not see is -infinity.
  void hide(std::ptrdiff_t n, std::ptrdiff_t h, std::ptrdiff_t i, std::ptrdiff_t first, int columns, float* s) const {
    constexpr float none = -std::numeric_limits<float>::infinity();
    std::ptrdiff_t visible = (p_.causal && i + ahead_ + 1 < valid_ ? i + ahead_ + 1 : valid_) - first;
    if (visible < 0) visible = 0;
    if (p_.mask) {
      const const_tensor& mask = a_.in[3];
      const mask_row own(mask.shape, n, h, i, w_.total);
      const std::ptrdiff_t rest = own.size > first ? own.size - first : 0, masked = rest < columns ? rest : columns;
      if (mask.type == dtype::boolean) {
        const auto* m = elements<std::uint8_t>(mask) + own.first + first * own.step;
        for (std::ptrdiff_t j = 0; j < masked; ++j) s[j] = m[j * own.step] ? s[j] : p_.hidden_score;
      } else {
        const float* m = mask.data + own.first + first * own.step;
        for (std::ptrdiff_t j = 0; j < masked; ++j) s[j] += m[j * own.step];
      }
      if (masked < visible) visible = masked;
    }
    const std::ptrdiff_t hidden = w_.first_seen(p_, i, ahead_) - first;
    for (std::ptrdiff_t j = 0; j < hidden && j < columns; ++j) s[j] = none;
    for (std::ptrdiff_t j = visible; j < columns; ++j) s[j] = none;
  }
  /// The sums anew where one is not finite: a value that does not count must not make it so.
  void add_visible(const float* weights, std::ptrdiff_t first, int columns, float* y) const {
    for (std::ptrdiff_t c = 0; c < w_.v.size; c += lanes) {
      const float* from = values_ + (c / channel_block * w_.total + first) * channel_block + c % channel_block;
      vec total = zero();
      for (std::ptrdiff_t j = 0; j < columns; ++j)
        if (weights[j] != 0) total = mul_add(set(weights[j]), loadu(from + j * channel_block), total);
      store_bounded(total, y + c, static_cast<int>(w_.v.size - c < lanes ? w_.v.size - c : lanes));
    }
  }

  const op::attention& p_;
  const arguments& a_;
  attention_walk w_;
  float scale_;
  bool skips_, packs_;
  float *seen_, *keys_ = nullptr, *values_ = nullptr, *scores_ = nullptr;
  std::int64_t valid_ = 0, ahead_ = 0;
};

template <int = 0>
CTNN_NOINLINE inline void attend(const op::attention& p, const arguments& a, scratch_memory memory) {
  static_vector<extents, 7> in;
  for (const const_tensor& t : a.in) in.push_back(t.shape);
  arguments own = a;
  const inputs shapes{in.data(), in.size()};
  const int parts = memory.parts(p.parts(shapes), [&](int) { return p.scratch_of_part(shapes); });
  if (parts < own.share.count) own.share.count = parts;  // the others have nothing to do
  if (own.share.index >= own.share.count) return;
  attention_part<>(p, own, memory).run();
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::attention& p, const arguments& a, scratch_memory memory) {
  detail::attend(p, a, memory);
}

CTNN_END_TARGET

#endif
