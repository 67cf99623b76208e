// SPDX-License-Identifier: BSL-1.0
// Attention head by head, and the rotation of positions, for floating-point elements.
#pragma once

#include "../walks/attention_walk.hpp"
#include "products.hpp"
#include "reduction.hpp"

namespace ctnn::ir::typed {

inline void run(const op::attention& p, const arguments& a, scratch_memory memory) {
  const attention_walk w(p, a);
  const head_places &q = w.q, &k = w.k, &v = w.v, &out = w.out;
  const std::int64_t batch = w.batch, group = w.group, past = w.past, total = w.total;
  const auto past_at = static_cast<std::size_t>(w.past_at);
  const double scale = p.scale != 0 ? static_cast<double>(p.scale) : 1 / std::sqrt(static_cast<double>(q.size));
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const T none = -std::numeric_limits<T>::infinity();
    const T *past_k = p.past ? elements<T>(b.in[past_at]) : nullptr,
            *past_v = p.past ? elements<T>(b.in[past_at + 1]) : nullptr;
    const auto row_of = [&](const T* now, const T* before, const head_places& at, std::int64_t n, std::int64_t h,
                            std::int64_t j) {
      return j < past ? before + ((n * at.heads + h) * past + j) * at.size : now + at(n, h, j - past);
    };
    const auto k_row = [&](std::int64_t n, std::int64_t h, std::int64_t j) {
      return row_of(elements<T>(b.in[1]), past_k, k, n, h, j);
    };
    const auto v_row = [&](std::int64_t n, std::int64_t h, std::int64_t j) {
      return row_of(elements<T>(b.in[2]), past_v, v, n, h, j);
    };
    const const_tensor* mask = p.mask ? &b.in[3] : nullptr;
    const T hidden = static_cast<T>(p.hidden_score);
    const auto masked = [&](const mask_row& row, std::int64_t j, T score) -> T {
      if (j >= row.size) return none;
      const std::int64_t at = row.first + j * row.step;
      if (mask->type == dtype::boolean) return elements<std::uint8_t>(*mask)[at] ? score : hidden;
      return score + elements<T>(*mask)[at];
    };
    const std::span<T> scores = memory.take<T>(total), keys = memory.take<T>(total * q.size);
    const bool all_count = !mask && !p.causal && !p.lengths;
    T* seen = p.scores ? elements<T>(b.out[p.present ? 3 : 1]) : nullptr;
    for (std::int64_t n = 0; n < batch; ++n) {
      const std::int64_t valid = w.valid(p, b, n), ahead = w.ahead(p, valid);
      for (std::int64_t h = 0; h < q.heads; ++h) {
        for (std::int64_t j = 0; j < total; ++j)
          for (std::int64_t d = 0; d < q.size; ++d)
            keys[static_cast<std::size_t>(d * total + j)] = k_row(n, h / group, j)[d];
        for (std::int64_t i = 0; i < q.length; ++i) {
          const T* query = elements<T>(b.in[0]) + q(n, h, i);
          const auto keep = [&](op::attention_scores which) {
            if (seen && p.which == which)
              std::copy(scores.begin(), scores.end(), seen + ((n * q.heads + h) * q.length + i) * total);
          };
          std::fill(scores.begin(), scores.end(), T{0});
          add_product(query, q.size, keys.data(), total, scores.data(), total);
          for (T& s : scores) s *= static_cast<T>(scale);
          keep(op::attention_scores::product);
          const T cap = static_cast<T>(p.softcap);
          if (p.softcap > 0)
            for (T& s : scores) s = cap * std::tanh(s / cap);
          keep(op::attention_scores::with_softcap);
          const mask_row own(mask ? mask->shape : extents{}, n, h, i, total);
          for (std::int64_t j = 0; j < total; ++j) {
            T& s = scores[static_cast<std::size_t>(j)];
            if (mask) s = masked(own, j, s);
            if (j >= valid || (p.causal && j > i + ahead) || j < w.first_seen(p, i, ahead)) s = none;
          }
          keep(op::attention_scores::with_mask);
          softmax_row(scores.data(), scores.data(), total, 1, false);
          keep(op::attention_scores::probabilities);
          T* y = elements<T>(b.out[0]) + out(n, h, i);
          std::fill(y, y + out.size, T{0});
          if (all_count) {
            if (past > 0) add_product(scores.data(), past, v_row(n, h / group, 0), v.size, y, v.size);
            const std::int64_t step = v.length > 1 ? v(n, h / group, 1) - v(n, h / group, 0) : 0;
            add_product(scores.data() + past, v.length, elements<T>(b.in[2]) + v(n, h / group, 0), step, y, v.size);
            continue;
          }
          for (std::int64_t j = 0; j < total; ++j) {
            const T w = scores[static_cast<std::size_t>(j)];
            if (w == 0) continue;
            const T* row = v_row(n, h / group, j);
            for (std::int64_t d = 0; d < v.size; ++d) y[d] += w * row[d];
          }
        }
      }
      if (!p.present) continue;
      for (std::int64_t h = 0; h < k.heads; ++h)
        for (std::int64_t j = 0; j < total; ++j) {
          std::copy_n(k_row(n, h, j), k.size, elements<T>(b.out[1]) + ((n * k.heads + h) * total + j) * k.size);
          std::copy_n(v_row(n, h, j), v.size, elements<T>(b.out[2]) + ((n * v.heads + h) * total + j) * v.size);
        }
    }
  });
}

inline void run(const op::rotary_embedding& p, const arguments& a) {
  const head_places at(a.in[0].shape, p.heads);
  const std::int64_t part = p.part ? p.part : at.size, half = part / 2;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    copy_bytes(b);
    for (std::int64_t n = 0; n < b.in[0].shape[0]; ++n)
      for (std::int64_t i = 0; i < at.length; ++i) {
        const std::int64_t row =
            b.in.size() == 4 ? index_at(p.name, b.in[3], n * at.length + i, b.in[1].shape[0]) : n * at.length + i;
        const T *cosine = elements<T>(b.in[1]) + row * half, *sine = elements<T>(b.in[2]) + row * half;
        for (std::int64_t h = 0; h < at.heads; ++h) {
          const T* x = elements<T>(b.in[0]) + at(n, h, i);
          T* y = elements<T>(b.out[0]) + at(n, h, i);
          for (std::int64_t d = 0; d < half; ++d) {
            const std::int64_t first = p.interleaved ? 2 * d : d, second = p.interleaved ? 2 * d + 1 : d + half;
            const T u = x[first], w = x[second];
            y[first] = cosine[d] * u - sine[d] * w;
            y[second] = sine[d] * u + cosine[d] * w;
          }
        }
      }
  });
}

}  // namespace ctnn::ir::typed
