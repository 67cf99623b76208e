// SPDX-License-Identifier: BSL-1.0
// Weights that stay packed: integers of which the file says what they stand for are multiplied as they are.
#pragma once

#include "affine_maps.hpp"

namespace ctnn::rules {

/// linear by dequantize(constant), its rows and columns exchanged or not  ->  linear by the constant itself
struct keep_packed {
  static constexpr rule_info info{"keep_packed",      "linear by dequantize(constant) -> linear by a packed weight",
                                  lowers::tier,       numerics::rescales,
                                  proved_by::running, "packed weights are bytes"};
  struct match : ir::match {
    expression_id bytes = none, scale = none, zero = none;
    op::dequantize how{};
    bool turned = false;
  };
  using pattern = single<op::linear>;
  /// Fewer numbers stay floats: they take no memory to speak of.
  static constexpr std::int64_t fewest = 16384;

  static constexpr reason guard(const rewriter& r, match& m) {
    constexpr reason nothing{"its weight is not dequantised from bytes", {}, false, true};
    if (r.at(m.last).weights.count == 0) return nothing;
    const graph_view g = r.view();
    const expression* x = &g.at_expression(r.weight(m.last, 0));
    for (; x->type == &type_of<op::permute> && x->shape.rank == 2; x = &g.at_expression(g.arguments(*x)[0]))
      m.turned = m.turned != (decode<op::permute>(g.fields_of(x->fields)).order[0] == 1);
    if (x->type != &type_of<op::dequantize> || x->shape.rank != 2) return nothing;
    const auto of = g.arguments(*x);
    m.how = decode<op::dequantize>(g.fields_of(x->fields));
    m.bytes = of[0];
    if (of.size() > 1) m.scale = of[1];
    if (of.size() > 2) m.zero = of[2];
    const expression& bytes = g.at_expression(m.bytes);
    if (bytes.type || !is_byte(bytes.element)) return nothing;
    const int depth = bytes.shape[m.turned ? 0 : 1], axis = normal_axis(m.how.axis, 2), outputs = m.turned ? 1 : 0;
    const bool one = m.scale == none || r.shape_of(m.scale).count() == 1;
    if (m.how.block == 0 && !one && axis != outputs) return {"its weight's scales are not the outputs'"};
    if (m.how.block != 0 && (axis == outputs || depth % m.how.block != 0))
      return {"its weight's blocks are not of the inputs"};
    const std::int64_t scales = m.how.block == 0 ? 1 : depth / m.how.block, each = scales * (has_zeros(r, m) ? 2 : 1);
    if (bytes.shape.count() < fewest || 4 * each > depth) return {"it would not take less memory", {}, false, true};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const element bytes = r.view().at_expression(m.bytes).element;
    auto layer = r.get<op::linear>(m.last);
    const extents shape = r.shape_of(m.bytes);
    const int depth = shape[m.turned ? 0 : 1], blocks = m.how.block == 0 ? 1 : depth / m.how.block;
    const auto by_output = [&](expression_id numbers) {
      if (m.how.block == 0) return r.reshaped(spread(r, numbers, layer.out), {layer.out, 1});
      return m.turned ? r.apply(op::permute{{1, 0}}, {&numbers, 1}) : numbers;
    };
    pool<expression_id> weights(1, m.bytes);
    if (layer.bias) weights.push_back(r.weight(m.last, 1));
    weights.push_back(m.scale == none ? r.filled({layer.out, 1}, static_cast<float>(bytes.real.scale))
                                      : by_output(m.scale));
    if (m.zero != none) {
      const expression_id as_they_are[] = {m.zero, r.filled({}, 1)};
      weights.push_back(by_output(r.apply(op::dequantize{}, as_they_are)));
    } else if (has_zeros(r, m)) {
      weights.push_back(r.filled({layer.out, blocks}, static_cast<float>(bytes.real.zero)));
    }
    layer.weight.type = bytes.type;
    layer.weight.bits = 8;
    layer.weight.block = m.how.block;
    layer.weight.zero_points = has_zeros(r, m);
    layer.transposed = m.turned;
    r.become(m.last, layer, r.name(m.last), r.inputs_of(m.last), weights);
  }

 private:
  /// Unsigned ones are packed as 128 and more, unless it is said.
  static constexpr bool has_zeros(const rewriter& r, const match& m) {
    const element& bytes = r.view().at_expression(m.bytes).element;
    return m.zero != none || bytes == dtype::u8 || (m.scale == none && bytes.real.zero != 0);
  }
};

}  // namespace ctnn::rules
