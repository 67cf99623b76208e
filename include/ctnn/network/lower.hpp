// SPDX-License-Identifier: BSL-1.0
// From a declared network to a graph. What is wrong becomes a problem with the layer's name.
#pragma once

#include "../plan/carried.hpp"
#include "layer_maker.hpp"
#include "name_table.hpp"
#include "network.hpp"

namespace ctnn::ir {

struct lowering {
  graph g;
  problem error{};
  std::string_view layer{};  ///< the layer with the error
};

namespace detail {

/// A group that is open.
struct frame_of_group {
  const layer_record* group = nullptr;
  int reads = 0;   ///< name_table's number of the first value that the group reads; the others follow it
  int count = 0;   ///< of them
  int inputs = 0;  ///< of those that have been declared
  const layer_record* result = nullptr;
  value_id instead = none;  ///< a shortcut's result
  int before = none;        ///< of a shortcut: what the layer behind it reads
};

/// Of all names that layers may have.
constexpr name_table make_name_table(span<const layer_record> layers) {
  std::size_t n = 0;
  for (const layer_record& l : layers) n += 1 + l.output_names.size();
  return name_table(n);
}

/// Between two entries: what the next one needs to know besides the graph.
struct lowering_position {
  name_table names{0};
  std::size_t at = 0;   ///< the next entry
  int previous = none;  ///< name_table's number of what a layer reads that says nothing
  pool<frame_of_group> frames;
  pool<const layer_record*> outputs;  ///< those of the network
};

/// Makes the graph, entry by entry.
class lowerer {
 public:
  constexpr lowerer(span<const layer_record> layers, lowering& result, lowering_position& position)
      : layers_(layers),
        result_(result),
        g_(result.g),
        names_(position.names),
        at_(position.at),
        previous_(position.previous),
        frames_(position.frames),
        outputs_(position.outputs),
        make_(g_) {}

  /// The entries before `end`, and after the last one the network's outputs. Ends at the first mistake.
  constexpr void run(std::size_t end) {
    if (result_.error) return;
    for (; at_ < end; ++at_)
      if (const problem p = lower(layers_[at_])) return fail(p);
    if (end == layers_.size()) add_outputs();
  }

 private:
  using frame = frame_of_group;

  constexpr void fail(const problem& p, std::string_view layer) {
    result_.error = p;
    result_.layer = layer;
  }
  constexpr void fail(const problem& p) { fail(p, failed_.empty() ? layers_[at_].name : failed_); }

  constexpr problem lower(const layer_record& l) {
    if (l.reads_twice) return {mistake::option_given_twice, "from"};
    switch (l.does) {
      case entry::plain:
        if (l.type) return add(l);
        outputs_.push_back(&l);
        return {};
      case entry::begin: return begin(l);
      case entry::end: return end(l);
      case entry::input: return name_input(l);
      case entry::result: break;
    }
    frame& f = frames_.back();
    if (f.result) return {mistake::option_given_twice, "output"};
    f.result = &l;
    return {};
  }

  /// A name that no earlier layer has: is it a later one, or none?
  constexpr problem no_such_input(std::string_view name) const {
    for (std::size_t i = at_; i < layers_.size(); ++i)
      if ((layers_[i].type || layers_[i].group != grouping::none) && layers_[i].name == name)
        return {mistake::input_declared_after_user, name};
    return {mistake::unknown_input, name};
  }
  constexpr problem read(std::string_view name, pool<value_id>& in) {
    const value_id v = names_.read(name);
    if (v == none) return no_such_input(name);
    in.push_back(v);
    return {};
  }
  constexpr problem read_previous(pool<value_id>& in) {
    if (previous_ == none) return {mistake::no_input_before};
    if (previous_ == several) return {mistake::several_outputs, layers_[at_ - 1].name};
    in.push_back(names_.read(previous_));
    return {};
  }
  constexpr problem read_all(const layer_record& l, pool<value_id>& in) {
    for (std::string_view name : l.from)
      if (const problem p = read(name, in)) return p;
    return l.reads_previous ? read_previous(in) : problem{};
  }

