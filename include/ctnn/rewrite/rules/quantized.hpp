// SPDX-License-Identifier: BSL-1.0
// Layers of real numbers between bytes become layers of bytes: dequantize > layer > quantize, where scales and zero
// points of values are numbers of the operators. What follows differs from the real numbers' by one step at most: sums
// of bytes are exact, and what is rounded is rounded once.
#pragma once

#include "activation.hpp"
#include "kinds.hpp"

namespace ctnn::rules {

/// Integers whose scale and zero point are those of their element.
template <class Op>
struct with_element {
  using of = Op;
  static constexpr std::string_view why_not(const rewriter& r, node_id n) {
    if (r.type(r.input(n)).real && std::is_same_v<Op, op::quantize>) return "it reads integers";
    return r.inputs_count(n) == 1 ? "" : "its scale is a value, not a number of its own";
  }
};
using said_integers = with_element<op::dequantize>;
using says_integers = with_element<op::quantize>;

/// Does node n make f32 of bytes?
constexpr bool dequantizes_bytes(const rewriter& r, node_id n) {
  return r.is<op::dequantize>(n) && r.inputs_count(n) == 1 && is_byte(r.type(r.input(n)));
}
constexpr reason unless_bytes(const rewriter& r, node_id dequantize) {
  return is_byte(r.type(r.input(dequantize))) ? reason{} : reason{"its input is not of bytes", r.name(dequantize)};
}
constexpr reason unless_makes_bytes(const rewriter& r, node_id quantize) {
  return is_byte(r.type(r.output(quantize))) ? reason{} : reason{"it does not make bytes"};
}

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
  static constexpr rule_info info{"multiply_bytes",
                                  "dequantize > conv|linear by dequantize(constant) -> conv|linear of bytes",
                                  lowers::tier, numerics::rescales};
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
    pool<expression_id> weights(1, r.leaf_as(m.weight.bytes, shape));
    if (r.at(m.last).weights.count == 2) weights.push_back(r.weight(m.last, 1));
    weights.push_back(r.reshaped(scale, each));
    if (m.weight.zero != none) weights.push_back(r.leaf_as(m.weight.zero, each));
    r.note(r.name(m.first), r.name(m.last));
    products::visit(r, m.last, [&]<class Layer>(Layer layer) {
      layer.weight = {bytes, m.weight.by_output(r), m.weight.zero != none, true};
      if constexpr (std::is_same_v<Layer, op::linear>) layer.transposed = m.weight.turned;
      r.become(m.last, layer, r.name(m.last), {&x, 1}, weights);
    });
  }
};

/// What stands between dequantize and quantize and could as well be done with the bytes: one operator after the other,
/// each of which the next one alone reads.
struct moved_bytes {
  node_id dequantize = none, quantize = none;
  bool same = false;  ///< they have one scale, one zero point, one type

  /// `moves(node)` says whether an operator may stand there.
  constexpr reason look(const rewriter& r, auto&& moves) {
    value_id v = r.input(quantize);
    while (!r.is<op::dequantize>(dequantize = r.producer(v))) {
      if (!moves(dequantize)) return find::detail::another_operator;
      if (r.readers(v) != 1) return {"its input is also read by another layer", r.name(dequantize), true};
      v = r.input(dequantize);
    }
    if (!dequantizes_bytes(r, dequantize))
      return {"its integers are no bytes with numbers of their own", r.name(dequantize)};
    if (const reason no = unless_makes_bytes(r, quantize)) return no;
    same = same_numbers(r.type(r.output(quantize)), r.type(r.input(dequantize)));
    return {};
  }
  /// Operators between read bytes; they stand for the same numbers as before. Gives the bytes behind the last.
  constexpr value_id take_bytes(rewriter& r) const {
    const value_id bytes = r.input(dequantize), last = r.input(quantize);
    for (value_id v = last; r.producer(v) != dequantize;) {
      const node_id n = r.producer(v);
      r.retype(v, r.type(bytes));
      if (r.is<op::pad>(n)) {
        auto p = r.get<op::pad>(n);
        p.value = filling(r, p.value);
        r.recode(n, p);
      }
      v = r.input(n);
      if (r.producer(v) != dequantize) continue;
      r.read_instead(n, r.inputs_with(n, 0, bytes));
      return last;
    }
    return bytes;
  }
  /// The integer that stands for what is padded with.
  constexpr double filling(const rewriter& r, double real) const {
    const auto [scale, zero] = r.type(r.input(dequantize)).real;
    return real / scale + zero;
  }
};

