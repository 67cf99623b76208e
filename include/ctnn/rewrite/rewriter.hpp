// SPDX-License-Identifier: BSL-1.0
// A graph while it is rewritten: a few primitive changes that keep reader counts, the measure and the history right.
// A fused node takes the place (and the output value) of the last node of its pattern, so the order stays topological
// and no reader needs to be told; an eliminated node's value is forwarded to the value that replaces it.
#pragma once

#include "../graph/zero_channels.hpp"
#include "measure.hpp"
#include "shared_expressions.hpp"

namespace ctnn::ir {

class rewriter {
 public:
  /// The first `settled` nodes are left as they are until something about them changes.
  constexpr explicit rewriter(graph&& source, std::size_t settled = 0)
      : g_(static_cast<graph&&>(source)), settled_(static_cast<int>(settled)) {
    forward_.reserve(g_.values.size());
    for (std::size_t i = 0; i < g_.values.size(); ++i) forward_.push_back(static_cast<int>(i));
    touched_ = pool<int>(g_.values.size(), 0);
    seen_below_ = touched_;
    measure_ = measured();
    knows_zero_channels_ = has_zero_channels(g_.view());
    for (std::size_t i = 0; i < g_.nodes.size() && !any_given_; ++i) any_given_ = given(static_cast<int>(i)) != 0;
    for (std::size_t i = g_.nodes.size(); i-- > 0;) remove_if_unread(static_cast<int>(i));
    gone_.clear();
  }

