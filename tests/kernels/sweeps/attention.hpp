// SPDX-License-Identifier: BSL-1.0
// Attention of many shapes, masks and pasts against double loops.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>

#include <ctnn/kernels/scratch.hpp>
#include <ctnn/graph/operators/attention.hpp>

#include "../check.hpp"
#include "../parts.hpp"

namespace ctnn::ir::test {

struct attention_case {
  op::attention p{};
  int batch = 1, group = 1, kv_heads = 1, rows = 1, keys = 1, past = 0, size = 1, width = 1;
  bool flat = false;  ///< rank 3
  extents mask{};
  bool booleans = false;
  std::vector<std::int64_t> lengths{};
  bool wild = false;  ///< keys and values that a short length leaves out are NaN
};

/// A case's numbers.
class attention_numbers {
 public:
  explicit attention_numbers(attention_case given) : c(given) {
    op::attention& p = c.p;
    const int heads = c.group * c.kv_heads;
    p.heads = c.flat ? heads : 0;
    p.kv_heads = c.flat ? c.kv_heads : 0;
    p.past = c.past > 0;
    p.lengths = !c.lengths.empty();
    const auto form = [&](int h, int n, int d) {
      return c.flat ? extents{c.batch, n, h * d} : extents{c.batch, h, n, d};
    };
    add(form(heads, c.rows, c.size), -1, 1);
    add(form(c.kv_heads, c.keys, c.size), -1, 1);
    add(form(c.kv_heads, c.keys, c.width), -1, 1);
    if (p.mask) add(c.mask, -2, 2);
    if (p.mask && c.booleans)
      for (float v : numbers[3]) bits.push_back(v > -1);
    if (p.past) {
      add({c.batch, c.kv_heads, c.past, c.size}, -1, 1);
      add({c.batch, c.kv_heads, c.past, c.width}, -1, 1);
    }
    if (p.lengths) shapes.push_back({c.batch});
    extents results[4];
    REQUIRE(!p.infer(shapes, results));
    for (int k = 0; k < p.output_count(); ++k) {
      out_shapes.push_back(results[k]);
      out.emplace_back(static_cast<std::size_t>(results[k].count()));
    }
    if (c.wild)
      for (int n = 0; n < c.batch; ++n)
        for (int h = 0; h < c.kv_heads; ++h)
          for (int j = static_cast<int>(c.lengths[static_cast<std::size_t>(n)]); j < total(); ++j)
            for (int d = 0; d < c.width; ++d) place(2, c.kv_heads, c.width, n, h, j)[d] = std::nanf("");
  }

  int total() const { return c.past + c.keys; }

  template <class Run>
  void run(const Run& kernel, int parts) {
    std::vector<const_tensor> in;
    for (std::size_t i = 0; i < numbers.size(); ++i) in.push_back({numbers[i].data(), shapes[i]});
    if (c.p.mask && c.booleans)
      in[3] = {static_cast<const float*>(static_cast<const void*>(bits.data())), shapes[3], layout::nchw, 0,
               dtype::boolean};
    if (c.p.lengths)
      in.push_back({static_cast<const float*>(static_cast<const void*>(c.lengths.data())), shapes.back(), layout::nchw,
                    0, dtype::i64});
    std::vector<tensor> to;
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::fill(out[i].begin(), out[i].end(), -7.0f);
      to.push_back({out[i].data(), out_shapes[i]});
    }
    std::vector<std::byte> room(static_cast<std::size_t>(c.p.scratch(shapes, out_shapes)));
    const auto whole = [&](const op::attention& p, const arguments& a) { kernel(p, a, scratch_memory(room)); };
    in_parts{whole, parts}(c.p, arguments{in, to, {}});
  }

