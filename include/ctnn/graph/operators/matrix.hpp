// SPDX-License-Identifier: BSL-1.0
// Products of matrices that are both values of the graph. A product with a constant is a `linear`.
#pragma once

#include <utility>

#include "../../base/byte_image.hpp"
#include "byte_functions.hpp"

namespace ctnn::op {

/// Products of matrices of bytes: memory for each that is computed at a time, its packed columns and what it takes.
struct byte_matrices {
  byte_product each;
  std::int64_t count = 1;

  constexpr std::int64_t scratch_of_part(int = 1) const {
    return scratch_for(quad_column_words(each.columns, each.quads())) + each.scratch_of_part(1);
  }
  constexpr int most_parts() const {
    const std::int64_t affordable = (std::int64_t{1} << 20) / (scratch_of_part() + 1);
    const std::int64_t n = count < affordable ? count : affordable;
    return n < 1 ? 1 : n < most_byte_parts ? static_cast<int>(n) : most_byte_parts;
  }
};

/// numpy.matmul: batches are broadcast, an operand of rank 1 is a row or a column. Any numeric type. The last two axes
/// of an operand change places before on request; with `scale` other than 1 (floating point) the product is multiplied
/// by it. Of bytes that stand for real numbers, or where i32 is asked for: exact sums of bytes less their zero points,
/// and what these become (i32, f32, i8, u8) as in a layer by a weight of bytes (weight_element.hpp); the left operand's
/// last two axes stay in place.
struct matmul {
  static constexpr std::string_view name = "matmul";
  static constexpr int tier = 2;  // by a constant it is a linear layer
  static constexpr traits is{.divisible = true, .divides_typed = true, .divides_scratch = true};
  static constexpr int min_inputs = 2, max_inputs = 2;

  bool transpose_a = false;
  bool transpose_b = false;
  float scale = 1;

  static constexpr void fields(auto& self, auto&& field) {
    field("transpose_a", self.transpose_a);
    field("transpose_b", self.transpose_b);
    field("scale", self.scale);
  }

  static constexpr problem shape(const extents& a, const extents& b, extents& y) {
    if (a.rank < 1 || b.rank < 1) return {mistake::rank_mismatch, name, a.rank < 1 ? a : b, {1}};
    if (a.back(0) != (b.rank == 1 ? b[0] : b.back(1))) return {mistake::operand_mismatch, "second input", b, a};
    extents lead_a = a, lead_b = b;
    lead_a.rank = a.rank > 2 ? a.rank - 2 : 0;
    lead_b.rank = b.rank > 2 ? b.rank - 2 : 0;
    const extents both[] = {lead_a, lead_b};
    if (const problem p = broadcast_shapes(both, y)) return p;
    if (a.rank > 1) y.push_back(a.back(1));
    if (b.rank > 1) y.push_back(b.back(0));
    return countable(y);
  }
  static constexpr extents turned(extents x, bool transpose) {
    if (transpose && x.rank > 1) std::swap(x.back(0), x.back(1));
    return x;
  }
  constexpr problem infer(inputs in, outputs result) const {
    if ((transpose_a && in[0].rank < 2) || (transpose_b && in[1].rank < 2))
      return {mistake::rank_mismatch, name, in[transpose_a ? 0 : 1], {2}};
    return shape(turned(in[0], transpose_a), turned(in[1], transpose_b), result[0]);
  }
  /// Rows of the first input, columns of the second, and what is before both.
  constexpr int passes(int i, int back, inputs in) const {
    if (in[0].rank < 2 || in[1].rank < 2) return -1;
    if (back > 1) return back;
    const bool turned = i == 0 ? transpose_a : transpose_b;
    const int of_result = 1 - i;
    return back == (turned ? 1 - of_result : of_result) ? of_result : -1;
  }
  /// Are bytes multiplied into sums that are exact, not into bytes that wrap around?
  static constexpr bool multiplies_bytes(types in, types wanted) {
    return is_byte(type_at(in, 0)) && is_byte(type_at(in, 1)) && (reads_reals(in) || !wanted.empty());
  }
  constexpr problem infer_types(types in, types wanted, span<element> out) const {
    if (multiplies_bytes(in, wanted)) return infer_bytes(in, wanted, out[0]);
    out[0] = type_at(in, 0);
    if (out[0] == dtype::boolean || (scale != 1 && !is_floating(out[0]))) return wrong_type(name, out[0]);
    return require_one_type(in, name);
  }
  constexpr std::int64_t macs(inputs in, span<const extents> result) const {
    return result[0].count() * turned(in[0], transpose_a).back(0);
  }
  static constexpr bool f32_takes_scratch = false;
  constexpr std::int64_t scratch(inputs in, types of, span<const extents> result) const {
    const byte_product each = byte_products(in[0], in[1], 1).each;
    const std::int64_t numbers = each.rows * each.columns;
    return scratch_of_parts(byte_products(in[0], in[1], numbers == 0 ? 0 : result[0].count() / numbers).most_parts(),
                            in, of);
  }
  constexpr std::int64_t least_scratch(inputs in, types of, span<const extents>) const {
    return scratch_of_parts(1, in, of);
  }
  constexpr byte_matrices byte_products(const extents& a, const extents& in_b, std::int64_t count) const {
    const extents b = turned(in_b, transpose_b);
    return {{a.rank > 1 ? a.back(1) : 1, a.back(0), b.rank > 1 ? b.back(0) : 1}, count};
  }

