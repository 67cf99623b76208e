// SPDX-License-Identifier: BSL-1.0
// Layers in a row without anything between them are one layer, where that costs less; a convolution that sees one pixel
// is a linear layer, which does.
#pragma once

#include "../../graph/cost.hpp"
#include "affine.hpp"

namespace ctnn::rules {

/// conv1d > conv1d of 1, conv2d > conv2d of 1x1, linear > linear  ->  the first: V (W x + b) + c is (V W) x + (V b +
/// c). A bottleneck between the two stays.
struct multiply_weights {
  static constexpr rule_info info{"multiply_weights",
                                  "conv1d|conv2d > the same of one pixel, linear > linear -> the first", lowers::nodes,
                                  numerics::rescales};
  struct match : ir::match {
    cost now{}, then{};
  };
  using layers = find::any_of_all<find::fusing_convolutions, find::any_of<op::linear>>;
  using pattern = chain<layers, layers>;
  /// Multiply-adds that the new weight may take when it is made.
  static constexpr std::int64_t most_macs = 1 << 26;

 private:
  static constexpr std::string_view why_not(const op::linear& first, const op::linear& last, const extents&) {
    return last.axes != 1 + first.ones ? "the second reads more than the first's outputs" : "";
  }
  template <int Axes>
  static constexpr std::string_view why_not(const op::conv<Axes>& first, const op::conv<Axes>& last,
                                            const extents& between) {
    for (int p : last.padding(between))
      if (p != 0) return "the second pads";
    return first.groups != 1 || last.groups != 1 ? "their channels are in groups" : "";
  }
  /// A weight of (out, channels, 1, 1), or (out, channels, 1) of signals.
  static constexpr bool is_product_of_pixels(const extents& weight) { return weight.count(2, weight.rank) == 1; }
  static constexpr void join(op::linear& first, const op::linear& last, const extents&) { first.ones = last.ones; }
  template <int Axes>
  static constexpr void join(op::conv<Axes>& first, const op::conv<Axes>& last, const extents& x) {
    if (last.stride != op::conv<Axes>::ones) {
      first.pad = first.padding(x);
      first.same = same_padding::none;
    }
    for (std::size_t i = 0; i < first.stride.size(); ++i) first.stride[i] *= last.stride[i];
    first.winograd = first.winograd < last.winograd ? first.winograd : last.winograd;
  }
  /// Both as one.
  template <class Layer>
  static constexpr Layer joined(const rewriter& r, const match& m, Layer both) {
    const auto last = r.get<Layer>(m.last);
    join(both, last, r.shape(r.input(m.first)));
    both.out = last.out;
    both.bias = both.bias || last.bias;
    both.activation = last.activation;
    both.residual_last = last.residual_last;
    return both;
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    if (r.at(m.first).type != r.at(m.last).type) return find::detail::another_operator;
    if (m.input != 0) return {"it is the residual", r.name(m.first)};
    // Most convolutions do, so it is asked before one is decoded.
    if (!r.is<op::linear>(m.last) && !is_product_of_pixels(r.shape_of(r.weight(m.last, 0))))
      return {"the second looks at more than one pixel", r.name(m.first)};
    if (const reason no = is_complete(r, m.first)) return no;
    reason no;
    layers::visit(r, m.first, [&]<class Layer>(const Layer& first) {
      no.text = why_not(first, r.get<Layer>(m.last), r.shape(r.output(m.first)));
      no.layer = r.name(m.first);
      if (no) return;
      pool<extents> in;
      for (const value_id v : r.inputs_with(m.last, 0, r.input(m.first))) in.push_back(r.shape(v));
      m.then = cost_of(joined(r, m, first), in);
    });
    if (no) return no;
    m.now = cost_of(r.view(), m.first);
    m.now += cost_of(r.view(), m.last);
    if (!pays(m.then, m.now))
      return {"one layer would not cost less", r.name(m.first), false, false, false, m.now.nanoseconds(),
              m.then.nanoseconds()};
    if (r.shape_of(r.weight(m.first, 0)).count() > most_macs / r.shape_of(r.weight(m.last, 0))[0])
      return {"its weight would take long to make", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    layers::visit(r, m.first, [&]<class Layer>(const Layer& first) {
      const auto last = r.get<Layer>(m.last);
      const Layer both = joined(r, m, first);
      extents shape = r.shape_of(r.weight(m.first, 0));
      const auto product = [&](expression_id of, int columns) {
        const expression_id in[] = {r.reshaped(r.weight(m.last, 0), {last.out, first.out}),
                                    r.reshaped(of, {first.out, columns})};
        return r.apply(op::matmul{}, in);
      };
      pool<expression_id> weights(1, product(r.weight(m.first, 0), static_cast<int>(shape.count() / first.out)));
      shape[0] = last.out;
      weights[0] = r.reshaped(weights[0], shape);
      if (first.bias) weights.push_back(r.reshaped(product(r.weight(m.first, 1), 1), {last.out}));
      if (last.bias) {
        const expression_id own = r.weight(m.last, 1);
        if (first.bias) {
          const expression_id in[] = {weights[1], own};
          weights[1] = r.apply(op::bias{}, in);
        } else {
          weights.push_back(own);
        }
      }
      if constexpr (!std::is_same_v<Layer, op::linear>)
        if (last.has_slopes()) weights.push_back(r.weight(m.last, static_cast<int>(last.slopes())));
      r.fuse(m.first, m.last, both, r.inputs_with(m.last, 0, r.input(m.first)), weights);
      r.chosen_by_cost(m.now.nanoseconds(), m.then.nanoseconds());
    });
  }
};

/// conv that makes one pixel out of one, the others in its window are padding  ->  linear over the channels,
/// which multiplies the same numbers 14 to 15 % faster (256 to 64 and 960 to 240 channels).
struct conv_of_one_pixel {
  static constexpr rule_info info{"conv_of_one_pixel", "conv(one pixel) -> linear", lowers::tier,
                                  numerics::reassociates};
  struct match : ir::match {
    int tap[3]{};  ///< the one that meets the pixel, by axis
  };
  static constexpr bool any_type = true;
  using pattern = single<find::convolutions>;
  static constexpr reason guard(const rewriter& r, match& m) {
    const extents &x = r.shape(r.input(m.last)), &y = r.shape(r.output(m.last));
    if (const dtype t = r.type(r.input(m.last)); t != dtype::f32 && !is_byte(t)) return find::detail::another_operator;
    // Most do, so it is asked before the layer is decoded.
    const int axes = r.is<op::conv1d>(m.last) ? 1 : r.is<op::conv2d>(m.last) ? 2 : 3;
    for (int i = 0; i < axes; ++i)
      if (x.back(i) != 1 || y.back(i) != 1) return {"it sees or makes several pixels", {}, false, true};
    reason no;
    pattern::what::visit(r, m.last, [&]<int Axes>(const op::conv<Axes>& conv) {
      if (conv.groups != 1) return void(no = {"its channels are in groups"});
      if (conv.has_slopes()) return void(no = {"it applies one slope an output"});
      if (conv.weight && (conv.taps() != 1 || r.view().at_expression(r.weight(m.last, 0)).type))
        return void(no = {"its weight of bytes would have to be cut"});
      const auto pad = conv.padding(x);
      for (std::size_t i = 0; i < static_cast<std::size_t>(Axes); ++i) {
        if (pad[i] % conv.dilation[i] != 0 || pad[i] / conv.dilation[i] >= conv.kernel[i])
          no = {"its window sees nothing but padding"};
        m.tap[i] = pad[i] / conv.dilation[i];
      }
    });
    if (!no && is_before_slopes(r, r.output(m.last))) return {"it takes in the slopes behind it"};
    return no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<expression_id> weights = r.weights_of(m.last);
    pattern::what::visit(r, m.last, [&]<int Axes>(const op::conv<Axes>& conv) {
      op::linear by;
      by.out = conv.out;
      by.bias = conv.bias;
      by.activation = conv.activation;
      by.residual_last = conv.residual_last;
      by.axes = Axes + 1;
      by.ones = Axes;
      by.weight = conv.weight;
      if (conv.taps() != 1) {
        op::slice seen;
        for (int i = 0; i < Axes; ++i) {
          seen.axis.push_back(i + 2);
          seen.start.push_back(m.tap[i]);
          seen.end.push_back(m.tap[i] + 1);
        }
        weights[0] = r.apply(seen, {&weights[0], 1});
      }
      const extents shape = r.shape_of(weights[0]);
      const extents rows{shape[0], shape[1]};
      weights[0] = r.reshaped(weights[0], rows);
      r.become(m.last, by, r.name(m.last), r.inputs_of(m.last), weights);
    });
  }

 private:
  /// Does a prelu with a slope for each channel, which fuse_slopes takes in, read the value?
  static constexpr bool is_before_slopes(const rewriter& r, value_id v) {
    for (node_id n = r.producer(v) + 1; n < static_cast<node_id>(r.view().nodes.size()); ++n) {
      if (!r.live(n) || r.at(n).inputs.count == 0 || r.input(n) != v) continue;
      if (r.is<op::prelu>(n)) return true;
      if (r.is<op::binary>(n) && r.get<op::binary>(n).function == op::binary_function::prelu) return true;
    }
    return false;
  }
};

}  // namespace ctnn::rules