  constexpr problem add(const layer_record& l) {
    if (l.name.empty()) return {mistake::unnamed_layer, l.type->name};
    in_.clear();
    for (std::string_view name : l.from)
      if (const problem p = read(name, in_)) return p;
    if (l.reads_previous && l.type->max_inputs > 0)
      if (const problem p = read_previous(in_)) return p;
    return add_reading(l);
  }
  constexpr problem add_reading(const layer_record& l) {
    if (const problem p = make_.add(l, {in_.data(), in_.size()})) return p;
    const range made = g_.nodes[g_.nodes.size() - 1].outputs;
    if (const std::string_view clash = names_.insert(l.name, made.first, made.count); !clash.empty())
      return {mistake::duplicate_name, clash};
    // The next layer reads the last output.
    previous_ = made.count == 1 ? names_.last() : names_.add_nameless(made.first + made.count - 1);
    return {};
  }

  constexpr problem begin(const layer_record& l) {
    in_.clear();
    if (l.group == grouping::shortcut) {
      if (frames_.empty() || frames_.back().group->group != grouping::residual)
        return {mistake::shortcut_outside_of_residual, l.name};
      in_.push_back(names_.read(frames_.back().reads));
    } else if (l.group == grouping::iteration) {
      const frame& around = frames_.back();
      for (int i = 0; i < around.count; ++i)
        if (i > 0 || previous_ == none) in_.push_back(names_.read(around.reads + i));
        else if (const problem p = read_previous(in_)) return p;
    } else if (const problem p = read_all(l, in_)) {
      return p;
    }
    frame f{&l};
    f.reads = names_.last() + 1;
    f.count = static_cast<int>(in_.size());
    for (value_id v : in_) names_.add_nameless(v);
    if (l.group == grouping::residual && in_.size() != 1)
      return {mistake::wrong_number_of_inputs, l.name, {static_cast<int>(in_.size())}, {1, 1}};
    f.before = previous_;
    // What a repeat reads its first iteration takes.
    if (l.group == grouping::repeat) previous_ = none;
    else if (!in_.empty()) previous_ = names_.last();
    frames_.push_back(f);
    return {};
  }

  /// input<"x"> of a group: the next of what the group reads, under this name.
  constexpr problem name_input(const layer_record& l) {
    field_values fields;
    if (const problem p = l.type->configure(l.options, fields)) return p;
    const auto declared = decode<op::input>(span<const double>(fields.data(), fields.size()));
    bool says_shape = false, says_type = false;
    for (const option_record& o : l.options) {
      says_shape = says_shape || o.key == "shape";
      says_type = says_type || o.key == "type";
    }
    frame& f = frames_.back();
    if (f.inputs >= f.count) return wrong_number(f);
    const int number = f.reads + f.inputs;
    const value& v = g_.at_value(names_.at(number));
    extents shape;
    for (int d : declared.shape)
      if (shape.rank < max_rank) shape.push_back(d);
    if (says_shape && !(v.shape == shape)) return {mistake::shape_mismatch, "input", v.shape, shape};
    if ((says_shape || says_type || declared.as) && v.type != declared.made().type)
      return {mistake::element_type, "input", {static_cast<int>(v.type.type)}};
    if (const std::string_view clash = names_.rename(number, l.name); !clash.empty())
      return {mistake::duplicate_name, clash};
    if (declared.unused) names_.read(number);
    ++f.inputs;
    previous_ = number;
    return {};
  }

  /// What a group reads and what it declares; one input need not be declared.
  constexpr problem wrong_number(const frame& f) {
    int declared = 0;
    for (std::size_t i = 0; i < f.group->part_count; ++i)
      declared += f.group->parts[i].type == &type_of<op::input> ? 1 : 0;
    if (declared == 0) declared = 1;
    failed_ = f.group->name;
    return {mistake::wrong_number_of_inputs, "from", {f.count}, {declared, declared}};
  }