  /// Outputs in their order, in double.
  std::vector<std::vector<float>> expected() {
    std::vector<std::vector<float>> want = out;
    const op::attention& p = c.p;
    const int heads = c.group * c.kv_heads, n_keys = total();
    const double infinity = std::numeric_limits<double>::infinity();
    const double scale = p.scale != 0 ? double{p.scale} : 1 / std::sqrt(double(c.size));
    for (int n = 0; n < c.batch; ++n) {
      const int valid = p.lengths ? static_cast<int>(c.lengths[static_cast<std::size_t>(n)]) : n_keys;
      const int ahead = p.lower_right || (!p.past && p.lengths) ? valid - c.rows : c.past;
      for (int h = 0; h < heads; ++h)
        for (int i = 0; i < c.rows; ++i) {
          std::vector<double> s(static_cast<std::size_t>(n_keys));
          float* seen = p.scores ? want.back().data() + ((n * heads + h) * c.rows + i) * n_keys : nullptr;
          const auto keep = [&](op::attention_scores which) {
            if (seen != nullptr && p.which == which)
              for (int j = 0; j < n_keys; ++j) seen[j] = static_cast<float>(s[static_cast<std::size_t>(j)]);
          };
          double sum = 0;
          for (int j = 0; j < n_keys; ++j) {
            double& v = s[static_cast<std::size_t>(j)];
            for (int d = 0; d < c.size; ++d)
              v += double{place(0, heads, c.size, n, h, i)[d]} * double{key_or_value(1, c.size, n, h / c.group, j)[d]};
            v *= scale;
          }
          keep(op::attention_scores::product);
          if (p.softcap > 0)
            for (double& v : s) v = double{p.softcap} * std::tanh(v / double{p.softcap});
          keep(op::attention_scores::with_softcap);
          for (int j = 0; j < n_keys; ++j) {
            double& v = s[static_cast<std::size_t>(j)];
            if (p.mask) v = masked(n, h, i, j, v);
            const int behind = i + ahead - j;  // the query's own key
            if (j >= valid || (p.causal && behind < 0)) v = -infinity;
            if (p.sliding_window > 0 && behind >= p.sliding_window) v = -infinity;
          }
          keep(op::attention_scores::with_mask);
          double top = -infinity;
          for (double v : s) top = std::max(top, v);
          for (double& v : s) sum += v = std::exp(v - top);
          for (double& v : s) v /= sum;
          keep(op::attention_scores::probabilities);
          float* y = want[0].data() + (c.flat ? (n * c.rows + i) * heads + h : (n * heads + h) * c.rows + i) * c.width;
          for (int d = 0; d < c.width; ++d) {
            double total = 0;
            for (int j = 0; j < n_keys; ++j) {
              const double w = s[static_cast<std::size_t>(j)];
              if (w != 0) total += w * double{key_or_value(2, c.width, n, h / c.group, j)[d]};
            }
            y[d] = static_cast<float>(total);
          }
        }
      for (int k = 1; p.present && k < 3; ++k) {
        const int size = k == 1 ? c.size : c.width;
        for (int h = 0; h < c.kv_heads; ++h)
          for (int j = 0; j < n_keys; ++j)
            std::copy_n(key_or_value(k, size, n, h, j), size,
                        want[static_cast<std::size_t>(k)].data() + ((n * c.kv_heads + h) * n_keys + j) * size);
      }
    }
    return want;
  }

  attention_case c;
  std::vector<std::vector<float>> out;

 private:
  void add(const extents& shape, float low, float high) {
    shapes.push_back(shape);
    std::vector<float>& x = numbers.emplace_back(static_cast<std::size_t>(shape.count()));
    for (float& v : x) v = random(low, high);
  }
  float* place(int input, int heads, int size, int n, int h, int i) {
    const int length = input == 0 ? c.rows : c.keys;
    const int at = c.flat ? (n * length + i) * heads + h : (n * heads + h) * length + i;
    return numbers[static_cast<std::size_t>(input)].data() + at * size;
  }
  const float* key_or_value(int input, int size, int n, int h, int j) {
    if (j >= c.past) return place(input, c.kv_heads, size, n, h, j - c.past);
    return numbers[static_cast<std::size_t>(input + (c.p.mask ? 3 : 2))].data() +
           ((n * c.kv_heads + h) * c.past + j) * size;
  }
  double masked(int n, int h, int i, int j, double score) {
    const int at[] = {j, i, h, n};
    int offset = 0, stride = 1;
    for (int d = 0; d < c.mask.rank; ++d) {
      const int size = c.mask.back(d);
      if (size > 1 && at[d] >= size) return -std::numeric_limits<double>::infinity();
      if (size > 1) offset += at[d] * stride;
      stride *= size;
    }
    const auto k = static_cast<std::size_t>(offset);
    if (c.booleans) return bits[k] ? score : double{c.p.hidden_score};
    return score + double{numbers[3][k]};
  }

