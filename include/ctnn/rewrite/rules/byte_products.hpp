// SPDX-License-Identifier: BSL-1.0
// Convolutions and linear layers between bytes: a weight of bytes makes real numbers of bytes, and these are bytes
// again where somebody quantizes them.
#pragma once

#include "quantized.hpp"

namespace ctnn::rules {

/// A weight that is made of bytes: dequantize(bytes, scale, zero point), its rows and columns exchanged or not.
struct weight_of_bytes {
  expression_id bytes = none, scale = none, zero = none;
  op::dequantize how{};
  bool turned = false;

  constexpr reason look(const rewriter& r, expression_id e, bool matrix) {
    const graph_view g = r.view();
    const expression* x = &g.at_expression(e);
    for (; matrix && x->type == &type_of<op::permute> && x->shape.rank == 2; x = &g.at_expression(g.arguments(*x)[0]))
      turned = turned != (decode<op::permute>(g.fields_of(x->fields)).order[0] == 1);
    if (x->type != &type_of<op::dequantize>) return {"its weight is not dequantised from a constant"};
    const auto of = g.arguments(*x);
    how = decode<op::dequantize>(g.fields_of(x->fields));
    bytes = of[0];
    if (!is_byte(g.at_expression(bytes).element)) return {"its weight is not dequantised from bytes"};
    if (of.size() > 1) scale = of[1];
    if (of.size() > 2) zero = of[2];
    if (g.at_expression(bytes).element.real.zero != 0 && scale == none)
      return {"its weight has a zero point that is no constant"};
    const int outputs = turned ? 1 : 0;
    if (how.block != 0 || (by_output(r) && normal_axis(how.axis, g.at_expression(bytes).shape.rank) != outputs))
      return {"its weight's scales are not the outputs'"};
    return {};
  }
  constexpr bool by_output(const rewriter& r) const { return scale != none && r.shape_of(scale).count() > 1; }
};

/// Layers whose weight may be of bytes.
using products = find::any_of_all<find::convolutions, find::any_of<op::linear>>;

/// dequantize > conv|linear whose weight is dequantised  ->  conv|linear of bytes, which makes real numbers
struct multiply_bytes {
  static constexpr rule_info info{
      "multiply_bytes",   "dequantize > conv|linear by dequantize(constant) -> conv|linear of bytes",
      lowers::tier,       numerics::rescales,
      proved_by::running, "bytes are rounded"};
  struct match : ir::match {
    weight_of_bytes weight{};
  };
  using pattern = find::reader<products, &match::last, &match::input,
                               find::behind<op::reshape, 1, find::node<said_integers, &match::first>>>;
  static constexpr bool takes_bytes = true;

  static constexpr reason guard(const rewriter& r, match& m) {
    if (m.input != 0) return {"it is the residual", r.name(m.first)};
    if (r.inputs_count(m.last) != 1) return {"it adds a residual"};
    bool slopes = false;
    find::convolutions::visit(r, m.last, [&](const auto& conv) { slopes = conv.has_slopes(); });
    if (slopes) return {"it applies slopes to its results"};
    if (const reason no = unless_bytes(r, m.first)) return no;
    if (const reason no = m.weight.look(r, r.weight(m.last, 0), r.is<op::linear>(m.last))) return no;
    const bool has_zeros = m.weight.zero != none || r.view().at_expression(m.weight.bytes).element == dtype::u8;
    const extents w = r.shape_of(m.weight.bytes);
    if (w.count() / w[m.weight.turned ? 1 : 0] * 255 * (has_zeros ? 255 : 128) > 2147483647)
      return {"its sums may be more than 32 bits"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    value_id x = r.input(m.first);
    if (const value_id v = r.input(m.last); r.producer(v) != m.first) {
      r.read_instead(r.producer(v), {&x, 1});
      r.retype(v, r.type(x));
      x = v;
    }
    const element bytes = r.view().at_expression(m.weight.bytes).element;
    const expression_id scale =
        m.weight.scale != none ? m.weight.scale : r.filled({1}, static_cast<float>(bytes.real.scale));
    // One number for all may be a scalar in files.
    const extents shape = m.weight.turned ? r.shape_of(m.weight.bytes) : r.shape_of(r.weight(m.last, 0));
    const extents each{static_cast<int>(r.shape_of(scale).count())};
    pool<expression_id> weights(1, r.reshaped(m.weight.bytes, shape));
    if (r.at(m.last).weights.count == 2) weights.push_back(r.weight(m.last, 1));
    weights.push_back(r.reshaped(scale, each));
    if (m.weight.zero != none) weights.push_back(r.reshaped(m.weight.zero, each));
    r.note(r.name(m.first), r.name(m.last));
    products::visit(r, m.last, [&]<class Layer>(Layer layer) {
      layer.weight = {bytes, m.weight.by_output(r), m.weight.zero != none, true};
      if constexpr (std::is_same_v<Layer, op::linear>) layer.transposed = m.weight.turned;
      r.become(m.last, layer, r.name(m.last), {&x, 1}, weights);
    });
  }
};

/// conv|linear of bytes that makes real numbers > quantize  ->  the layer with bytes for its result; maxima and what
/// moves elements may stand between, as a greater number is no less a byte. Everybody who reads what becomes bytes
/// quantizes it to the same element.
struct bytes_of_products {
  static constexpr rule_info info{
      "bytes_of_products", "conv|linear of bytes > reshape|concat|max pool|... > quantize -> the first ones",
      lowers::nodes,       numerics::exact,
      proved_by::running,  "bytes are rounded"};
  static constexpr bool any_type = true;
  struct match {
    node_id last = none;
    pool<node_id> layers, moves, ends;  ///< what makes bytes from now on, what lies behind these, and who quantizes
  };
  using pattern = find::node<says_integers, &match::last>;