  constexpr problem end(const layer_record& l) {
    const frame f = frames_.back();
    if (f.inputs < f.count && (f.inputs > 0 || f.count > 1) && l.group != grouping::repeat) return wrong_number(f);
    if (const problem p = choose_result(f)) return p;
    // The layers of a residual may read its input by the name that it has outside.
    for (int number = f.reads; number < f.reads + f.count; ++number)
      if (l.group == grouping::residual ? previous_ == number : !names_.is_read(number))
        return {mistake::unused_input, names_.name(number).empty() ? l.name : names_.name(number)};
    frames_.pop_back();
    if (l.group == grouping::residual) return add_sum(l, f);
    if (previous_ != several && (l.times > 0 && !l.name.empty())) {
      in_.clear();
      if (const problem p = read_previous(in_)) return p;
      if (const std::string_view clash = names_.insert(l.name, in_[0], 1); !clash.empty())
        return {mistake::duplicate_name, clash};
      previous_ = names_.last();
    }
    if (l.group == grouping::shortcut) {
      if (previous_ == several) return {mistake::several_outputs, l.name};
      if (frames_.back().instead != none) return {mistake::option_given_twice, "shortcut"};
      frames_.back().instead = names_.read(previous_);
      previous_ = f.before;
    }
    return {};
  }
  /// What the group gives: the value that output<...> names, or else the last.
  constexpr problem choose_result(const frame& f) {
    if (!f.result) return {};
    failed_ = f.result->name;
    const auto& from = f.result->from;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const value_id v = names_.read(from[i]);
      if (v == none) return {mistake::unknown_output, from[i]};
      previous_ = names_.add_nameless(v);
      if (from[i] == f.result->output_names[i]) continue;
      if (const std::string_view clash = names_.insert(f.result->output_names[i], v, 1); !clash.empty())
        return {mistake::duplicate_name, clash};
    }
    if (from.size() > 1) previous_ = several;
    failed_ = {};
    return {};
  }
  constexpr problem add_sum(const layer_record& l, const frame& f) {
    in_.clear();
    if (const problem p = read_previous(in_)) return p;
    in_.push_back(f.instead != none ? f.instead : names_.at(f.reads));
    const extents &result = g_.at_value(in_[0]).shape, &added = g_.at_value(in_[1]).shape;
    if (!(result == added)) return {mistake::residual_of_another_shape, "input", added, result};
    return add_reading(l);
  }

  constexpr void add_outputs() {
    // An output nobody named has the name of whatever layer computes it, before and after rewriting.
    bool declared = false, any_tied = false;
    for (const layer_record* l : outputs_) {
      any_tied = any_tied || l->ties;
      if (l->keeps || l->ties) continue;
      if (declared) return fail({mistake::option_given_twice, "output"}, "network");
      declared = true;
    }
    if (!declared && previous_ == several)
      return fail({mistake::several_outputs, layers_[at_ - 1].name}, layers_[at_ - 1].name);
    if (!declared && previous_ != none) add_output(g_, {}, names_.at(previous_));
    for (const bool keeps : {false, true})
      for (const layer_record* said : outputs_) {
        const layer_record& l = *said;
        if (l.keeps != keeps || l.ties) continue;
        for (std::size_t i = 0; i < l.from.size(); ++i) {
          const value_id v = names_.read(l.from[i]);
          if (v == none) return fail({mistake::unknown_output, l.from[i]}, l.from[i]);
          bool there = false;
          for (const network_output& o : g_.outputs) {
            there = there || (keeps && o.value == v && (o.name.empty() || o.name == l.output_names[i]));
            if (!there && o.name == l.output_names[i]) return fail({mistake::duplicate_output, o.name}, o.name);
          }
          if (!there) add_output(g_, l.output_names[i], v);
        }
      }
    if (g_.nodes.empty()) return fail({mistake::no_input_before}, {});
    for (const node& n : g_.nodes)
      if (is_carried(g_.view(), n))
        if (const problem p = check_carried(n)) return fail(p, n.name);
    for (const node& n : g_.nodes)
      if (n.type == &type_of<op::input> && g_.at_value(n.outputs.first).readers == 0 &&
          !decode<op::input>(g_.view().fields_of(n.fields)).unused)
        return fail({mistake::unused_input, n.name}, n.name);
    if (any_tied) tie_weights();
  }