  // Reading.
  constexpr graph_view view() const { return g_.view(); }
  constexpr const measure& size() const { return measure_; }
  /// The same from scratch, of the nodes that live: what size() must always be.
  constexpr measure measured() const {
    measure m;
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      const node& n = g_.nodes[i];
      if (n.dead) continue;
      count(static_cast<int>(i), 1, m);
      for (int k = 0; k < n.inputs.count; ++k) m.movable += position(input(static_cast<int>(i), k));
    }
    for (const network_output& o : g_.outputs) m.movable += position(resolve(o.value));
    return m;
  }
  constexpr const pool<rewrite_step>& history() const { return history_; }
  constexpr bool live(node_id n) const { return !at(n).dead; }
  constexpr const node& at(node_id n) const { return g_.nodes.items[n]; }
  constexpr std::string_view name(node_id n) const { return at(n).name; }
  constexpr span<const double> fields_of(node_id n) const { return fields_in(g_.nodes.items[n].fields); }
  constexpr span<const double> fields_in(range f) const {
    return {g_.fields.items + f.first, static_cast<std::size_t>(f.count)};
  }
  template <class Op>
  constexpr bool is(node_id n) const {
    return n != none && g_.nodes.items[n].type == &type_of<Op>;
  }
  template <class Op>
  constexpr Op get(node_id n) const {
    return decode<Op>(fields_of(n));
  }
  /// Whether node n is the function of one number and nothing else.
  constexpr bool applies(node_id n, function f) const {
    return is<op::activation>(n) && get<op::activation>(n).activation.kind == f;
  }
  constexpr std::size_t inputs_count(node_id n) const { return static_cast<std::size_t>(at(n).inputs.count); }
  constexpr value_id input(node_id n, int i = 0) const {
    return resolve(g_.operands.items[g_.nodes.items[n].inputs.first + i]);
  }
  constexpr expression_id weight(node_id n, int i) const {
    return g_.operands.items[g_.nodes.items[n].weights.first + i];
  }
  /// All inputs of node n.
  constexpr pool<value_id> inputs_of(node_id n) const {
    const int count = at(n).inputs.count;
    pool<value_id> in(static_cast<std::size_t>(count), none);
    for (int i = 0; i < count; ++i) in.items[i] = input(n, i);
    return in;
  }
  /// All weights of node n.
  constexpr pool<expression_id> weights_of(node_id n) const {
    const range own = at(n).weights;
    return pool<expression_id>({g_.operands.items + own.first, static_cast<std::size_t>(own.count)});
  }
  /// All inputs, but v in place of input i.
  constexpr pool<value_id> inputs_with(node_id n, int i, value_id v) const {
    pool<value_id> in = inputs_of(n);
    in[static_cast<std::size_t>(i)] = v;
    return in;
  }
  constexpr value_id output(node_id n, int i = 0) const { return g_.nodes.items[n].outputs.first + i; }
  constexpr node_id producer(value_id v) const { return g_.values.items[v].producer; }
  constexpr const extents& shape(value_id v) const { return g_.values.items[v].shape; }
  constexpr const element& type(value_id v) const { return g_.values.items[v].type; }
  /// No reference: it would be gone with the next expression that is made.
  constexpr extents shape_of(expression_id e) const { return g_.expressions.items[e].shape; }
  /// What is known of a constant's numbers.
  constexpr numbers_are known_numbers(value_id v) const {
    return is<op::constant>(producer(v)) ? known_of_weight(weight(producer(v), 0)) : numbers_are::anything;
  }
  constexpr numbers_are known_of_weight(expression_id weight) const {
    using enum numbers_are;
    const expression& e = g_.expressions.items[weight];
    if (!e.type) return e.numbers;
    const expression_id* const of = g_.operands.items + e.arguments.first;
    if (e.type == &type_of<op::reshape> || e.type == &type_of<op::permute>) return known_of_weight(of[0]);
    if (e.type == &type_of<op::full>) {
      const float all = decode<op::full>(fields_in(e.fields)).value;
      return known_of({&all, 1});
    }
    if (e.type == &type_of<op::activation>) {  // 0 - k, 1 / k
      const function f = decode<op::activation>(fields_in(e.fields)).activation.kind;
      const numbers_are k = known_of_weight(of[0]);
      return (f == function::neg && k == zeros) || (f == function::reciprocal && k == ones) ? k : anything;
    }
    if (e.type == &type_of<op::batch_norm>)  // 1 * gamma / root
      return e.arguments.count == 5 && known_of_weight(of[0]) == ones && known_of_weight(of[2]) == zeros &&
                     known_of_weight(of[3]) == zeros && are_positive(known_of_weight(of[1]))
                 ? positive
                 : anything;
    // One number for all.
    const bool times = e.type == &type_of<op::binary> && e.arguments.count == 2 &&
                       decode<op::binary>(fields_in(e.fields)).function == op::binary_function::mul;
    return times && known_of_weight(of[0]) == ones ? known_of_weight(of[1]) : anything;
  }
  /// Are all numbers of a weight the same one, whatever it is? What is made in more steps is not looked through.
  constexpr bool is_one_number(expression_id weight, int steps = 6) const {
    const expression& e = g_.expressions.items[weight];
    if (steps == 0) return false;
    if (e.shape.count() == 1 || e.type == &type_of<op::full>) return true;
    for (const operator_type* same : {&type_of<op::reshape>, &type_of<op::permute>, &type_of<op::activation>,
                                      &type_of<op::binary>, &type_of<op::scale>, &type_of<op::bias>})
      if (e.type == same) {
        for (int i = 0; i < e.arguments.count; ++i)
          if (!is_one_number(g_.operands.items[e.arguments.first + i], steps - 1)) return false;
        return true;
      }
    return false;
  }
  /// The number that all of a weight's are, where that is known.
  constexpr optional_number number_of(expression_id weight) const {
    const expression& e = g_.expressions.items[weight];
    if (e.type != &type_of<op::full>) return {};
    return decode<op::full>(fields_in(e.fields)).value;
  }
  /// Is anything known of channels of zeros?
  constexpr bool knows_zero_channels() const { return knows_zero_channels_; }
  constexpr int readers(value_id v) const { return g_.values.items[v].readers; }
  /// How many inputs of node n are v.
  constexpr int reads(node_id n, value_id v) const {
    int count = 0;
    for (int i = 0; i < at(n).inputs.count; ++i) count += input(n, i) == v;
    return count;
  }
  /// What refuse(node) says, a reason, of the first live node that reads v and is refused; else nothing.
  template <class Refuse>
  constexpr auto refused_reader(value_id v, Refuse&& refuse) const -> decltype(refuse(v)) {
    int seen = 0;
    const auto end = static_cast<node_id>(g_.nodes.size());
    for (node_id n = producer(v) + 1; n < end && seen < readers(v); ++n) {
      if (!live(n)) continue;
      for (int i = 0; i < at(n).inputs.count; ++i) {
        if (input(n, i) != v) continue;
        ++seen;
        if (const auto no = refuse(n)) return no;
      }
    }
    return {};
  }
  constexpr value_id resolve(value_id v) const {
    while (forward_.items[v] != v) v = forward_.items[v];
    return v;
  }
  /// Sweeps count from 1 and ask this of every node in order. One is worth another look if something changed, since the
  /// sweep before, that a pattern which ends there may see: what it reads, what that was made of, or itself.
  constexpr void begin_sweep() { ++sweep_; }
  constexpr bool worth_a_look(node_id n) {
    if (sweep_ == 1) return n >= settled_;
    int near = 0;
    const range in = at(n).inputs, out = at(n).outputs;
    for (int i = 0; i < in.count; ++i) {
      const value_id v = input(n, i);
      const int here = touched_.items[v] >= sweep_ - 1 ? pattern_depth : seen_below_.items[v];
      if (here > near) near = here;
    }
    for (value_id v = out.first; v < out.first + out.count; ++v)
      if (touched_.items[v] >= sweep_ - 1) near = pattern_depth;
    for (value_id v = out.first; v < out.first + out.count; ++v) seen_below_.items[v] = near > 0 ? near - 1 : 0;
    return near > 0;
  }
  /// Is the value a network output under a name somebody declared?
  constexpr bool is_output(value_id v) const {
    for (const network_output& o : g_.outputs)
      if (resolve(o.value) == v) return true;
    return false;
  }