/// What takes elements from one place to another, maxima among them: greater bytes are greater numbers.
constexpr bool moves_elements(const rewriter& r, node_id n) {
  if (r.at(n).inputs.count != 1 || r.at(n).outputs.count != 1) return false;
  if (r.is<op::pool>(n)) return r.get<op::pool>(n).function == op::pooling::max;
  if (r.is<op::adaptive_pool>(n)) return r.get<op::adaptive_pool>(n).function == op::pooling::max;
  return r.at(n).type->is.copies || r.is<op::pad>(n);
}
/// An average that windows of padding have no part in.
constexpr bool averages_elements(const rewriter& r, node_id n) {
  if (r.is<op::adaptive_pool>(n)) return r.get<op::adaptive_pool>(n).function == op::pooling::average;
  if (!r.is<op::pool>(n)) return false;
  const auto p = r.get<op::pool>(n);
  return p.function == op::pooling::average && !p.count_include_pad && !p.divisor_whole;
}

/// dequantize > what moves elements > quantize of the same scale and zero point  ->  what moves bytes
struct move_bytes {
  static constexpr rule_info info{"move_bytes",
                                  "dequantize > reshape|permute|slice|pad|max pool|... > quantize -> the ones between",
                                  lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  struct match : moved_bytes {};
  using pattern = find::node<says_integers, &match::quantize>;
  static constexpr reason find_between(const rewriter& r, match& m) {
    const reason no = m.look(r, [&](node_id n) { return moves_elements(r, n); });
    if (no) return no;
    for (node_id n = r.producer(r.input(m.quantize)); n != m.dequantize; n = r.producer(r.input(n))) {
      if (!r.is<op::pad>(n)) continue;
      const double with = m.filling(r, r.get<op::pad>(n).value);
      const bool is_u8 = r.type(r.input(m.dequantize)) == dtype::u8;
      if (!(with >= (is_u8 ? 0 : -128) && with <= (is_u8 ? 255 : 127)) || with != static_cast<int>(with))
        return {"no byte stands for what it pads with", r.name(n)};
    }
    return {};
  }
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = find_between(r, m)) return no;
    return m.same ? reason{} : reason{"scale and zero point are other numbers", r.name(m.dequantize)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.quantize, m.take_bytes(r)); }
};

/// the same of another scale or zero point  ->  the ones between, and bytes quantized again behind them
struct requantize_bytes {
  static constexpr rule_info info{"requantize_bytes",
                                  "dequantize > reshape|...|max pool > quantize -> the ones between > quantize",
                                  lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  using match = move_bytes::match;
  using pattern = move_bytes::pattern;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = move_bytes::find_between(r, m)) return no;
    if (m.same) return {"nothing changes", r.name(m.dequantize), false, true};
    return r.readers(r.output(m.dequantize)) == 1
               ? reason{}
               : reason{"its input is also read by another layer", r.name(m.dequantize), true};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = m.take_bytes(r);
    r.note(r.name(m.dequantize), r.name(m.quantize));
    r.become(m.quantize, op::quantize{}, r.name(m.quantize), {&x, 1}, {});
  }
};

