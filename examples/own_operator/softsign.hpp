// SPDX-License-Identifier: BSL-1.0
// An operator of one's own: y = gain[c] x / (1 + |x|), a number for each row c of x. What the struct says of itself,
// ctnn relies on: it may run in place and in parts, its weight is packed, and its definition is computed by the
// compiler.
#pragma once

#include <ctnn/graph/operator.hpp>
#include <ctnn/kernels/operator_code.hpp>

namespace mine {

namespace ir = ctnn::ir;

struct softsign {
  static constexpr std::string_view name = "softsign";
  static constexpr ir::traits is{.in_place = true, .divisible = true};
  static constexpr bool packs(int slot) { return slot == 0; }

  float scale = 1;  ///< of all rows

  static constexpr void fields(auto& self, auto&& field) { field("scale", self.scale); }
  constexpr ctnn::problem infer(ir::inputs in, ir::outputs out) const {
    if (in[0].rank != 2) return {ctnn::mistake::rank_mismatch, name, in[0], {2}};
    out[0] = in[0];
    return {};
  }
  constexpr ir::weight_slots weights(ir::inputs in) const { return {{"gain", {in[0][0]}}}; }
};

/// The definition: for constants, constant_run and tests.
constexpr void run_reference(const softsign& p, const ir::arguments& a) {
  const int rows = a.in[0].shape[0], columns = a.in[0].shape[1];
  for (int i = 0; i < rows * columns; ++i) {
    const float x = a.in[0].data[i];
    a.out[0].data[i] = p.scale * a.weights[0][i / columns] * x / (1 + (x < 0 ? -x : x));
  }
}

// The weight as the kernel wants it: times the scale.
constexpr std::int64_t packed_count(const softsign&, int, const ctnn::extents& shape, int) { return shape.count(); }
constexpr void pack(const softsign& p, int, const ctnn::extents& shape, const float* from, float* to, int) {
  for (std::int64_t i = 0; i < shape.count(); ++i) to[i] = p.scale * from[i];
}

}  // namespace mine