 private:
  // Templates stand before who calls them: Clang wants them whole in constants.

  /// Not constexpr on purpose: the compiler's message names it.
  static void weight_expression_does_not_fit(std::string_view) {}
  static void node_does_not_fit(std::string_view) {}

  constexpr expression_id store(expression e, span<const expression_id> arguments) {
    if (e.type->is.copies && !arguments.empty()) {
      const element& x = g_.expressions.items[arguments[0]].element;
      bool same = is_integer(x);
      for (const expression_id a : arguments) same = same && g_.expressions.items[a].element == x;
      if (same) e.element = x;
    }
    e.arguments = g_.store_operands(arguments);
    g_.expressions.push_back(e);
    return static_cast<int>(g_.expressions.size()) - 1;
  }
  /// An operator applied to arguments that it is known to take: the result has this shape.
  template <class Op>
  constexpr expression_id made_as(const Op& op, span<const expression_id> arguments, const extents& shape) {
    return store({&type_of<Op>, {}, {}, shape, {}, g_.store_fields_of(op)}, arguments);
  }

 public:
  // Weights of the result: an operator applied to expressions (its inputs, then its weights).
  template <class Op>
  constexpr expression_id apply(const Op& op, span<const expression_id> arguments) {
    pool<extents> in;
    const std::size_t most = static_cast<std::size_t>(max_inputs<Op>());
    in.reserve(arguments.size() < most ? arguments.size() : most);
    for (std::size_t i = 0; i < arguments.size() && i < most; ++i) in.push_back(shape_of(arguments[i]));
    // Operators with a choice of inputs and weights besides are applied with their fewest inputs.
    if (in.size() > static_cast<std::size_t>(min_inputs<Op>()) && !ir::weights_of(op, in).empty())
      in.shrink(static_cast<std::size_t>(min_inputs<Op>()));
    extents result;
    if (op.infer(in, outputs(&result, 1))) weight_expression_does_not_fit(Op::name);
    return made_as(op, arguments, result);
  }
  /// The operator of node n, applied to expressions in place of its inputs and weights.
  constexpr expression_id apply_node(node_id n, span<const expression_id> arguments) {
    return store({at(n).type, {}, {}, shape(output(n)), {}, at(n).fields}, arguments);
  }
  constexpr expression_id filled(const extents& shape, float value) {
    return made_as(op::full{as_list(shape), value}, {}, shape);
  }
  constexpr expression_id reshaped(expression_id e, const extents& shape) {
    if (shape_of(e) == shape) return e;
    if (shape_of(e).count() != shape.count()) weight_expression_does_not_fit(op::reshape::name);
    return made_as(op::reshape{as_list(shape)}, {&e, 1}, shape);
  }

