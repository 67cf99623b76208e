// SPDX-License-Identifier: BSL-1.0
// Between which numbers a value lies, from the functions, limits and constants it comes from.
#pragma once

#include <limits>

#include "pattern.hpp"

namespace ctnn::ir {

/// Every number of a value that is no NaN is in [low, high].
struct interval {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();

  friend constexpr bool operator==(const interval&, const interval&) = default;
};
constexpr interval join(const interval& a, const interval& b) {
  return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
/// What is known of numbers of this sign after sums and quotients, which round.
constexpr interval sign_of(const interval& x) {
  interval s;
  if (x.low >= 0) s.low = 0;
  if (x.high <= 0) s.high = 0;
  return s;
}

/// Of f over x. Functions that are computed by approximations are said as wide as their definitions are.
constexpr interval range_of(const activation_function& f, const interval& x) {
  constexpr float open = std::numeric_limits<float>::infinity();
  switch (f.kind) {
    case function::none: return x;
    case function::relu: return {math::clamp(x.low, 0, open), math::clamp(x.high, 0, open)};
    case function::clip:
      if (!(f.a <= f.b)) return {};
      return {math::clamp(x.low, f.a, f.b), math::clamp(x.high, f.a, f.b)};
    case function::sigmoid:
    case function::hardsigmoid: return {0, 1};
    case function::abs:
    case function::square:
    case function::sqrt:
    case function::exp:
    case function::softplus: return {0, open};
    case function::leaky_relu:
    case function::elu:
    case function::celu: return x.low >= 0 ? x : interval{};
    default: return {};
  }
}
/// Whether f leaves every number of x as it is, in all bits.
constexpr bool leaves(const activation_function& f, const interval& x) {
  switch (f.kind) {
    case function::relu:
    case function::leaky_relu:
    case function::elu:
    case function::celu: return x.low >= 0;
    case function::clip: return f.a <= x.low && x.high <= f.b;
    default: return false;
  }
}

/// Is the activation of a layer not the last that it does?
constexpr bool adds_behind_activation(const auto& layer) {
  if constexpr (requires { layer.residual_last; }) return layer.residual_last;
  else return false;
}

/// Whether no window of a pooling can lie in its padding alone.
constexpr bool every_window_has_numbers(const op::pool& p) {
  const bool same = p.same != same_padding::none;
  for (int side = 0; side < 2 * p.axes; ++side) {
    const int kernel = p.kernel.at(side % p.axes);
    if (!same && p.pad.at(side) == 0) continue;
    if ((p.dilation.at(side % p.axes) != 1 && kernel > 1) || (!same && p.pad.at(side) >= kernel)) return false;
  }
  return true;
}

/// Whether no window of a pooling reaches beyond what it pools.
constexpr bool every_window_is_inside(const op::pool& p) {
  for (int side = 0; side < 2 * p.axes; ++side)
    if (p.pad.at(side) != 0) return false;
  return p.same == same_padding::none && !p.ceil;
}

/// Looks back through the network, at so many nodes at most: behind them everything is possible.
class range_finder {
 public:
  constexpr explicit range_finder(const rewriter& r) : r_(r) {}

  constexpr interval of(value_id v) {
    if (r_.type(v) != dtype::f32 || left_-- <= 0) return {};
    const node_id n = r_.producer(v);
    const operator_type* const type = r_.at(n).type;
    if (type == &type_of<op::activation>) return range_of(r_.get<op::activation>(n).activation, of_input(n));
    if (type == &type_of<op::softmax>) return {0, 1};
    if (type == &type_of<op::full>) return only(r_.get<op::full>(n).value);
    if (type == &type_of<op::constant>) return are_positive(r_.known_numbers(v)) ? interval{0} : interval{};
    if (type == &type_of<op::pool>) return of_windows(n);
    if (type == &type_of<op::adaptive_pool>)
      return r_.get<op::adaptive_pool>(n).function == op::pooling::max ? of_input(n) : sign_of(of_input(n));
    if (type == &type_of<op::reduce>) return of_reduced(n);
    if (type == &type_of<op::concat>) {
      interval all = of_input(n);
      for (int i = 1; i < r_.at(n).inputs.count; ++i) all = join(all, of_input(n, i));
      return all;
    }
    if (type == &type_of<op::pad>) return of_padded(n);
    if (type == &type_of<op::binary>) return range_of(r_.get<op::binary>(n).activation, of_arithmetic(n));
    if (type == &type_of<op::scale>) return range_of(r_.get<op::scale>(n).activation, of_scaled(n));
    if (type == &type_of<op::bias>)
      return range_of(r_.get<op::bias>(n).activation, has_positive(n, 0) ? interval{of_input(n).low} : interval{});
    if (type->is.rearranges || find::detail::choice<keeps_numbers>::has(type)) return of_input(n);
    interval out;
    activates::visit(r_, n, [&](const auto& layer) {
      out = range_of(layer.activation, {});
      if (adds_behind_activation(layer)) out = sum_of(out, of_input(n, 1));
    });
    return out;
  }
  /// What the activation of n, itself one or a binary, is applied to.
  constexpr interval activated(node_id n) { return r_.is<op::binary>(n) ? of_arithmetic(n) : of_input(n); }

 private:
  using keeps_numbers = find::any_of<op::slice, op::split, op::identity, op::dropout>;
  using activates =
      find::any_of_all<find::convolutions, find::transposed_convolutions, find::any_of<op::linear, op::eltwise>>;

  constexpr interval of_input(node_id n, int i = 0) { return of(r_.input(n, i)); }
  static constexpr interval only(float x) { return x == x ? interval{x, x} : interval{}; }

  constexpr bool has_positive(node_id n, int slot) const {
    return are_positive(r_.known_of_weight(r_.weight(n, slot)));
  }
  constexpr interval of_scaled(node_id n) {
    const bool positive = has_positive(n, 0) && (!r_.get<op::scale>(n).bias || has_positive(n, 1));
    return positive && of_input(n).low >= 0 ? interval{0} : interval{};
  }
  constexpr interval of_windows(node_id n) {
    const auto p = r_.get<op::pool>(n);
    const interval x = of_input(n);
    if (p.function == op::pooling::lp) return {0};
    if (p.function == op::pooling::average) return sign_of(x);
    return every_window_has_numbers(p) ? x : interval{};
  }
  constexpr interval of_reduced(node_id n) {
    using enum op::reduction;
    const auto p = r_.get<op::reduce>(n);
    const bool of_something = r_.shape(r_.input(n)).count() > 0;
    switch (p.function) {
      case sum:
      case mean: return of_something ? sign_of(of_input(n)) : interval{};
      case max:
      case min: return of_something ? of_input(n) : interval{};
      case l1:
      case l2:
      case sum_square: return {0};
      default: return {};
    }
  }
  constexpr interval of_padded(node_id n) {
    const auto p = r_.get<op::pad>(n);
    if (r_.inputs_count(n) != 1) return {};
    if (p.mode != op::pad_mode::constant) return of_input(n);
    return join(of_input(n), only(static_cast<float>(p.value)));
  }
  // Rounding keeps order. Infinite bounds that cancel, or meet 0, say nothing.
  static constexpr interval sum_of(const interval& x, const interval& y) {
    const interval both{x.low + y.low, x.high + y.high};
    return both.low != both.low || both.high != both.high ? interval{} : both;
  }
  static constexpr interval product_of(const interval& x, const interval& y) {
    constexpr float open = std::numeric_limits<float>::infinity();
    if (x.low >= 0 && y.low >= 0 && (x.high == open || y.high == open)) return {0};  // 0 * infinity is NaN
    interval both{open, -open};
    for (const float a : {x.low, x.high})
      for (const float b : {y.low, y.high}) {
        if (!(math::is_finite(a) && math::is_finite(b))) return {};
        const float ab = rounded(static_cast<double>(a) * static_cast<double>(b));
        both = join(both, {ab, ab});
      }
    return both;
  }
  static constexpr interval quotient_of(const interval& x, float k) {
    const auto by = [k](float a) {
      return math::is_finite(a) ? rounded(static_cast<double>(a) / static_cast<double>(k)) : (k > 0 ? a : -a);
    };
    if (!math::is_finite(k) || k == 0) return {};
    return k > 0 ? interval{by(x.low), by(x.high)} : interval{by(x.high), by(x.low)};
  }
  /// As a float, infinite beyond them.
  static constexpr float rounded(double x) {
    constexpr double most = std::numeric_limits<float>::max();
    constexpr float open = std::numeric_limits<float>::infinity();
    return x > most ? open : x < -most ? -open : static_cast<float>(x);
  }
  constexpr interval of_arithmetic(node_id n) {
    const auto b = r_.get<op::binary>(n);
    const interval x = of_input(n), y = b.scalar ? only(*b.scalar) : of_input(n, 1);
    interval both;
    switch (b.function) {
      case op::binary_function::add: both = sum_of(x, y); break;
      case op::binary_function::sub: both = sum_of(x, {-y.high, -y.low}); break;
      case op::binary_function::rsub: both = sum_of(y, {-x.high, -x.low}); break;
      case op::binary_function::mul: both = product_of(x, y); break;
      case op::binary_function::div:  // one rounding, as of a product
        if (b.scalar) both = quotient_of(x, *b.scalar);
        break;
      case op::binary_function::maximum:
        both = {x.low > y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
        break;
      case op::binary_function::minimum:
        both = {x.low < y.low ? x.low : y.low, x.high < y.high ? x.high : y.high};
        break;
      default: break;
    }
    return both;
  }

  const rewriter& r_;
  int left_ = 64;
};

/// What is known of the numbers of v.
constexpr interval range_of(const rewriter& r, value_id v) { return range_finder(r).of(v); }

}  // namespace ctnn::ir