 private:
  constexpr std::int64_t scratch_of_parts(int parts, inputs in, types of) const {
    const std::int64_t sums = scratch_for(in[1].rank > 1 ? turned(in[1], transpose_b).back(0) : 1);
    if (!is_byte(type_at(of, 0))) return sums;
    const std::int64_t bytes = parts * byte_products(in[0], in[1], 1).scratch_of_part();
    return bytes < sums ? sums : bytes;
  }
  constexpr problem infer_bytes(types in, types wanted, element& y) const {
    if (transpose_a) return {mistake::option_out_of_range, "transpose_a"};
    if (scale != 1) return {mistake::option_out_of_range, "scale"};
    y = wanted.empty() ? element(dtype::i32) : wanted[0];
    if (y == dtype::i32) {
      y.real = {};
      return {};
    }
    if (y != dtype::f32) return infer_byte_elements(in, 2, wanted, y, name);
    y.real = {};
    if (const problem p = check_quantization("of", in[0].real, in[0])) return p;
    return check_quantization("with", in[1].real, in[1]);
  }
};

/// torch.einsum of any number of operands. `equation` is its characters, without blanks, "..." as one '.'; without an
/// arrow the output has the labels that occur once, in alphabetical order (after the broadcast axes).
struct einsum {
  static constexpr std::string_view name = "einsum";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int tier = 3;
  static constexpr int min_inputs = 1, max_inputs = 16;
  static constexpr int most_labels = 16;

  list<int> equation{};

  static constexpr void fields(auto& self, auto&& field) { field("equation", self.equation); }

  static constexpr einsum of(std::string_view text) {
    einsum e;
    for (std::size_t i = 0; i < text.size() && !e.equation.full(); ++i) {
      if (text[i] == ' ') continue;
      if (text[i] == '.' && i > 0 && text[i - 1] == '.') continue;
      e.equation.push_back(text[i]);
    }
    return e;
  }