  /// Asked of every node, and most have none: no view is made.
  constexpr slot_set given(node_id n) const {
    const node& at = g_.nodes.items[n];
    if (!at.type->takes_given) return 0;
    return static_cast<slot_set>(g_.fields.items[at.fields.first + at.fields.count - 1]);
  }
  /// Is the rule that is looked at about floats, so that no operator that computes with bytes is meant?
  constexpr bool is_for_floats() const { return for_floats_; }
  constexpr void be_for_floats(bool yes) { for_floats_ = yes; }
  /// The same of linear layers by a packed weight.
  constexpr bool is_for_own_weights() const { return for_own_weights_; }
  constexpr void be_for_own_weights(bool yes) { for_own_weights_ = yes; }
  constexpr bool has_packed_weight(node_id n) const {
    return is<op::linear>(n) && at(n).weights.count > 0 && is_byte(g_.expressions.items[weight(n, 0)].element) &&
           !reads_bytes(n);
  }
  constexpr bool reads_bytes(node_id n) const { return g_.nodes.items[n].inputs.count > 0 && is_byte(type(input(n))); }
  /// Has node n, or what makes one of its inputs, weights that are inputs?
  constexpr bool reads_given(node_id n) const {
    if (!any_given_) return false;
    if (given(n) != 0) return true;
    const int inputs = at(n).inputs.count;
    for (int i = 0; i < inputs; ++i)
      if (given(producer(input(n, i))) != 0) return true;
    return false;
  }

