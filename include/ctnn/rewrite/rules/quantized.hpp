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
  static constexpr rule_info info{
      "move_bytes",       "dequantize > reshape|permute|slice|pad|max pool|... > quantize -> the ones between",
      lowers::nodes,      numerics::exact,
      proved_by::running, "bytes are rounded"};
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
  static constexpr rule_info info{
      "requantize_bytes", "dequantize > reshape|...|max pool > quantize -> the ones between > quantize",
      lowers::nodes,      numerics::reassociates,
      proved_by::running, "bytes are rounded"};
  static constexpr bool any_type = true;
  using match = move_bytes::match;
  using pattern = move_bytes::pattern;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = move_bytes::find_between(r, m)) return no;
    if (m.same) return {"nothing changes", r.name(m.dequantize), false, true};
    if (r.type(r.output(m.quantize)).rounded == rounding::away) return {"it rounds real numbers away from zero"};
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
  static constexpr rule_info info{
      "average_bytes",    "dequantize > average pool > quantize -> pool|adaptive_pool of bytes",
      lowers::nodes,      numerics::reassociates,
      proved_by::running, "bytes are rounded"};
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
  static constexpr rule_info info{"join_bytes",       "concat(dequantize...) > quantize -> concat of bytes",
                                  lowers::nodes,      numerics::reassociates,
                                  proved_by::running, "bytes are rounded"};
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
      if (as_it_is(r, d, q)) continue;
      if (q.rounded == rounding::away) return {"it rounds real numbers away from zero"};
      if (r.readers(v) != 1) return {"its input is also read by another layer", r.name(d), true};
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

/// dequantize... > layer > quantize  ->  the layer between bytes, where it has such arithmetic
struct compute_bytes {
  static constexpr rule_info info{
      "compute_bytes",    "dequantize... > activation|binary|matmul|softmax > quantize -> the second, of bytes",
      lowers::nodes,      numerics::reassociates,
      proved_by::running, "bytes are rounded"};
  static constexpr bool any_type = true;
  struct match {
    node_id layer = none, last = none;
  };
  using pattern = find::node<
      says_integers, &match::last,
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
