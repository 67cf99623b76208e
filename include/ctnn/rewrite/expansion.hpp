// SPDX-License-Identifier: BSL-1.0
// An expansion says one operator with several, for kernels that are there for these only. Rules cannot: each lowers the
// measure. So each expansion is applied in one walk before the first rule; what it makes it does not expand again.
//
//   struct widen_halves {
//     static constexpr expansion_info info{"widen_halves", "operator of f16 -> cast > operator of f32 > cast"};
//     static constexpr bool concerns(const graph_view& g, const node& n);  // if it concerns no node there is no walk
//     static constexpr bool applies(const expander& x, const node& n);     // may look at what has been made so far
//     static constexpr void expand(expander& x, const node& n);            // makes nodes and says where outputs went
//   };
//
// and a line in expansions.hpp.
#pragma once

#include <array>

#include "rewriter.hpp"

namespace ctnn::ir {

struct expansion_info {
  std::string_view name;
  std::string_view arrow;
};

/// Makes the name of a new node from that of another, and keeps it. This one calls new nodes as the others.
struct name_maker {
  constexpr virtual std::string_view operator()(std::string_view of, std::string_view) { return of; }
};

/// A graph while it is made anew from `source`. Expressions keep their numbers.
class expander {
 public:
  constexpr expander(graph&& source, name_maker& names)
      : name(names), g_(static_cast<graph&&>(source)), source_(g_.view()), out_(g_) {
    out_.nodes.clear();
    out_.values.clear();
    moved_ = pool<value_id>(g_.values.size(), none);
    twins_ = moved_;
  }

  expander(const expander&) = delete;
  expander& operator=(const expander&) = delete;

  name_maker& name;

  constexpr const graph_view& source() const { return source_; }
  constexpr graph_view made() const { return out_.view(); }
  constexpr const value& made_value(value_id v) const { return out_.values[static_cast<std::size_t>(v)]; }
  constexpr const extents& made_shape(value_id v) const { return made_value(v).shape; }
  /// Where value v of the source is now; none if it is not made yet, or a constant that nobody has read.
  constexpr value_id at_present(value_id v) const { return moved_[static_cast<std::size_t>(v)]; }
  constexpr value_id moved(value_id v) {
    if (at_present(v) == none) copy(source().at(source().at_value(v).producer));
    return at_present(v);
  }
  constexpr void move(value_id v, value_id to) { moved_[static_cast<std::size_t>(v)] = to; }
  /// The form of v that expanded operators read instead, made once; none until somebody sets it.
  constexpr value_id& twin(value_id v) { return twins_[static_cast<std::size_t>(v)]; }

