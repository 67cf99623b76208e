// SPDX-License-Identifier: BSL-1.0
// Padding by a layer of its own becomes the padding of the window that reads it.
#pragma once

#include <limits>

#include "../ranges.hpp"
#include "lifting.hpp"

namespace ctnn::rules {

/// pad by nothing  ->  x
struct pad_nothing {
  static constexpr rule_info info{"pad_nothing", "pad(x) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::pad>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::pad>(m.last);
    for (std::size_t i = 0; i < p.before.size(); ++i)
      if (p.before[i] != 0 || p.after[i] != 0) return {"it adds or cuts off elements"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// pad > reshape that adds or takes away extents of 1  ->  reshape > pad: a signal is padded as the image of one row
/// that a convolution reads
struct reshape_before_pad {
  static constexpr rule_info info{"reshape_before_pad", "pad > reshape(ones) -> reshape > pad", lowers::movable,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::pad, op::reshape>;
  /// The axis of the reshaped value that is axis `axis` of the padded one, if all extents but ones stay as they are, or
  /// none.
  static constexpr int moved(const rewriter& r, const match& m, int axis) {
    const extents &x = r.shape(r.output(m.last)), &y = r.shape(r.output(m.first));
    int i = 0, found = none;
    for (int k = 0; k < y.rank; ++k) {
      if (y[k] == 1) continue;
      while (i < x.rank && x[i] == 1) ++i;
      if (i == x.rank || x[i] != y[k]) return none;
      if (k == axis) found = i;
      ++i;
    }
    return found;
  }
  static constexpr bool pads(const op::pad& p, std::size_t axis) { return p.before[axis] != 0 || p.after[axis] != 0; }
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::pad>(m.first);
    if (r.inputs_count(m.first) != 1) return {"what it pads with is a value", r.name(m.first)};
    if (r.shape(r.output(m.first)) == r.shape(r.output(m.last))) return {"it changes nothing"};  // one_view's
    for (std::size_t i = 0; i < p.before.size(); ++i)
      if (pads(p, i) && moved(r, m, static_cast<int>(i)) == none)
        return {"it does more than adding or removing ones", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::pad>(m.first);
    const value_id x = r.input(m.first);
    extents between = r.shape(r.output(m.last));
    op::pad later{p.mode, {}, {}, p.value};
    for (int i = 0; i < between.rank; ++i) {
      later.before.push_back(0);
      later.after.push_back(0);
    }
    for (std::size_t i = 0; i < p.before.size(); ++i) {
      if (!pads(p, i)) continue;
      const int axis = moved(r, m, static_cast<int>(i));
      later.before[static_cast<std::size_t>(axis)] = p.before[i];
      later.after[static_cast<std::size_t>(axis)] = p.after[i];
      between[axis] = r.shape(x)[static_cast<int>(i)];
    }
    r.exchange(m.first, m.last, reshape_to(between), {&x, 1}, between, later);
  }
};

/// pad(0) > conv  ->  the second;  pad(0) > average pool  ->  pool that counts its padding;
/// pad(less than there is) > max pool  ->  pool. Of bytes the zero point is 0, and the least one is no more than
/// others.
template <class Last>
struct pad_window {
  static constexpr rule_info info{"pad_window", "pad > conv|pool -> the second", lowers::nodes, numerics::exact};
  using pattern = chain<op::pad, Last>;
  static constexpr bool pools = std::is_same_v<Last, op::pool>;
  static constexpr bool any_type = true;
  static constexpr int axes_of(const Last& window) {
    if constexpr (pools) return window.axes;
    else return static_cast<int>(window.kernel.size());
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    return refused(r, m, [](float value, float lowest_of_x) {
      return value == -std::numeric_limits<float>::infinity() || value < lowest_of_x;
    });
  }
  /// `loses` says whether padding never wins a maximum.
  static constexpr reason refused(const rewriter& r, const match& m, auto&& loses) {
    const auto p = r.get<op::pad>(m.first);
    const auto window = r.get<Last>(m.last);
    const element& x = r.type(r.input(m.first));
    if (x != dtype::f32 && !is_byte(x)) return {"it pads neither floats nor bytes", r.name(m.first)};
    if (m.input != 0) return {"it is the residual", r.name(m.first)};
    if (p.mode != op::pad_mode::constant || r.inputs_count(m.first) != 1)
      return {"it pads with more than one number", r.name(m.first)};
    const int rank = static_cast<int>(p.before.size());
    for (int i = 0; i < rank; ++i) {
      const int before = p.before[static_cast<std::size_t>(i)], after = p.after[static_cast<std::size_t>(i)];
      if (before < 0 || after < 0) return {"it cuts something off", r.name(m.first)};
      if (i < rank - axes_of(window) && (before != 0 || after != 0))
        return {"it pads more than the axes of the windows", r.name(m.first)};
    }
    if (window.same != same_padding::none) return {"its own padding depends on the size"};
    if constexpr (pools) {
      if (window.ceil) return {"its last windows depend on the padding"};
      if (window.function == op::pooling::max) {
        // Padding never wins a maximum here, so it must not there: not even in a window of padding alone.
        const bool is_least = is_byte(x) && p.value == (x == dtype::i8 ? -128 : 0);
        if (!is_least && (is_byte(x) || !loses(static_cast<float>(p.value), range_of(r, r.input(m.first)).low)))
          return {"the padding may be the maximum", r.name(m.first)};
        for (int i = 0; i < window.axes; ++i) {
          const auto axis = static_cast<std::size_t>(rank - window.axes + i);
          const int before = p.before[axis] + window.pad.at(i), after = p.after[axis] + window.pad.at(window.axes + i);
          if (before >= window.kernel.at(i) || after >= window.kernel.at(i) || window.dilation.at(i) != 1)
            return {"a window may hold nothing but padding", r.name(m.first)};
        }
        return {};
      } else {
        if (window.function == op::pooling::lp) return {"its norms have no padding of their own to count"};
        if (!(window.pad == by_axis{0}) && !window.count_include_pad) return {"its average leaves out its own padding"};
        if (window.divisor_whole) return {"its average counts what is not there"};
      }
    }
    if (is_byte(x)) {
      if (!x.real) return {"its zero point is a value"};
      return p.value == x.real.zero ? reason{} : reason{"it does not pad with the zero point", r.name(m.first)};
    }
    if (p.value != 0) return {"it does not pad with zeros", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::pad>(m.first);
    auto window = r.get<Last>(m.last);
    const auto axes = static_cast<std::size_t>(axes_of(window)), first = p.before.size() - axes;
    const auto old = window.pad;
    if constexpr (pools) window.pad.clear();
    for (std::size_t side = 0; side < 2 * axes; ++side) {
      const int more = side < axes ? p.before[first + side] : p.after[first + side - axes];
      if constexpr (pools) window.pad.push_back(old.at(static_cast<int>(side)) + more);
      else window.pad[side] = old[side] + more;
    }
    if constexpr (pools) window.count_include_pad = window.count_include_pad || window.function == op::pooling::average;
    pool<value_id> in(1, r.input(m.first));
    if (r.inputs_count(m.last) == 2) in.push_back(r.input(m.last, 1));
    const pool<expression_id> weights = r.weights_of(m.last);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, window, r.name(m.last), in, weights);
  }
};

/// pad(no more than there is) > max pool  ->  pool. Of 0 and -0 either may win; the lowest float takes the place of an
/// infinity.
struct pad_below_maximum : pad_window<op::pool> {
  static constexpr rule_info info{"pad_below_maximum", "pad > pool(max) -> pool", lowers::nodes, numerics::reassociates,
                                  proved_by::order};
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.get<op::pool>(m.last).function != op::pooling::max) return {"it is no maximum"};
    return refused(r, m, [](float value, float lowest_of_x) {
      return value <= std::numeric_limits<float>::lowest() || value <= lowest_of_x;
    });
  }
};

}  // namespace ctnn::rules