  /// The loops: every label has an extent; for each operand (the output last) the label of each of its axes.
  struct loops {
    int labels = 0;
    int extent[most_labels]{};
    static_vector<int, max_rank> axes[max_inputs + 1]{};
    int output_labels = 0;  ///< those of the output come first
  };
  constexpr problem plan(inputs in, loops& l) const {
    const problem bad{mistake::option_out_of_range, "equation"};
    int name_of_label[most_labels]{}, seen[most_labels]{};
    bool arrow = false;
    std::size_t operand = 0;
    int broadcast_rank = 0;
    static_vector<int, max_rank> terms[max_inputs + 1];  // characters; broadcast axis i from the back is -1 - i
    const auto dots = [&](static_vector<int, max_rank>& term, int count) {
      for (int i = count; i-- > 0;) {
        if (term.full()) return false;
        term.push_back(-1 - i);
      }
      return true;
    };
    // Axes that "..." stands for in each operand.
    int letters = 0;
    bool has_dots = false;
    std::size_t at = 0;
    int own_dots[max_inputs]{};
    const auto close = [&]() -> bool {
      if (at >= in.size()) return false;
      const int rest = in[at].rank - letters;
      if (rest < 0 || (rest > 0 && !has_dots)) return false;
      own_dots[at] = rest;
      broadcast_rank = rest > broadcast_rank ? rest : broadcast_rank;
      ++at;
      letters = 0;
      has_dots = false;
      return true;
    };
    for (std::size_t i = 0; i < equation.size(); ++i) {
      const int c = equation[i];
      if (c == '-') break;
      if (c == ',') {
        if (!close()) return bad;
      } else if (c == '.') {
        has_dots = true;
      } else {
        ++letters;
      }
    }
    if (!close() || at != in.size()) return bad;
    for (std::size_t i = 0; i < equation.size(); ++i) {
      const int c = equation[i];
      if (c == ',') {
        if (arrow) return bad;
        ++operand;
      } else if (c == '-') {
        arrow = true;
      } else if (c == '>') {
        continue;
      } else if (c == '.') {
        if (!dots(terms[arrow ? in.size() : operand], arrow ? broadcast_rank : own_dots[operand])) return bad;
      } else {
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')) return bad;
        auto& term = terms[arrow ? in.size() : operand];
        if (term.full()) return bad;
        term.push_back(c);
      }
    }
    auto& out = terms[in.size()];
    if (!arrow) {
      if (!dots(out, broadcast_rank)) return bad;
      for (int c = 'A'; c <= 'z'; ++c) {
        int times = 0;
        for (std::size_t k = 0; k < in.size(); ++k)
          for (int x : terms[k]) times += x == c ? 1 : 0;
        if (times == 1) {
          if (out.full()) return bad;
          out.push_back(c);
        }
      }
    }
    // Labels in the order of the output, then the summed ones.
    const auto label = [&](int c) {
      for (int i = 0; i < l.labels; ++i)
        if (name_of_label[i] == c) return i;
      if (l.labels == most_labels) return -1;
      name_of_label[l.labels] = c;
      l.extent[l.labels] = 1;
      return l.labels++;
    };
    for (int c : out) {
      const int before = l.labels, k = label(c);
      if (k < 0 || k < before) return bad;
      l.axes[in.size()].push_back(k);
    }
    l.output_labels = l.labels;
    for (std::size_t k = 0; k < in.size(); ++k) {
      for (int i = 0; i < in[k].rank; ++i) {
        const int id = label(terms[k][static_cast<std::size_t>(i)]);
        if (id < 0) return bad;
        const int size = in[k][i];
        if (l.extent[id] == 1 || seen[id] == 0) l.extent[id] = size == 1 && seen[id] ? l.extent[id] : size;
        else if (size != 1 && size != l.extent[id]) return {mistake::shape_mismatch, "input", in[k], in[0]};
        seen[id] = 1;
        l.axes[k].push_back(id);
      }
    }
    for (int i = 0; i < l.output_labels; ++i)
      if (!seen[i]) return bad;
    return {};
  }
  constexpr problem infer(inputs in, outputs result) const {
    loops l;
    if (const problem p = plan(in, l)) return p;
    extents y;
    for (int i = 0; i < l.output_labels; ++i) y.push_back(l.extent[i]);
    result[0] = y;
    return countable(y);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    if (out[0] == dtype::boolean) return wrong_type(name, out[0]);
    return require_one_type(in, name);
  }
};

/// torch.linalg.det of the last two axes.
struct det {
  static constexpr std::string_view name = "det";
  static constexpr traits is{.vectors = vectors_of::none};

  static constexpr void fields(auto&, auto&&) {}
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 2 || in[0].back(0) != in[0].back(1)) return {mistake::rank_mismatch, name, in[0], {2}};
    result[0] = in[0];
    result[0].rank -= 2;
    return {};
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const {
    return scratch_for(std::int64_t{in[0].back(0)} * in[0].back(0));
  }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

}  // namespace ctnn::op
