// SPDX-License-Identifier: BSL-1.0
// Linear maps of one input are one: their sum is the map by the sum of their weights, and what joins them the map by
// all their rows (RepVGG: Ding et al. 2021, 3.3).
#pragma once

#include "parts.hpp"
#include "siblings.hpp"

namespace ctnn::rules {

/// conv|linear + conv|linear|scale|bias|binary(scalar|constant) of its input, or + the input itself  ->  the first, or
/// their difference. The windows of the second lie in those of the first.
struct sum_of_maps {
  static constexpr rule_info info{"sum_of_maps", "conv|linear(x) +|- conv|linear|scale|bias|...(x), x -> the first",
                                  lowers::nodes, numerics::reassociates};
  using layers = find::any_of_all<find::convolutions, find::any_of<op::linear>>;
  struct match : ir::match {
    node_id other = none;  ///< the second, if it is not the input itself
    affine_map map{};      ///< that it is
    op::pad margins{};     ///< round its weight, a layer's
  };
  using pattern = chain<layers, op::binary>;

 private:
  // Templates stand before who calls them: Clang wants them whole in constants.
  /// Finds where the weight of `small`, which pads so many, lies in that of `large`.
  template <int Axes>
  static constexpr reason find_margins(const op::conv<Axes>& large, const auto& large_pad, const op::conv<Axes>& small,
                                       const auto& small_pad, op::pad& margins) {
    if (large.groups != small.groups) return {"they have other groups"};
    margins.before = {0, 0};
    margins.after = {0, 0};
    for (std::size_t i = 0; i < large.kernel.size(); ++i) {
      const int ahead = large_pad[i] - small_pad[i], step = large.dilation[i];
      if (large.stride[i] != small.stride[i]) return {"they have other strides"};
      const bool same_steps = small.kernel[i] == 1 || small.dilation[i] == step;
      const int room = large.kernel[i] - small.kernel[i];
      if (!same_steps || ahead < 0 || ahead % step != 0 || ahead / step > room)
        return {"its windows do not lie in those of the other"};
      margins.before.push_back(ahead / step);
      margins.after.push_back(room - ahead / step);
    }
    return {};
  }
  /// The same of a map of each pixel by itself.
  template <int Axes>
  static constexpr reason find_pixel(const op::conv<Axes>& large, const auto& large_pad, op::pad& margins) {
    op::conv<Axes> pixel;
    pixel.kernel = op::conv<Axes>::ones;
    pixel.groups = large.groups;
    return find_margins(large, large_pad, pixel, pixel.pad, margins);
  }
  static constexpr bool is_of_floats(const auto& layer) {
    if constexpr (requires { layer.weight; }) return !layer.weight && !layer.weight.is_packed();
    else return true;
  }
  template <class Layer>
  static constexpr reason find_layer(const rewriter& r, const Layer& first, match& m) {
    if (const reason no = is_complete(r, m.other)) return no;
    const auto other = r.get<Layer>(m.other);
    if (!is_of_floats(other)) return {"it computes with bytes", r.name(m.other)};
    if constexpr (std::is_same_v<Layer, op::linear>) {
      return first.axes == other.axes ? reason{} : reason{"they read rows of other axes", r.name(m.other)};
    } else {
      const extents& x = r.shape(r.input(m.first));
      return find_margins(first, first.padding(x), other, other.padding(x), m.margins);
    }
  }
  template <class Layer>
  static constexpr reason find_affine_map(const rewriter& r, const Layer& first, match& m) {
    const extents& x = r.shape(r.input(m.first));
    if (m.other != none) {
      if (const reason no = find_bare_affine(r, m.other, m.map)) return {no.text, r.name(m.other)};
      if (m.map.x != r.input(m.first)) return find::detail::another_operator;
      if (!m.map.numbers.is_along(output_axis(r, m.first)))
        return {"its channels are not the layer's outputs", r.name(m.other)};
    }
    if constexpr (std::is_same_v<Layer, op::linear>)
      return first.axes == 1 && first.ones == 0 ? reason{} : reason{"its rows have several axes", r.name(m.first)};
    else return find_pixel(first, first.padding(x), m.margins);
  }
  /// Numbers on the diagonal of a weight (out, out / groups), and zeros.
  static constexpr expression_id diagonal(rewriter& r, expression_id numbers, int groups) {
    const int all = r.shape_of(numbers)[0], each = all / groups;
    op::pad zeros;  // a row longer than it is, so that each begins one place further on
    zeros.before = {0, 0, 0};
    zeros.after = {0, 0, each};
    const expression_id column = r.reshaped(numbers, {groups, each, 1});
    const expression_id rows = r.reshaped(r.apply(zeros, {&column, 1}), {groups, each * (each + 1)});
    const expression_id square = r.apply(op::slice{{1}, {0}, {each * each}}, {&rows, 1});
    return r.reshaped(square, {all, each});
  }
  /// f of the two, in the order of the operands; one that is none is 0.
  static constexpr expression_id of_both(rewriter& r, const match& m, expression_id first, expression_id other) {
    const auto f = r.get<op::binary>(m.last).function;
    const bool second_is_first = m.input == 1, differs = f == op::binary_function::sub;
    if (first == none || other == none) {
      const expression_id one = first == none ? other : first;
      const bool is_taken_off = differs && (first == none) != second_is_first;
      return is_taken_off && one != none ? r.apply(op::activation{{function::neg}}, {&one, 1}) : one;
    }
    op::binary by;
    by.function = f;
    const expression_id both[] = {second_is_first ? other : first, second_is_first ? first : other};
    return r.apply(by, both);
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.scalar || (b.function != op::binary_function::add && b.function != op::binary_function::sub))
      return find::detail::another_operator;
    const value_id x = r.input(m.first), v = r.input(m.last, 1 - m.input);
    if (v != x) {
      m.other = r.producer(v);
      if (r.at(m.other).inputs.count == 0) return find::detail::another_operator;
      const bool reads_x = r.input(m.other) == x || (r.inputs_count(m.other) == 2 && r.input(m.other, 1) == x);
      if (!reads_x) return find::detail::another_operator;
    }
    const bool is_layer = m.other != none && r.at(m.other).type == r.at(m.first).type;
    if (m.other != none && !is_layer && !find::detail::choice<affine_layer>::has(r.at(m.other).type))
      return find::detail::another_operator;
    if (const reason no = is_complete(r, m.first)) return no;
    if (r.shape(v) != r.shape(r.output(m.first))) return {"its operands differ in shape", r.name(m.first)};
    if (m.other != none)
      if (const reason no = made_for_it(r, m.last, 1 - m.input)) return no;
    if (m.other != none && r.given(m.other) != 0) return {"its weights are not known before it runs", r.name(m.other)};
    reason no;
    layers::visit(r, m.first, [&](const auto& first) {
      if (!is_of_floats(first)) no = {"it computes with bytes", r.name(m.first)};
      else no = is_layer ? find_layer(r, first, m) : find_affine_map(r, first, m);
    });
    return no;
  }
  /// Is sum n one of two such maps, in either order?
  static constexpr bool takes(const rewriter& r, node_id n) {
    for (int i = 0; i < 2; ++i) {
      match m;
      if (!pattern::at(r, n, i, m) && !guard(r, m)) return true;
    }
    return false;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    layers::visit(r, m.first, [&]<class Layer>(Layer all) {
      affine other;
      const extents whole = r.shape_of(r.weight(m.first, 0));
      if (m.other != none && r.at(m.other).type == r.at(m.first).type) {
        other = {r.weight(m.other, 0), r.get<Layer>(m.other).bias ? r.weight(m.other, 1) : none};
      } else {
        if (m.other != none) other = numbers_of(r, m.map, all.out);
        if (other.slope == none) other.slope = r.filled({all.out}, 1);
        int groups = 1;
        if constexpr (requires { all.groups; }) groups = all.groups;
        other.slope = diagonal(r, other.slope, groups);
        if constexpr (!std::is_same_v<Layer, op::linear>) {
          extents pixel{whole[0], whole[1]};
          while (pixel.rank < whole.rank) pixel.push_back(1);
          other.slope = r.reshaped(other.slope, pixel);
        }
      }
      if (r.shape_of(other.slope) != whole) other.slope = r.apply(m.margins, {&other.slope, 1});
      const expression_id bias = of_both(r, m, all.bias ? r.weight(m.first, 1) : none, other.shift);
      const expression_id weights[] = {of_both(r, m, r.weight(m.first, 0), other.slope), bias};
      all.bias = bias != none;
      all.activation = r.get<op::binary>(m.last).activation;
      if (m.other != none) r.note(r.name(m.other), r.name(m.first));
      r.fuse(m.first, m.last, all, {&x, 1}, {weights, all.bias ? 2u : 1u});
    });
  }
};