  /// Weights that are one are the first's leaf; that of the others is gone, for nobody gives its numbers.
  constexpr void tie_weights() {
    pool<expression_id> now;
    for (std::size_t i = 0; i < g_.expressions.size(); ++i) now.push_back(static_cast<expression_id>(i));
    const auto resolve = [&](expression_id e) {
      while (now[static_cast<std::size_t>(e)] != e) e = now[static_cast<std::size_t>(e)];
      return e;
    };
    const auto tie = [&](expression_id a, expression_id b, std::string_view name) -> problem {
      a = resolve(a);
      b = resolve(b);
      const expression &x = g_.expressions[static_cast<std::size_t>(a)],
                       &y = g_.expressions[static_cast<std::size_t>(b)];
      if (a == b) return {mistake::duplicate_weight, name};
      if (!(x.shape == y.shape)) return {mistake::weight_shape_mismatch, name, y.shape, x.shape};
      if (!(x.element == y.element))
        return {mistake::weight_type_mismatch,
                name,
                {static_cast<int>(y.element.type)},
                {static_cast<int>(x.element.type)}};
      now[static_cast<std::size_t>(b)] = a;
      return {};
    };
    for (const layer_record* l : outputs_)
      for (std::size_t i = 1; l->ties && i < l->from.size(); ++i) {
        const std::string_view names[] = {l->from[0], l->from[i]};
        if (l->ties_layers) {
          const span<const int> a = weights_of_layer(names[0]), b = weights_of_layer(names[1]);
          if (a.size() != b.size()) return fail({mistake::unknown_weight, names[1]}, "tied");
          for (std::size_t k = 0; k < a.size(); ++k)
            if (const problem p = tie(a[k], b[k], names[1])) return fail(p, names[1]);
          continue;
        }
        expression_id e[] = {weight_called(names[0]), weight_called(names[1])};
        for (const int k : {0, 1})
          if (e[k] == none) return fail({mistake::unknown_weight, names[k]}, "tied");
        if (const problem p = tie(e[0], e[1], names[1])) return fail(p, "tied");
      }
    pool<expression> left;
    left.reserve(g_.expressions.size());
    pool<expression_id> place(g_.expressions.size(), none);
    for (std::size_t i = 0; i < g_.expressions.size(); ++i) {
      if (now[i] != static_cast<expression_id>(i)) continue;
      place[i] = static_cast<int>(left.size());
      left.push_back(g_.expressions[i]);
    }
    for (const node& n : g_.nodes)
      for (int k = n.weights.first; k < n.weights.first + n.weights.count; ++k) {
        int& e = g_.operands[static_cast<std::size_t>(k)];
        e = place[static_cast<std::size_t>(resolve(e))];
      }
    g_.expressions = static_cast<pool<expression>&&>(left);
  }
  constexpr span<const int> weights_of_layer(std::string_view name) const {
    const value_id v = names_.first_of(name);
    return v == none
               ? span<const int>{}
               : g_.view().weights(g_.nodes[static_cast<std::size_t>(g_.values[static_cast<std::size_t>(v)].producer)]);
  }
  /// The leaf that was declared as "layer.slot", or none; of a constant as "constant", which is its numbers.
  constexpr expression_id weight_called(std::string_view name) const {
    if (const value_id c = names_.first_of(name); c != none)
      if (const node& n = g_.nodes[static_cast<std::size_t>(g_.values[static_cast<std::size_t>(c)].producer)];
          n.type == &type_of<op::constant> && n.name == name)
        return g_.view().weights(n)[0];
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return none;
    const value_id v = names_.first_of(name.substr(0, dot));
    if (v == none) return none;
    const node& n = g_.nodes[static_cast<std::size_t>(g_.values[static_cast<std::size_t>(v)].producer)];
    if (n.name != name.substr(0, dot)) return none;  // a block's
    for (const expression_id e : g_.view().weights(n))
      if (g_.expressions[static_cast<std::size_t>(e)].name == name.substr(dot + 1)) return e;
    return none;
  }