/// dequantize > average pool > quantize of the same scale and zero point  ->  average pool of bytes
struct average_bytes {
  static constexpr rule_info info{"average_bytes",
                                  "dequantize > average pool > quantize -> pool|adaptive_pool of bytes", lowers::nodes,
                                  numerics::reassociates};
  static constexpr bool any_type = true;
  using match = move_bytes::match;
  using pattern = move_bytes::pattern;
  static constexpr reason guard(const rewriter& r, match& m) {
    const reason no = m.look(r, [&](node_id n) { return moves_elements(r, n) || averages_elements(r, n); });
    if (no) return no;
    bool averages = false;
    for (node_id n = r.producer(r.input(m.quantize)); n != m.dequantize; n = r.producer(r.input(n))) {
      if (r.is<op::pad>(n)) return {"it pads", r.name(n)};
      averages = averages || averages_elements(r, n);
    }
    if (!averages) return find::detail::another_operator;
    return m.same ? reason{} : reason{"scale and zero point are other numbers", r.name(m.dequantize)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { move_bytes::rewrite(r, m); }
};

/// dequantize of several > concat > quantize  ->  those whose scale is another are quantized again > concat
struct join_bytes {
  static constexpr rule_info info{"join_bytes", "concat(dequantize...) > quantize -> concat of bytes", lowers::nodes,
                                  numerics::reassociates};
  static constexpr bool any_type = true;
  using pattern = chain<op::concat, says_integers>;
  static constexpr bool as_it_is(const rewriter& r, node_id d, const element& made) {
    return same_numbers(r.type(r.input(d)), made);
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (const reason no = unless_makes_bytes(r, m.last)) return no;
    const element q = r.type(r.output(m.last));
    for (const value_id v : r.inputs_of(m.first)) {
      const node_id d = r.producer(v);
      if (!dequantizes_bytes(r, d)) return {"it is not dequantised from bytes", r.name(d)};
      if (!as_it_is(r, d, q) && r.readers(v) != 1) return {"its input is also read by another layer", r.name(d), true};
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const element q = r.type(r.output(m.last));
    pool<value_id> in;
    for (const value_id v : r.inputs_of(m.first)) {
      const node_id d = r.producer(v);
      const value_id x = r.input(d);
      in.push_back(as_it_is(r, d, q) ? x : v);
      if (as_it_is(r, d, q)) continue;
      r.become(d, op::quantize{}, r.name(d), {&x, 1}, {});
      r.retype(v, q);
    }
    r.fuse(m.first, m.last, r.get<op::concat>(m.first), in, {});
  }
};

/// conv|linear of bytes that makes real numbers > quantize  ->  the layer with bytes for its result; maxima and what moves
/// elements may stand between, as a greater number is no less a byte. Everybody who reads what becomes bytes quantizes it
/// to the same element.
struct bytes_of_products {
  static constexpr rule_info info{"bytes_of_products",
                                  "conv|linear of bytes > reshape|concat|max pool|... > quantize -> the first ones",
                                  lowers::nodes, numerics::exact};
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
        if (!real || !r.fits(n, {&x, 1}, r.type(r.output(m.last)))) return {"its sums are of another arithmetic", r.name(n)};
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

/// dequantize... > layer > quantize  ->  the layer between bytes, where it has such arithmetic
struct compute_bytes {
  static constexpr rule_info info{"compute_bytes",
                                  "dequantize... > activation|binary|matmul|softmax > quantize -> the second, of bytes",
                                  lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  struct match {
    node_id layer = none, last = none;
  };
  using pattern =
      find::node<says_integers, &match::last,
                 find::alone<find::node<find::any_of<op::activation, op::binary, op::matmul, op::softmax>, &match::layer>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    pool<element> of;
    for (const value_id v : r.inputs_of(m.layer)) {
      const node_id d = r.producer(v);
      if (!r.is<op::dequantize>(d)) return {"its input is not dequantised", r.name(d)};
      if (const std::string_view why = said_integers::why_not(r, d); !why.empty()) return {why, r.name(d)};
      if (const reason no = unless_bytes(r, d)) return no;
      of.push_back(r.type(r.input(d)));
    }
    if (const reason no = unless_makes_bytes(r, m.last)) return no;
    return r.fits(m.layer, of, r.type(r.output(m.last))) ? reason{}
                                                         : reason{"bytes have no such arithmetic", r.name(m.layer)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<value_id> in;
    for (const value_id v : r.inputs_of(m.layer)) in.push_back(r.input(r.producer(v)));
    r.fuse(m.layer, m.last, in);
  }
};

}  // namespace ctnn::rules
