// SPDX-License-Identifier: BSL-1.0
// Normalisations spelled out in means and differences.
#pragma once

#include "../../graph/operators/layer_norm.hpp"
#include "../../graph/operators/statistics.hpp"
#include "kinds.hpp"
#include "movement.hpp"

namespace ctnn::rules {

/// sqrt or 1 / sqrt.
using some_root = activation_is<"it does not divide by a root", function::sqrt, function::rsqrt>;

/// d / sqrt(mean(d^2) + eps)  ->  layer_norm(x) if d is x - mean(x), else rms_norm(d); the means over the last axes.
/// Over others, as the channels of images, mean_variance_normalize(x)
struct spelled_norm {
  static constexpr rule_info info{"spelled_norm",
                                  "d / sqrt(mean(d * d) + eps) -> layer_norm(x) | rms_norm(d) | "
                                  "mean_variance_normalize(x)",
                                  lowers::nodes, numerics::reassociates};
  struct match {
    node_id whole = none, root = none, shifted = none, mean = none, squares = none, centre = none, middle = none;
    value_id d = none, x = none;
    float eps = 0;
    int axis = none;
    list<int> others{};  ///< no last ones, along which mean_variance_normalize goes
  };
  using square = activation_is<"it is not a square", function::square>;
  /// d, which may be x - mean(x).
  using centred = find::node<of_two_values<op::binary_function::sub>, &match::centre, find::value<&match::x>,
                             find::node<op::reduce, &match::middle, find::value<&match::x>>>;
  using squares = find::node<square, &match::squares, find::also<find::value<&match::d>, find::maybe<centred>>>;
  using mean = find::node<op::reduce, &match::mean, find::or_say<"the mean is not one of squares", squares>>;
  using shifted =
      find::node<plus_number, &match::shifted, find::or_say<"under the root is no mean over the last axes", mean>,
                 find::number<&match::eps>>;
  using root = find::node<some_root, &match::root, find::or_say<"nothing is added under the root", shifted>>;
  using pattern =
      find::either_order<op::binary, &match::whole, find::alone<root>,
                         find::or_say<"it divides another value than the one squared", find::value<&match::d>>>;

  /// The first of the axes a mean, or another f, is over, if those are the last ones and stay as 1; else none.
  static constexpr int mean_from(const rewriter& r, node_id n, op::reduction f = op::reduction::mean) {
    const auto p = r.get<op::reduce>(n);
    if (p.function != f || !p.keep) return none;
    const int rank = r.shape(r.input(n)).rank;
    const unsigned bits = axis_bits(p.axes, rank), all = (1u << rank) - 1;
    for (int a = 0; a < rank; ++a)
      if (bits == (all & ~((1u << a) - 1))) return a;
    return none;
  }
  /// Why node `whole` does not divide by the root that it reads.
  static constexpr reason unless_it_divides(const rewriter& r, node_id whole, node_id root) {
    const auto b = r.get<op::binary>(whole);
    const bool inverse = r.applies(root, function::rsqrt);
    const bool divides = b.function == op::binary_function::div && !inverse && r.input(whole, 1) == r.output(root);
    if (!divides && !(b.function == op::binary_function::mul && inverse)) return {"it does not divide by a root"};
    return b.activation ? reason{"it applies an activation"} : reason{};
  }
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = unless_it_divides(r, m.whole, m.root)) return no;
    return is_over_others(r, m) ? reason{} : find_axis(r, m);
  }
  /// Is d the distance from the mean over the axes of the mean of squares, which are not the last?
  static constexpr bool is_over_others(const rewriter& r, match& m) {
    if (m.middle == none || mean_from(r, m.mean) != none || !(m.eps > 0)) return false;
    const auto p = r.get<op::reduce>(m.mean), middle = r.get<op::reduce>(m.middle);
    const extents& x = r.shape(m.x);
    const unsigned bits = p.reduced(x);
    if (p.function != op::reduction::mean || middle.function != op::reduction::mean || !p.keep || !middle.keep ||
        bits != middle.reduced(x))
      return false;
    for (int a = 0; a < x.rank; ++a)
      if (bits >> a & 1u) m.others.push_back(a);
    return true;
  }
  /// Over which axes, and whether d is the distance from the mean over the same.
  static constexpr reason find_axis(const rewriter& r, match& m) {
    m.axis = mean_from(r, m.mean);
    if (m.axis == none) return {"under the root is no mean over the last axes", r.name(m.mean)};
    if (m.middle != none && mean_from(r, m.middle) != m.axis) m.middle = none;
    if (m.middle == none) m.x = m.d;
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const op::mean_variance_normalize over_others{m.others, m.eps};
    r.note(r.name(m.root), r.name(m.whole));
    if (!m.others.empty()) r.become(m.whole, over_others, r.name(m.whole), {&m.x, 1}, {});
    else if (m.middle != none) r.become(m.whole, op::layer_norm{m.axis, m.eps, false}, r.name(m.whole), {&m.x, 1}, {});
    else r.become(m.whole, op::rms_norm{m.axis, m.eps}, r.name(m.whole), {&m.x, 1}, {});
  }
};