 private:
  static constexpr bool makes_reals(const rewriter& r, node_id n) {
    return products::visits(r, n) && r.reads_bytes(n) && r.type(r.output(n)) == dtype::f32;
  }
  /// A window that lies in the padding has the least of floats, which is another byte than the least of bytes.
  static constexpr reason unless_each_window_sees(const rewriter& r, node_id n) {
    if (!r.is<op::pool>(n)) return {};
    const auto p = r.get<op::pool>(n);
    const extents &x = r.shape(r.input(n)), &y = r.shape(r.output(n));
    for (int i = 0; i < p.axes; ++i) {
      const window_axis a = p.along(i, x.back(p.axes - 1 - i));
      const bool pads = a.before > 0 || a.after > 0 || p.ceil;
      if (pads &&
          (a.dilation != 1 || a.before >= a.taps || (y.back(p.axes - 1 - i) - 1) * a.stride - a.before >= a.size))
        return {"it may have windows of padding alone", r.name(n)};
    }
    return {};
  }
  static constexpr reason unless_moves(const rewriter& r, node_id n) {
    if (r.is<op::pad>(n)) {
      const auto p = r.get<op::pad>(n);
      return r.inputs_count(n) == 1 && (p.mode != op::pad_mode::constant || p.value == 0)
                 ? reason{}
                 : reason{"it pads with a number", r.name(n)};
    }
    if (r.is<op::concat>(n)) return {};
    return moves_elements(r, n) ? unless_each_window_sees(r, n) : reason{"it is not a layer of bytes", r.name(n)};
  }
  static constexpr void add(pool<node_id>& to, node_id n) {
    for (const node_id k : to)
      if (k == n) return;
    to.push_back(n);
  }
  /// Who reads v is one of those that move, or quantizes it to the element.
  static constexpr reason look_at_readers(const rewriter& r, match& m, value_id v) {
    if (r.is_output(v)) return {"its input is a network output too", r.name(r.producer(v)), true};
    const element& made = r.type(r.output(m.last));
    return r.refused_reader(v, [&](node_id n) -> reason {
      if (r.is<op::quantize>(n) && r.inputs_count(n) == 1) {
        if (!(r.type(r.output(n)) == made)) return {"who else reads it has another scale", r.name(n), true};
        add(m.ends, n);
      } else if (unless_moves(r, n)) {
        return {"its input is also read by another layer", r.name(n), true};
      } else {
        add(m.moves, n);
      }
      return {};
    });
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = unless_makes_bytes(r, m.last)) return no;
    const node_id first = r.producer(r.input(m.last));
    if (makes_reals(r, first)) m.layers.push_back(first);
    else if (r.is<op::concat>(first) || r.is<op::pad>(first) || moves_elements(r, first)) m.moves.push_back(first);
    else return find::detail::another_operator;
    // From where the element is said up to layers, and from there down to all who read.
    std::size_t layers_seen = 0, moves_seen = 0;
    while (layers_seen < m.layers.size() || moves_seen < m.moves.size()) {
      const bool moves = moves_seen < m.moves.size();
      const node_id n = moves ? m.moves[moves_seen++] : m.layers[layers_seen++];
      if (moves) {
        if (const reason no = unless_moves(r, n)) return no;
        for (int i = 0; i < r.at(n).inputs.count; ++i) {
          const node_id from = r.producer(r.input(n, i));
          add(makes_reals(r, from) ? m.layers : m.moves, from);
        }
      } else {
        const element x = r.type(r.input(n));
        bool real = false;
        products::visit(r, n, [&](const auto& layer) { real = layer.weight.real_bias; });
        if (!real || !r.fits(n, {&x, 1}, r.type(r.output(m.last))))
          return {"its sums are of another arithmetic", r.name(n)};
      }
      if (const reason no = look_at_readers(r, m, r.output(n))) return no;
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const element made = r.type(r.output(m.last));
    if (m.moves.empty() && m.ends.size() == 1) return r.fuse(m.layers[0], m.last, r.inputs_of(m.layers[0]));
    for (const node_id n : m.moves) {
      r.retype(r.output(n), made);
      if (!r.is<op::pad>(n)) continue;
      auto p = r.get<op::pad>(n);
      p.value = made.real.zero;
      r.recode(n, p);
    }
    for (const node_id n : m.layers) r.retype(r.output(n), made);
    for (const node_id n : m.ends) r.bypass(n, r.input(n));
  }
};

}  // namespace ctnn::rules
