// SPDX-License-Identifier: BSL-1.0
// lstm of bytes, in TensorFlow Lite's arithmetic.
#pragma once

#include "quantized.hpp"

namespace ctnn::op {

/// lstm of bytes with gates and c of 16 bits (TensorFlow Lite's 8x8_16), bit for bit. Inputs: x (length, batch, in), or
/// (batch, length, in) with `batch_first`; then, if there are more, h and c before the first step
/// (batch, hidden). Outputs: y (length, batch, hidden) in x's order of axes, and h and c after the last step. h and y
/// are bytes of one element; as they are read by the next step their scale is `with`. c has `cell_bits` before the
/// point. Weights, gates i, f, g, o: weight_ih_l0 (4 * hidden, in) and weight_hh_l0 (4 * hidden, hidden), bytes of one
/// scale a gate, scale_ih_l0 and scale_hh_l0 (4); bias_ih_l0 (4 * hidden), i32.
struct quantized_lstm {
  static constexpr std::string_view name = "quantized_lstm";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int gates = 4, min_inputs = 1, max_inputs = 3, most_hidden = 1 << 24;

  int hidden = 0;
  bool batch_first = false;
  int cell_bits = 4;
  quantization with{};
  slot_set given = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("hidden", self.hidden);
    field("batch_first", self.batch_first);
    field("cell_bits", self.cell_bits);
    field("with", self.with);
    field("given", self.given);
  }
  struct sizes {
    int length, batch, in;
  };
  constexpr sizes sizes_of(const extents& x) const {
    return batch_first ? sizes{x[1], x[0], x[2]} : sizes{x[0], x[1], x[2]};
  }
  constexpr int output_count() const { return 3; }
  constexpr problem infer(inputs in, outputs result) const {
    if (hidden == 0) return {mistake::missing_option, "hidden"};
    if (hidden < 1 || hidden > most_hidden) return {mistake::option_out_of_range, "hidden", {hidden}, {1, most_hidden}};
    if (cell_bits < 0 || cell_bits > 6) return {mistake::option_out_of_range, "cell_bits", {cell_bits}, {0, 6}};
    const int n = static_cast<int>(in.size());
    if (n != 1 && n != 3) return {mistake::wrong_number_of_inputs, name, {n}, {1, 3}};
    if (in[0].rank != 3) return {mistake::rank_mismatch, name, in[0], {3}};
    const extents state{sizes_of(in[0]).batch, hidden};
    for (const extents& before : in.subspan(1))
      if (!(before == state)) return {mistake::shape_mismatch, "state", before, state};
    result[0] = in[0];
    result[0].back(0) = hidden;
    result[1] = result[2] = state;
    return countable(result[0]);
  }
  constexpr problem infer_types(types in, types wanted, span<element> out) const {
    out[0] = out[1] = wanted.empty() ? element(dtype::i8) : wanted[0];
    out[2] = dtype::i16;
    if (out[0] != dtype::i8) return wrong_type("result", out[0]);
    for (std::size_t i = 0; i < in.size() && i < 3; ++i)
      if (in[i] != (i == 2 ? dtype::i16 : dtype::i8)) return wrong_type(name, in[i]);
    if (in.empty()) return wrong_type(name, dtype::f32);
    if (const problem p = check_quantization("of", in[0].real, dtype::i8)) return p;
    if (const problem p = check_quantization("with", with, dtype::i8)) return p;
    return check_quantization("as", out[0].real, dtype::i8);
  }
  constexpr weight_slots weights(inputs in) const {
    return {{"weight_ih_l0"sv, {gates * hidden, sizes_of(in[0]).in}, dtype::i8},
            {"weight_hh_l0"sv, {gates * hidden, hidden}, dtype::i8},
            {"bias_ih_l0"sv, {gates * hidden}, dtype::i32},
            {"scale_ih_l0"sv, {gates}},
            {"scale_hh_l0"sv, {gates}}};
  }
  constexpr std::int64_t macs(inputs in, span<const extents>) const {
    const sizes s = sizes_of(in[0]);
    return std::int64_t{s.length} * s.batch * gates * hidden * (s.in + hidden);
  }
  constexpr std::int64_t scratch(inputs, span<const extents>) const {
    return scratch_for(std::int64_t{gates} * hidden, sizeof(std::int16_t));
  }
};

}  // namespace ctnn::op