  // Changing.
  /// Input i of node n, a weight that a constant gives, is one of the node's own weights now.
  constexpr void bind_weight(node_id n, int slot, int i) {
    const node& now = at(n);
    const slot_set given_before = given(n);
    const value_id v = input(n, i);
    pool<value_id> in;
    for (int k = 0; k < now.inputs.count; ++k)
      if (k != i) in.push_back(input(n, k));
    pool<expression_id> weights;
    for (int k = 0, own = 0; own < now.weights.count || k <= slot; ++k) {
      if (k == slot) weights.push_back(weight(producer(v), 0));
      else if ((given_before >> k & 1u) == 0) weights.push_back(weight(n, own++));
    }
    pool<double> fields(fields_of(n));
    fields[fields.size() - 1] = static_cast<double>(given_before & ~(slot_set{1} << slot));
    note(name(producer(v)), name(n));
    place(n, now.type, g_.store_fields(fields), now.name, in, weights);
  }
  /// Node n becomes the operator with these inputs and weights; its output values stay. Whoever n read and nobody
  /// else reads is gone.
  template <class Op>
  constexpr void become(node_id n, const Op& op, std::string_view name, span<const value_id> in,
                        span<const expression_id> weights) {
    any_given_ = any_given_ || given_slots(op) != 0;
    place(n, &type_of<Op>, g_.store_fields_of(op), name, in, weights);
  }
  /// The same with a result of another shape, which is a new value and has no name: its readers are told next.
  template <class Op>
  constexpr void become(node_id n, const Op& op, std::string_view name, span<const value_id> in,
                        span<const expression_id> weights, const extents& shape) {
    become(n, op, name, in, weights);
    reshape(n, shape);
    g_.at_value(output(n)).name = {};
  }
  /// The same of a node with one output, which makes `more` values besides, made by others before it so far.
  template <class Op>
  constexpr void become_all(node_id n, const Op& op, span<const value_id> in, span<const value_id> more) {
    become(n, op, name(n), in, {});
    pool<value_id> were(1, output(n));
    were.append(more.data(), more.size());
    const value_id first = make_anew(n, were);
    for (std::size_t i = 0; i < were.size(); ++i) {
      const node_id maker = producer(were[i]);
      forward(were[i], first + static_cast<value_id>(i));
      if (maker != n) remove_if_unread(maker);
    }
  }
  /// Node n computes the same of other inputs.
  constexpr void read_instead(node_id n, span<const value_id> in) {
    place(n, at(n).type, at(n).fields, name(n), in, weights_of(n));
  }
  /// `first` and `second`, which reads it, are one operator now, with first's name.
  template <class Op>
  constexpr void fuse(node_id first, node_id second, const Op& op, span<const value_id> in,
                      span<const expression_id> weights) {
    const std::string_view kept = name(first);
    note(name(second), kept);
    become(second, op, kept, in, weights);
  }
  /// The same where `first` stays the operator it is and reads `in`.
  constexpr void fuse(node_id first, node_id second, span<const value_id> in) {
    const node kept = at(first);
    note(name(second), kept.name);
    place(second, kept.type, kept.fields, kept.name, in, weights_of(first));
  }
  /// `first`, which `second` alone reads, computes what `second` does, of `in`, and `second` moves the result: they
  /// change places. The value between them, of `shape`, is a new one and has no name.
  constexpr void exchange(node_id first, node_id second, span<const value_id> in, const extents& shape) {
    const node moves = at(first), computes = at(second);
    const pool<expression_id> weights = weights_of(second), moves_by = weights_of(first);
    const value_id between = output(first);
    note(moves.name, computes.name);
    place(first, computes.type, computes.fields, computes.name, in, weights);
    reshape(first, shape);
    g_.at_value(between).type = type(output(second));
    g_.at_value(between).name = {};
    place(second, moves.type, moves.fields, moves.name, {&between, 1}, moves_by);
  }
  /// The same with other numbers: `function` for what `second` computes, `move` for how `first` moves it.
  template <class Function, class Move>
  constexpr void exchange(node_id first, node_id second, const Function& function, span<const value_id> in,
                          const extents& shape, const Move& move) {
    recode(first, move);
    recode(second, function);
    exchange(first, second, in, shape);
  }
  /// The same where `second` reads the constant `k` as well, and nobody else does: it is `weight` from now on. If it
  /// stands between the two, the three move on by one place, so that the order stays topological.
  constexpr void exchange(node_id first, node_id k, node_id second, expression_id weight, const extents& shape) {
    const value_id x = input(first), moved = output(first), held = output(k);
    auto constant = get<op::constant>(k);
    constant.shape = as_list(shape_of(weight));
    pool<value_id> in;
    for (const value_id v : inputs_of(second)) in.push_back(v == moved ? x : v == held && k > first ? moved : v);
    if (k < first) {
      become(k, constant, name(k), {}, {&weight, 1}, shape_of(weight));
      return exchange(first, second, in, shape);
    }
    const node moves = at(first), computes = at(second);
    const std::string_view constant_name = name(k);
    note(moves.name, computes.name);
    place(k, computes.type, computes.fields, computes.name, in, {});
    become(first, constant, constant_name, {}, {&weight, 1}, shape_of(weight));
    g_.at_value(moved).type = type(held);
    reshape(k, shape);
    g_.at_value(held).type = type(output(second));
    g_.at_value(held).name = {};
    place(second, moves.type, moves.fields, moves.name, {&held, 1}, {});
  }
  /// Of node n's outputs this one alone is left; nobody reads another.
  constexpr void keep_output(node_id n, int i) { make(n, {output(n, i), 1}); }
  /// Node n is the same operator with other numbers.
  template <class Op>
  constexpr void recode(node_id n, const Op& op) {
    any_given_ = any_given_ || given_slots(op) != 0;
    g_.at(n).fields = g_.store_fields_of(op);
  }
  /// Node n is the same operator with these fields.
  constexpr void recode(node_id n, const field_values& fields) { g_.at(n).fields = g_.store_fields(fields); }
  /// Node n computes with other weights.
  constexpr void reweigh(node_id n, span<const expression_id> weights) {
    place(n, at(n).type, at(n).fields, name(n), inputs_of(n), weights);
  }
  /// Could node n read inputs of these elements instead of its own, and make a result of this one?
  constexpr bool fits(node_id n, span<const element> of, const element& made) const {
    const pool<extents> in = input_shapes(view(), at(n));
    description d{{&made, 1}};
    return !at(n).type->describe(fields_of(n), inputs(in.data(), in.size()), {of.data(), of.size()}, d) &&
           d.types.size() == 1 && d.types[0] == made;
  }
  /// What node n makes has the shapes that it infers now, and nobody's name stands for it.
  constexpr void resize(node_id n) {
    pool<extents> in;
    pool<element> of;
    for (const value_id v : inputs_of(n)) {
      in.push_back(shape(v));
      of.push_back(type(v));
    }
    const pool<element> made = output_elements(view(), at(n));
    description d{{made.data(), made.size()}};
    if (at(n).type->describe(fields_of(n), inputs(in.data(), in.size()), {of.data(), of.size()}, d))
      node_does_not_fit(name(n));
    count(n, -1, measure_);
    for (int k = 0; k < at(n).outputs.count; ++k) {
      g_.at_value(output(n, k)).shape = d.outputs[static_cast<std::size_t>(k)];
      renumber(output(n, k));
    }
    count(n, 1, measure_);
  }
  /// Value v has another element, and nobody's name stands for it.
  constexpr void retype(value_id v, const element& type) {
    g_.at_value(v).type = type;
    g_.at_value(v).name = {};
    touched_[static_cast<std::size_t>(v)] = sweep_;
  }
  /// Value v has other numbers, and nobody's name stands for them.
  constexpr void renumber(value_id v) { retype(v, element(type(v))); }
  /// Readers of n's only output read v instead; n is gone.
  constexpr void bypass(node_id n, value_id v) { bypass(n, v, name(producer(v))); }
  /// The same where the layer called `does_it` does n's work.
  constexpr void bypass(node_id n, value_id v, std::string_view does_it) {
    note(name(n), does_it);
    forward(output(n), v);
    remove_if_unread(n);
  }
  /// The same of all outputs of n, one of `these` values each.
  constexpr void bypass(node_id n, span<const value_id> these, std::string_view does_it) {
    note(name(n), does_it);
    for (std::size_t i = 0; i < these.size(); ++i) forward(output(n, static_cast<int>(i)), these[i]);
    remove_if_unread(n);
  }
  /// The same of all outputs of n, which computes what `twin` does.
  constexpr void merge(node_id n, node_id twin) {
    note(name(n), name(twin));
    for (int i = 0; i < at(n).outputs.count; ++i) forward(output(n, i), output(twin, i));
    remove_if_unread(n);
  }
  /// Node n, whose inputs are made before `place`, stands right behind that; those between move on by one place.
  constexpr void move_behind(node_id place, node_id n) {
    if (n == place + 1) return;
    const node moved = at(n);
    for (node_id i = n; i > place; --i) {
      const node next = i == place + 1 ? moved : at(i - 1);
      g_.at(i) = next;
      for (value_id v = next.outputs.first; v < next.outputs.first + next.outputs.count; ++v)
        g_.at_value(v).producer = i;
    }
    measure_ = measured();
  }
  /// Layers of one input, `these`, are one layer with their outputs one after the other, in the place of the first, and
  /// `parts`, in the place of the second, which cuts its result, of `shape`, into theirs. Nobody may read the first
  /// before the second.
  template <class Layer, class Split>
  constexpr void join(span<const node_id> these, const Layer& layer, span<const expression_id> weights,
                      const extents& shape, const Split& parts) {
    const node_id first = these[0];
    const pool<value_id> were = outputs_of(these);
    const value_id x = input(first), whole = add_value({{}, shape, first, type(output(first))});
    for (const node_id n : these)
      if (n != first) note(name(n), name(first));
    become(first, layer, name(first), {&x, 1}, weights);
    make(first, {whole, 1});
    make_parts(these, were, these[1], whole, parts);
  }
  /// Nodes that cut a part each out of one value, `these`, are one node that cuts it into `parts`, in the place of the
  /// earliest.
  template <class Split>
  constexpr void cut_at_once(span<const node_id> these, const Split& parts) {
    node_id earliest = these[0];
    for (const node_id n : these)
      if (n < earliest) earliest = n;
    for (const node_id n : these)
      if (n != earliest) note(name(n), name(earliest));
    make_parts(these, outputs_of(these), earliest, input(earliest), parts);
  }
  /// Weights that have become the same are one.
  constexpr void share_expressions() { share_equal_expressions(g_); }
  /// Remembers what happened to a layer; the driver fills in the rule.
  constexpr void note(std::string_view consumed, std::string_view into) {
    history_.push_back({{}, consumed, into, 0, 0});
  }
  /// Nodes that went with the steps since `from` because nobody reads them any more are part of what the last made.
  constexpr void note_unread(std::size_t from) {
    const std::size_t end = history_.size();
    for (const std::string_view name : gone_) {
      bool said = end == from;
      for (std::size_t k = from; k < history_.size(); ++k)
        said = said || history_[k].consumed == name || history_[k].into == name;
      if (!said) note(name, history_[end - 1].into);
    }
    gone_.clear();
  }
  /// Why the last of these was done.
  constexpr void chosen_by_cost(double now, double then) {
    history_.back().now = now;
    history_.back().then = then;
  }
  constexpr void name_last_steps(std::size_t from, std::string_view rule) {
    for (; from < history_.size(); ++from) history_[from].rule = rule;
  }