/// d * (k / sqrt(mean(d^2) + eps))  ->  layer_norm(x, k) or rms_norm(d, k)
struct scaled_norm {
  static constexpr rule_info info{"scaled_norm", "d * (k * rsqrt(mean(d * d) + eps)) -> layer_norm|rms_norm",
                                  lowers::nodes, numerics::reassociates};
  struct match : spelled_norm::match {
    node_id scaled = none;
    value_id k = none;
  };
  using product = of_two_values<op::binary_function::mul>;
  using scaled = find::silently<
      find::either_order<product, &match::scaled, find::alone<spelled_norm::root>, find::value<&match::k>>>;
  using pattern =
      find::either_order<product, &match::whole, find::alone<scaled>,
                         find::or_say<"it scales another value than the one squared", find::value<&match::d>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (!r.applies(m.root, function::rsqrt)) return {"it does not divide by a root"};
    if (const reason no = spelled_norm::find_axis(r, m)) return no;
    if (!(r.shape(r.output(m.whole)) == r.shape(m.d))) return {"its scale is larger", r.name(m.scaled)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id in[] = {m.x, m.k};
    r.note(r.name(m.root), r.name(m.whole));
    if (m.middle != none) r.become(m.whole, op::layer_norm{m.axis, m.eps, false}, r.name(m.whole), in, {});
    else r.become(m.whole, op::rms_norm{m.axis, m.eps}, r.name(m.whole), in, {});
  }
};

/// x * s + (b - mean(x) * s), where s is k / sqrt(variance + eps)  ->  layer_norm(x, k, b); as TensorFlow writes it
struct expanded_norm {
  static constexpr rule_info info{"expanded_norm", "x * s + (b - mean(x) * s) -> layer_norm(x, k, b)", lowers::nodes,
                                  numerics::reassociates};
  struct match : scaled_norm::match {
    node_id times = none, rest = none, shift = none;
    value_id s = none, m = none, b = none;
  };
  using product = scaled_norm::product;
  using scaled = find::either_order<product, &match::scaled, spelled_norm::root, find::value<&match::k>>;
  using s = find::also<find::value<&match::s>, find::silently<scaled>>;
  using shift = find::either_order<product, &match::shift, find::value<&match::s>, find::value<&match::m>>;
  using pattern = find::either_order<
      of_two_values<op::binary_function::add>, &match::whole,
      find::alone<find::either_order<product, &match::times, s, find::value<&match::x>>>,
      find::or_say<"its other operand is not b - mean(x) * s",
                   find::alone<find::node<of_two_values<op::binary_function::sub>, &match::rest,
                                          find::value<&match::b>, find::alone<shift>>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (!r.applies(m.root, function::rsqrt)) return {"it does not divide by a root"};
    if (const reason no = spelled_norm::find_axis(r, m)) return no;
    if (r.producer(m.m) != m.middle) return {"its other operand is not b - mean(x) * s"};
    if (!(r.shape(r.output(m.whole)) == r.shape(m.x))) return {"its scale or bias is larger", r.name(m.scaled)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id in[] = {m.x, m.k, m.b};
    r.note(r.name(m.times), r.name(m.whole));
    r.become(m.whole, op::layer_norm{m.axis, m.eps, false}, r.name(m.whole), in, {});
  }
};

/// layer_norm|rms_norm > * k  ->  with the scale k;  layer_norm with a scale > + b  ->  with the bias b
struct norm_operand {
  static constexpr rule_info info{"norm_operand", "layer_norm|rms_norm > * k, + b -> the same", lowers::nodes,
                                  numerics::exact};
  using pattern = chain<find::any_of<op::layer_norm, op::rms_norm>, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    const bool has_scale = r.inputs_count(m.first) == 2;
    const bool adds = has_scale && r.is<op::layer_norm>(m.first);
    if (b.scalar || b.function != (adds ? op::binary_function::add : op::binary_function::mul))
      return {adds ? "it is not the sum of two values" : "it is not the product of two values"};
    if (b.activation) return {"it applies an activation"};
    if (static_cast<int>(r.inputs_count(m.first)) == r.at(m.first).type->max_inputs)
      return {"its input has all operands already", r.name(m.first)};
    if (r.at(m.first).outputs.count != 1) return {"its input has several outputs", r.name(m.first)};
    if (!(r.shape(r.output(m.first)) == r.shape(r.output(m.last))))
      return {"its other operand is larger", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<value_id> in = r.inputs_of(m.first);
    in.push_back(r.input(m.last, 1 - m.input));
    r.fuse(m.first, m.last, in);
  }
};

/// reshape to groups > group_norm of as many groups > reshape back  ->  group_norm: how exporters said it before ONNX
/// had it, with InstanceNormalization
struct spelled_groups {
  static constexpr rule_info info{"spelled_groups", "reshape > group_norm > reshape back -> group_norm", lowers::nodes,
                                  numerics::reassociates};
  struct match {
    node_id back = none, norm = none, apart = none;
    value_id x = none;
  };
  using pattern = find::node<reshapes, &match::back,
                             find::alone<find::node<op::group_norm, &match::norm,
                                                    find::node<reshapes, &match::apart, find::value<&match::x>>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents &x = r.shape(m.x), &y = r.shape(r.output(m.apart));
    const op::group_norm op = r.get<op::group_norm>(m.norm);
    const int axis = channel_axis(y, op.axis);
    if (!(r.shape(r.output(m.back)) == x)) return {"it does not undo the reshape before", r.name(m.apart)};
    bool samples = x.rank > axis;
    for (int i = 0; samples && i < axis; ++i) samples = x[i] == y[i];
    if (!samples) return {"its samples are not those before the reshape", r.name(m.apart)};
    if (y[axis] != op.groups || x[axis] % op.groups != 0)
      return {"its channels are not groups of them", r.name(m.apart)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.apart), r.name(m.norm));
    op::group_norm op = r.get<op::group_norm>(m.norm);
    op.axis = spelled_axis(r.shape(m.x), channel_axis(r.shape(r.output(m.apart)), op.axis));
    r.fuse(m.norm, m.back, op, r.inputs_with(m.norm, 0, m.x), {});
  }
};

}  // namespace ctnn::rules