/// concat(..., conv|linear, the same of its input, ...)  ->  concat of one layer with both's outputs
struct join_before_concat {
  static constexpr rule_info info{"join_before_concat", "concat(conv|linear(x), conv|linear(x)) -> conv|linear(x)",
                                  lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  struct match : ir::match {
    pool<node_id> layers;
  };
  using pattern = chain<join_siblings::layers, op::concat>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (m.input + 1 == static_cast<int>(r.inputs_count(m.last))) return find::detail::another_operator;
    const value_id beside = r.input(m.last, m.input + 1);
    const node_id second = r.producer(beside);
    if (r.at(second).type != r.at(m.first).type || r.input(second) != r.input(m.first))
      return find::detail::another_operator;
    if (const reason no = made_for_it(r, m.last, m.input + 1)) return no;
    if (r.given(second) != 0) return {"its weights are not known before it runs", r.name(second)};
    if (r.weight(second, 0) == r.weight(m.first, 0)) return {"they share a weight", r.name(m.first)};
    m.layers = pool<node_id>({m.first, second});
    if (normal_axis(r.get<op::concat>(m.last).axis, r.shape(beside).rank) != output_axis(r, m.first))
      return {"it does not join the outputs", r.name(m.first)};
    reason no;
    join_siblings::layers::visit(r, m.first, [&]<class Layer>(const Layer& one) {
      if (!join_siblings::are_alike(r, second, m.first, r.get<Layer>(second), one) || r.inputs_count(m.first) != 1)
        no = {"the layers before it differ in more than their outputs", r.name(m.first)};
      else no = join_siblings::unless_rows_join(r, m.first, one);
    });
    return no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const node_id second = m.layers[1], later = m.first < second ? second : m.first;
    const std::string_view name = r.name(m.first);
    join_siblings::layers::visit(r, m.first, [&](const auto& one) {
      const auto all = join_siblings::joined(r, m.layers, one);
      extents whole = r.shape(r.output(m.first));
      whole[output_axis(r, m.first)] = all.out;
      const pool<expression_id> weights = join_siblings::joined_weights(r, m.layers, all);
      const value_id x = r.input(m.first);
      r.note(r.name(second), name);
      r.become(later, all, name, {&x, 1}, weights, whole);
    });
    pool<value_id> in;
    for (int i = 0; i < r.at(m.last).inputs.count; ++i) {
      if (i == m.input) in.push_back(r.output(later));
      else if (i != m.input + 1) in.push_back(r.input(m.last, i));
    }
    r.read_instead(m.last, in);
  }
};

}  // namespace ctnn::rules
