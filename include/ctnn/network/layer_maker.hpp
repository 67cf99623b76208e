// SPDX-License-Identifier: BSL-1.0
// A declared layer's node: its fields from the options, and what is wrong with it in the words of a declaration. Lists
// of layers (lower.hpp) and functions (recorder.hpp) come here with the values that the layer reads.
#pragma once

#include "../graph/images.hpp"
#include "layers.hpp"

namespace ctnn::ir::detail {

class layer_maker {
 public:
  constexpr explicit layer_maker(graph& g) : g_(g) {}

  /// Adds the node of `l`, which reads `in`: the last one of the graph's then.
  constexpr problem add(const layer_record& l, span<const value_id> in) {
    in_ = in;
    // Of one value it is nothing: another was meant.
    if (l.type == &type_of<op::concat> && in.size() == 1)
      return {mistake::wrong_number_of_inputs, "from", {1}, {2, op::concat::max_inputs}};
    field_values fields;
    problem p = configure(l, fields);
    if (!p)
      p = add_node(g_, *l.type, l.name, in_, span<const double>(fields.data(), fields.size()), {},
                   {wanted_.data(), wanted_.size()});
    if (!p && !wanted_.empty())
      if (const value& y = g_.at_value(g_.nodes[g_.nodes.size() - 1].outputs.first); y.type.type != wanted_[0].type)
        p = {mistake::no_such_element,
             l.type->name,
             {static_cast<int>(y.type.type)},
             {static_cast<int>(wanted_[0].type)}};
    if (!p && is_axis_ambiguous(g_.view(), g_.nodes[g_.nodes.size() - 1]))
      p = {mistake::ambiguous_axis, "axis", g_.at_value(in_[0]).shape, {0, 1}};
    if (p) return said_plainly(p, l);
    // Files may hold values without elements; in a declaration they are a slip, and kernels of static networks need not
    // look.
    const range made = g_.nodes[g_.nodes.size() - 1].outputs;
    for (int k = 0; k < made.count; ++k)
      if (const extents& s = g_.at_value(made.first + k).shape; s.count() == 0)
        return {mistake::no_elements, "output", s};
    return {};
  }

 private:
  /// Is it a field of the operator's own?
  static constexpr bool has_field(const operator_type& type, const option_record& o) {
    field_values any;
    return type.configure({&o, 1}, any).kind != mistake::unknown_option;
  }
  /// What integers stand for, as an option says it.
  static constexpr problem read_quantization(const option_record& o, quantization& q) {
    if (o.values.size() < 1 || o.values.size() > 2)
      return {mistake::option_count, o.key, {static_cast<int>(o.values.size())}};
    q.scale = o.values[0];
    if (o.values.size() < 2) return {};
    q.zero = static_cast<int>(o.values[1]);
    return q.zero == o.values[1] ? problem{} : problem{mistake::not_a_whole_number, o.key};
  }
  /// Fields from the options, and from those that speak of elements that of the result (`as`, `to`, `rounded`:
  /// wanted_); `of` and `with` say what the integers that are read stand for, where no layer before does.
  constexpr problem configure(const layer_record& l, field_values& fields) {
    wanted_.clear();
    pool<option_record> rest;
    for (const option_record& o : l.options) {
      const bool as = o.key == "as", to = o.key == "to", rounded = o.key == "rounded";
      const int read = o.key == "of" ? 0 : o.key == "with" ? 1 : none;
      if (!(as || to || rounded || read != none) || has_field(*l.type, o)) {
        rest.push_back(o);
      } else if (read != none) {
        if (const problem p = say_element(read, o)) return p;
      } else {
        if (wanted_.empty()) wanted_.push_back(dtype::i8);
        if (to && o.values.size() == 1) wanted_[0].type = static_cast<dtype>(static_cast<int>(o.values[0]));
        if (rounded && o.values.size() == 1) wanted_[0].rounded = static_cast<rounding>(static_cast<int>(o.values[0]));
        if (as)
          if (const problem p = read_quantization(o, wanted_[0].real)) return p;
      }
    }
    // A layer that reads bytes has a weight of bytes.
    const option_record weight{"weight_type", of_bytes};
    bool said = in_.empty() || !is_byte(g_.at_value(in_[0]).type) || !has_field(*l.type, weight);
    for (const option_record& o : rest) said = said || o.key == weight.key;
    if (!said) rest.push_back(weight);
    return l.type->configure({rest.data(), rest.size()}, fields);
  }
  static constexpr double of_bytes[] = {static_cast<double>(dtype::i8)};
  constexpr problem say_element(int i, const option_record& o) {
    if (i >= static_cast<int>(in_.size())) return {mistake::unknown_option, o.key};
    const value& v = g_.at_value(in_[static_cast<std::size_t>(i)]);
    quantization q;
    if (const problem p = read_quantization(o, q)) return p;
    if (v.type.real == q) return {};
    if (v.type.real || check_quantization(o.key, q, v.type)) return {mistake::option_out_of_range, o.key};
    ir::say_element(g_, in_[static_cast<std::size_t>(i)], q);
    return {};
  }

  /// Of operators' problems, which speak of fields and shapes.
  static constexpr problem said_plainly(problem p, const layer_record& l) {
    if (p.kind == mistake::missing_option)  // out<0> is not missing
      for (const option_record& o : l.options)
        if (o.key == p.what) return {mistake::option_out_of_range, p.what, {0}, {1}};
    if (p.kind == mistake::rank_mismatch) p.got = {p.got.rank};
    if (p.kind == mistake::wrong_number_of_inputs) p.what = "from";
    return p;
  }

  graph& g_;
  span<const value_id> in_{};
  pool<element> wanted_;  ///< of the layer that is added
};

}  // namespace ctnn::ir::detail