  constexpr void copy(const node& n) {
    pool<value_id> in;
    for (value_id v : source().inputs(n)) in.push_back(moved(v));
    const node_id id = add(n, in);
    for (value_id v = n.outputs.first; v < n.outputs.first + n.outputs.count; ++v)
      move(v, add_value(id, source().at_value(v)));
  }
  /// A node like `n` with other inputs and no outputs yet.
  constexpr node_id add(node n, const pool<value_id>& in) {
    for (value_id v : in) ++out_.at_value(v).readers;
    n.inputs = out_.store_operands(in);
    n.outputs = {static_cast<int>(out_.values.size()), 0};
    out_.nodes.push_back(n);
    return static_cast<int>(out_.nodes.size()) - 1;
  }
  /// The same with its outputs, if it takes these values; gives the first.
  constexpr problem try_add(const node& n, const pool<value_id>& in, value_id& first) {
    pool<extents> shapes;
    shapes.reserve(in.size());
    pool<element> element_types;
    element_types.reserve(in.size());
    for (value_id v : in) {
      shapes.push_back(made_shape(v));
      element_types.push_back(made_value(v).type);
    }
    // A node of the source makes the elements that it made there.
    pool<element> wanted;
    for (int k = 0; k < n.outputs.count; ++k) wanted.push_back(source().at_value(n.outputs.first + k).type);
    description d{{wanted.data(), wanted.size()}};
    if (const problem p = n.type->describe(made().fields_of(n.fields), inputs(shapes.data(), shapes.size()),
                                           types(element_types.data(), element_types.size()), d))
      return p;
    const node_id id = add(n, in);
    for (std::size_t i = 0; i < d.outputs.size(); ++i) {
      const value_id v = add_value(id, {n.name, d.outputs[i], none, i < d.types.size() ? d.types[i] : element{}, 0});
      if (i == 0) first = v;
    }
    return {};
  }
  /// A node of this operator, to be added.
  template <class Op>
  constexpr node as_node(const Op& op, std::string_view name) {
    node n{&type_of<Op>, name};
    n.fields = out_.store_fields_of(op);
    return n;
  }
  /// The same operator with other fields.
  constexpr node as_node(node n, const field_values& fields) {
    n.fields = out_.store_fields(fields);
    return n;
  }
  template <class Op>
  constexpr node_id add(const Op& op, std::string_view name, const pool<value_id>& in,
                        const pool<expression_id>& weights = {}) {
    node n = as_node(op, name);
    n.weights = out_.store_operands(weights);
    return add(n, in);
  }
  /// The next output of `producer`, which was added last.
  constexpr value_id add_value(node_id producer, value v) {
    v.producer = producer;
    v.readers = 0;
    out_.values.push_back(v);
    ++out_.at(producer).outputs.count;
    return static_cast<int>(out_.values.size()) - 1;
  }
  constexpr void set_weights(node_id n, const pool<expression_id>& weights) {
    out_.at(n).weights = out_.store_operands(weights);
  }
  /// The numbers of leaf e in another shape or type.
  constexpr expression_id leaf(expression_id e, const extents& shape, dtype type = dtype::f32) {
    const expression was = source().at_expression(e);
    const expression_id made = out_.add_leaf(was.layer, was.name, shape, type);
    out_.expressions[static_cast<std::size_t>(made)].numbers = was.numbers;
    return made;
  }
  /// One more output of the network, a value that is made.
  constexpr void add_output(std::string_view called, value_id made) { more_outputs_.push_back({called, made}); }
  constexpr graph finish() {
    for (network_output& o : out_.outputs) ++out_.at_value(o.value = moved(o.value)).readers;
    for (const network_output& o : more_outputs_) ir::add_output(out_, o.name, o.value);
    return static_cast<graph&&>(out_);
  }

 private:
  graph g_;
  graph_view source_;
  graph out_;
  pool<network_output> more_outputs_;
  pool<value_id> moved_, twins_;  ///< by value of the source
};

/// Expansions in order, each a walk.
template <class... Expansions>
struct expansion_list {
  static constexpr std::array<expansion_info, sizeof...(Expansions)> infos{Expansions::info...};

  /// Is there anything to expand?
  static constexpr bool concern(const graph_view& g) { return (concerns<Expansions>(g) || ...); }
  static constexpr graph apply(graph source, name_maker& names, pool<rewrite_step>& history) {
    (walk<Expansions>(source, names, history), ...);
    return source;
  }

 private:
  template <class Expansion>
  static constexpr bool concerns(const graph_view& g) {
    for (const node& n : g.nodes)
      if (Expansion::concerns(g, n)) return true;
    return false;
  }
  template <class Expansion>
  static constexpr void walk(graph& g, name_maker& names, pool<rewrite_step>& history) {
    if (!concerns<Expansion>(g.view())) return;
    expander x(static_cast<graph&&>(g), names);
    for (const node& n : x.source().nodes) {
      if (n.type == &type_of<op::constant>) continue;  // copied if somebody reads it as it is
      if (!Expansion::applies(x, n)) {
        x.copy(n);
        continue;
      }
      Expansion::expand(x, n);
      history.push_back({Expansion::info.name, n.name, n.name});
    }
    g = x.finish();
  }
};

}  // namespace ctnn::ir