  /// A carried input has an output of its name, shape and type.
  constexpr problem check_carried(const node& n) {
    const value& v = g_.at_value(n.outputs.first);
    for (const network_output& o : g_.outputs) {
      if (o.name != n.name) continue;
      const value& next = g_.at_value(o.value);
      if (!(next.shape == v.shape)) return {mistake::shape_mismatch, "carried", next.shape, v.shape};
      const bool same =
          next.type.type == v.type.type && (next.type.real == v.type.real || !next.type.real || !v.type.real);
      return same ? problem{} : problem{mistake::element_type, "carried", {static_cast<int>(next.type.type)}};
    }
    return {mistake::carried_without_output, n.name};
  }

  static constexpr int several = -2;  ///< outputs, none of which is the one that is read by itself

  span<const layer_record> layers_;
  lowering& result_;
  graph& g_;
  name_table& names_;
  std::size_t& at_;
  int& previous_;
  pool<frame>& frames_;
  pool<const layer_record*>& outputs_;
  std::string_view failed_{};  ///< instead of the entry's name
  pool<value_id> in_;
  layer_maker make_;
};

}  // namespace detail

/// What the weights of a node are called and look like, in the order of graph_view::weights.
constexpr weight_slots slots_of(const graph_view& g, const node& n) {
  const pool<element> of = input_elements(g, n), made = output_elements(g, n);
  const pool<extents> in = input_shapes(g, n);
  description d{{made.data(), made.size()}};
  n.type->describe(g.fields_of(n.fields), inputs(in.data(), in.size()), types(of.data(), of.size()), d);
  return d.weights;
}
/// A weight of a node, by its place.
struct weight_place {
  node_id of = none;
  int number = 0;
};
/// Weights that are one: of each that several layers read all places, one after the other, and how many these are.
/// Types say it as tied<...>.
struct tied_places {
  pool<weight_place> all{};
  pool<std::size_t> counts{};
};
constexpr tied_places tied_places_of(const graph_view& g) {
  pool<int> readers(g.expressions.size(), 0);
  bool any = false;
  for (const node& n : g.nodes)
    for (const expression_id e : g.weights(n)) any = ++readers[static_cast<std::size_t>(e)] > 1 || any;
  tied_places tied;
  if (!any) return tied;
  for (std::size_t first = 0; first < g.nodes.size(); ++first)
    for (const expression_id e : g.weights(g.nodes[first])) {
      if (readers[static_cast<std::size_t>(e)] < 2) continue;
      readers[static_cast<std::size_t>(e)] = 0;
      const std::size_t before = tied.all.size();
      for (std::size_t i = first; i < g.nodes.size(); ++i) {
        const auto own = g.weights(g.nodes[i]);
        for (std::size_t k = 0; k < own.size(); ++k)
          if (own[k] == e) tied.all.push_back({static_cast<node_id>(i), static_cast<int>(k)});
      }
      tied.counts.push_back(tied.all.size() - before);
    }
  return tied;
}

/// A declared network's graph, from a flat list. Into an argument: GCC 12 remembers the result of a call with constant
/// arguments, heap and all, and frees it twice.
constexpr void lower(span<const layer_record> layers, lowering& result) {
  detail::lowering_position position;
  position.names = detail::make_name_table(layers);
  detail::lowerer(layers, result, position).run(layers.size());
}

}  // namespace ctnn::ir
