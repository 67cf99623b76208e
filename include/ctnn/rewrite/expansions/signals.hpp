// SPDX-License-Identifier: BSL-1.0
// Convolutions over one axis have no kernels, layouts and rules of their own: a signal is an image of one row, and the
// rules bring together what lies between two of them.
#pragma once

#include "../../graph/operators/convolution.hpp"
#include "../../graph/operators/shape.hpp"
#include "../expansion.hpp"

namespace ctnn::ir::expansions {

/// (C, L) or (N, C, L)  ->  (C, 1, L) or (N, C, 1, L), for a convolution over floats and back again behind it. A weight
/// that is a value becomes (out, in, 1, kernel) as well.
struct signal_to_image {
  static constexpr expansion_info info{"signal_to_image",
                                       "conv1d|conv_transpose1d -> reshape > conv2d|conv_transpose2d > reshape"};

  static constexpr bool concerns(const graph_view&, const node& n) {
    return n.type == &type_of<op::conv1d> || n.type == &type_of<op::conv_transpose1d>;
  }
  static constexpr bool applies(const expander& x, const node& n) {
    const graph_view g = x.source();
    if (!concerns(g, n)) return false;
    for (value_id v : g.inputs(n))
      if (g.at_value(v).type != dtype::f32 || g.shape(v).count() == 0) return false;
    return g.shape(n.outputs.first).count() != 0;
  }

 private:
  // Templates stand before who calls them: Clang wants them whole in constants.
  /// One row more; of a signal and of a weight alike.
  static constexpr extents with_row(extents s) {
    s.push_back(s.back(0));
    s.back(1) = 1;
    return s;
  }

  template <class Op>
  static constexpr void expand_as(expander& x, const node& n, const Op& image) {
    const graph_view g = x.source();
    const auto inputs = g.inputs(n);
    const std::size_t own = inputs.size() - static_cast<std::size_t>(count_slots(image.given));
    pool<value_id> in;
    for (std::size_t i = 0; i < inputs.size(); ++i)  // what is given: the weight, which has three axes, and the bias
      in.push_back(i < own || g.shape(inputs[i]).rank == 3 ? as_image_of(x, inputs[i]) : x.moved(inputs[i]));
    pool<expression_id> weights(g.weights(n));
    if (!weights.empty() && g.at_expression(weights[0]).shape.rank == 3)
      weights[0] = x.leaf(weights[0], with_row(g.at_expression(weights[0]).shape));
    const value_id y = n.outputs.first;
    const node_id id = x.add(image, n.name, in, weights);
    const value_id made = x.add_value(id, {{}, with_row(g.shape(y)), none, dtype::f32, 0});
    x.move(y, x.add_value(reshape(x, x.name(n.name, ".signal"), made, g.shape(y)), g.at_value(y)));
  }
  static constexpr node_id reshape(expander& x, std::string_view name, value_id v, const extents& to) {
    return x.add(op::reshape{as_list(to)}, name, pool<value_id>(1, v));
  }
  /// Value v of the source with one row more; a constant is another constant.
  static constexpr value_id as_image_of(expander& x, value_id v) {
    if (x.twin(v) != none) return x.twin(v);
    const graph_view g = x.source();
    value image = g.at_value(v);
    const node& maker = g.at(image.producer);
    image.shape = with_row(image.shape);
    image.name = x.name(maker.name, ".image");
    if (maker.type != &type_of<op::constant>)
      return x.twin(v) = x.add_value(reshape(x, image.name, x.moved(v), image.shape), image);
    const pool<expression_id> numbers(1, x.leaf(g.weights(maker)[0], image.shape));
    op::constant op = g.get<op::constant>(image.producer);
    op.shape = as_list(image.shape);
    return x.twin(v) = x.add_value(x.add(op, image.name, {}, numbers), image);
  }

 public:
  static constexpr void expand(expander& x, const node& n) {
    const auto fields = x.source().fields_of(n.fields);
    if (n.type == &type_of<op::conv1d>) expand_as(x, n, as_image(decode<op::conv1d>(fields)));
    else expand_as(x, n, as_image(decode<op::conv_transpose1d>(fields)));
  }
};

}  // namespace ctnn::ir::expansions