  random_numbers random{3};
  std::vector<extents> shapes, out_shapes;
  std::vector<std::vector<float>> numbers;
  std::vector<std::uint8_t> bits;
};

template <class Run>
void compare_attention(const Run& kernel, const attention_case& c) {
  CAPTURE(c.rows);
  CAPTURE(c.keys);
  CAPTURE(c.size);
  attention_numbers numbers(c);
  const auto want = numbers.expected();
  numbers.run(kernel, 1);
  const auto whole = numbers.out;
  for (std::size_t k = 0; k < want.size(); ++k) require_close(whole[k], want[k], 1e-5f);
  for (int parts : part_counts) {
    numbers.run(kernel, parts);
    for (std::size_t k = 0; k < whole.size(); ++k) CHECK(same_bits(numbers.out[k], whole[k]));
  }
}

template <class Run>
void sweep_attention(const Run& kernel) {
  using enum op::attention_scores;
  op::attention plain, causal, masked, capped;
  causal.causal = true;
  masked.mask = true;
  capped.softcap = 0.5f;
  capped.scale = -2;
  for (const bool flat : {false, true})
    for (int rows : {1, 7, 24, 50})
      for (int keys : {1, 5, 16, 47}) {
        compare_attention(kernel, {.p = plain,
                                   .batch = 2,
                                   .group = 3,
                                   .kv_heads = 2,
                                   .rows = rows,
                                   .keys = keys,
                                   .size = 5,
                                   .width = 19,
                                   .flat = flat});
        compare_attention(
            kernel,
            {.p = causal, .kv_heads = 2, .rows = rows, .keys = keys, .past = 3, .size = 16, .width = 4, .flat = flat});
      }
  // Masks of every form; rows that see nothing are NaN, unless what booleans hide has a score.
  for (const int booleans : {0, 1, 2}) {
    if (booleans == 2) masked.hidden_score = -1;
    for (const extents& mask : {extents{}, {1}, {9}, {40}, {30, 1}, {30, 40}, {2, 1, 1, 40}, {6, 30, 31}})
      compare_attention(kernel, {.p = masked,
                                 .batch = 2,
                                 .group = 3,
                                 .kv_heads = 2,
                                 .rows = 30,
                                 .keys = 40,
                                 .size = 8,
                                 .width = 8,
                                 .mask = mask,
                                 .booleans = booleans > 0});
  }
  for (const auto which : {product, with_softcap, with_mask, probabilities}) {
    op::attention all = capped;
    all.which = which;
    all.scores = all.causal = all.mask = all.present = true;
    for (const int rows : {2, 26})
      compare_attention(kernel, {.p = all,
                                 .batch = 2,
                                 .kv_heads = 2,
                                 .rows = rows,
                                 .keys = 20,
                                 .past = 7,
                                 .size = 3,
                                 .width = 6,
                                 .mask = {rows, 25}});
  }
  for (const int rows : {3, 9})
    compare_attention(kernel, {.p = capped, .rows = rows, .keys = 700, .size = 70, .width = 130});
  // Windows that slide, from the first key or to the last; with packed keys, and where they are.
  for (const bool lower_right : {false, true})
    for (const int window : {1, 5, 40, 900})
      for (const int rows : {1, 3, 60})
        for (const int past : {0, 70}) {
          op::attention sliding = causal;
          sliding.sliding_window = window;
          sliding.lower_right = lower_right;
          compare_attention(kernel, {.p = sliding,
                                     .batch = 2,
                                     .kv_heads = 2,
                                     .rows = rows,
                                     .keys = 60,
                                     .past = past,
                                     .size = 8,
                                     .width = 18});
        }
  // What lengths leave out does not count, whatever it is.
  op::attention seen = plain;
  seen.scores = true;
  for (const op::attention& p : {plain, causal, seen})
    for (const int rows : {1, 5})
      compare_attention(kernel, {.p = p,
                                 .batch = 4,
                                 .kv_heads = 2,
                                 .rows = rows,
                                 .keys = 20,
                                 .size = 4,
                                 .width = 18,
                                 .lengths = {20, 13, 5, 1},
                                 .wild = true});
}

}  // namespace ctnn::ir::test