  /// The graph without what is gone, inputs and outputs resolved; expressions keep their numbers. Ends the rewriting.
  constexpr graph finish() {
    graph out;
    pool<value_id> moved(g_.values.size(), none);
    out.nodes.reserve(g_.nodes.size());
    out.values.reserve(g_.values.size());
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      node n = g_.nodes[i];
      if (n.dead) continue;
      for (int k = n.inputs.first; k < n.inputs.first + n.inputs.count; ++k) {
        int& v = g_.operands[static_cast<std::size_t>(k)];
        v = moved[static_cast<std::size_t>(resolve(v))];
      }
      const int first = static_cast<int>(out.values.size());
      for (int k = 0; k < n.outputs.count; ++k) {
        value v = g_.values[static_cast<std::size_t>(n.outputs.first + k)];
        moved[static_cast<std::size_t>(n.outputs.first + k)] = first + k;
        v.producer = static_cast<int>(out.nodes.size());
        out.values.push_back(v);
      }
      n.outputs.first = first;
      out.nodes.push_back(n);
    }
    for (const network_output& o : g_.outputs)
      out.outputs.push_back({o.name, moved[static_cast<std::size_t>(resolve(o.value))]});
    out.operands = static_cast<pool<int>&&>(g_.operands);
    out.fields = static_cast<pool<double>&&>(g_.fields);
    out.expressions = static_cast<pool<expression>&&>(g_.expressions);
    return out;
  }

 private:
  static constexpr int pattern_depth = 4;  ///< operators from the last of a pattern to the first

  /// The first output of each of these nodes.
  constexpr pool<value_id> outputs_of(span<const node_id> these) const {
    pool<value_id> all;
    for (const node_id n : these) all.push_back(output(n));
    return all;
  }
  /// Node `at` cuts `whole` into the values that were `these` nodes' own.
  template <class Split>
  constexpr void make_parts(span<const node_id> these, const pool<value_id>& were, node_id at, value_id whole,
                            const Split& parts) {
    become(at, parts, name(at), {&whole, 1}, {});
    const value_id part = make_anew(at, were);
    for (std::size_t i = 0; i < these.size(); ++i) forward(were[i], part + static_cast<int>(i));
    for (const node_id n : these) remove_if_unread(n);
  }

  constexpr value_id add_value(const value& v) {
    g_.values.push_back(v);
    forward_.push_back(static_cast<value_id>(forward_.size()));
    touched_.push_back(sweep_);
    seen_below_.push_back(0);
    return static_cast<value_id>(forward_.size()) - 1;
  }
  constexpr void place(node_id n, const operator_type* type, range fields, std::string_view name,
                       span<const value_id> in, span<const expression_id> weights) {
    const pool<value_id> old_inputs = inputs_of(n);
    for (value_id v : in) {
      ++g_.at_value(v).readers;
      measure_.movable += position(v);
    }
    weigh(n, -1);
    node& now = g_.at(n);
    now.type = type;
    now.name = name;
    now.inputs = g_.store_operands(in);
    now.weights = g_.store_operands(weights);
    now.fields = fields;
    weigh(n, 1);
    // Its readers see another operator.
    touch_outputs(n);
    for (value_id v : old_inputs) {
      measure_.movable -= position(v);
      release(v);
    }
  }
  /// The first output of node n has this shape.
  constexpr void reshape(node_id n, const extents& shape) {
    count(n, -1, measure_);
    g_.at_value(output(n)).shape = shape;
    count(n, 1, measure_);
  }
  /// Node n makes values like these in a row, of which the first is returned; who reads the old ones is told next.
  constexpr value_id make_anew(node_id n, const pool<value_id>& were) {
    const auto first = static_cast<value_id>(g_.values.size());
    for (const value_id old : were) {
      value v = g_.at_value(old);
      v.producer = n;
      v.readers = 0;
      add_value(v);
    }
    make(n, {first, static_cast<int>(were.size())});
    return first;
  }
  /// Node n makes these values; who reads others is told next.
  constexpr void make(node_id n, range outputs) {
    count(n, -1, measure_);
    g_.at(n).outputs = outputs;
    count(n, 1, measure_);
  }
  /// What a reader of value v adds to the measure. (Known at once, unlike the length of a chain, which changes for
  /// everything further down.)
  constexpr std::int64_t position(value_id v) const {
    const node_id n = producer(v);
    return is_movable(at(n).type) ? n + 1 : 0;
  }
  constexpr void touch_outputs(node_id n) {
    const range out = at(n).outputs;
    for (value_id v = out.first; v < out.first + out.count; ++v) touched_.items[v] = sweep_;
  }
  constexpr int own_tier(node_id id) const {
    const node& n = at(id);
    return n.type->own_tier ? n.type->own_tier(fields_in(n.fields)) : 0;
  }
  constexpr void count(node_id id, int sign, measure& m) const {
    const node& n = at(id);
    for (int i = 0; i < n.weights.count; ++i) m.weights += sign * g_.expressions.items[weight(id, i)].shape.count();
    if (counts_as_node(n.type)) m.nodes += sign;
    if (n.weights.count > 0 && counts_as_node(n.type))
      for (int k = 0; k < n.outputs.count; ++k) m.results += sign * shape(output(id, k)).count();
    if (is_liftable(n)) m.position += sign * (id + 1);
    m.tier += sign * (n.type->tier + own_tier(id));
  }
  /// Adds node n, and what its readers add because of it, to the measure, or takes it out.
  constexpr void weigh(node_id n, int sign) {
    count(n, sign, measure_);
    if (!is_movable(at(n).type)) return;
    const range out = at(n).outputs;
    for (value_id v = out.first; v < out.first + out.count; ++v) measure_.movable += sign * readers(v) * position(v);
  }
  /// Whoever reads `out` reads v.
  constexpr void forward(value_id out, value_id v) {
    measure_.movable += readers(out) * (position(v) - position(out));
    g_.at_value(v).readers += g_.at_value(out).readers;
    g_.at_value(out).readers = 0;
    touched_[static_cast<std::size_t>(v)] = sweep_;
    forward_[static_cast<std::size_t>(out)] = v;
  }
  constexpr void release(value_id v) {
    --g_.at_value(v).readers;
    touched_[static_cast<std::size_t>(v)] = sweep_;
    remove_if_unread(producer(v));
  }
  /// Lives, though nobody reads what it makes; inputs are there for their own sake.
  constexpr bool is_unread(node_id n) const {
    const node& at = g_.nodes.items[n];
    if (at.dead || at.type == &type_of<op::input>) return false;
    for (value_id v = at.outputs.first; v < at.outputs.first + at.outputs.count; ++v)
      if (g_.values.items[v].readers > 0) return false;
    return true;
  }
  constexpr void remove_if_unread(node_id first) {
    if (!is_unread(first)) return;
    pool<node_id> doomed(1, first);
    while (!doomed.empty()) {
      const node_id n = doomed.back();
      doomed.pop_back();
      if (!is_unread(n)) continue;
      g_.at(n).dead = true;
      gone_.push_back(at(n).name);
      count(n, -1, measure_);
      for (int i = 0; i < at(n).inputs.count; ++i) {
        const value_id v = input(n, i);
        measure_.movable -= position(v);
        --g_.at_value(v).readers;
        touched_[static_cast<std::size_t>(v)] = sweep_;
        doomed.push_back(producer(v));
      }
    }
  }

  graph g_;
  pool<value_id> forward_;
  pool<rewrite_step> history_;
  pool<std::string_view> gone_;  ///< nodes that nobody reads since the last step, by name
  pool<int> touched_;  ///< by value: the sweep in which it last lost or gained a reader
  pool<int> seen_below_;  ///< by value: how many operators further down a change above it is seen
  int sweep_ = 0;
  node_id settled_;
  bool knows_zero_channels_ = false;
  bool for_floats_ = false, for_own_weights_ = false;
  bool any_given_ = false;  ///< may a node have weights that are inputs?
  measure measure_;
};

}  // namespace ctnn::ir
