// SPDX-License-Identifier: BSL-1.0
// The model under construction. A term is a value of the file: numbers that are known already, or a value of the graph.
// Operators on known numbers are computed at once, by the same kernels, so arithmetic on shapes leaves no trace.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "../../base/describe.hpp"
#include "../../base/saturated.hpp"
#include "../../graph/elements.hpp"
#include "../import.hpp"
#include "build.hpp"
#include "computation.hpp"

namespace ctnn::onnx {

using term = int;

/// What an input of a function stands for whose call leaves it out.
inline constexpr term left_out = -2;

struct term_record {
  shared_array known{};
  value_id id = none;
  extents shape{};
  element type{};
  std::string name{};
  onnx::form form = onnx::form::numbers;
  std::shared_ptr<const std::vector<term>> parts{};  ///< of a sequence
};

class importer : public model_builder {
 public:
  importer(const model_message& file, const read_options& options, const arrays_by_name& fed)
      : file(file), options(options), limits(options.limits), divides(options.in_parts), fed_(fed) {}

  const model_message& file;
  const read_options& options;
  budget limits;
  bool divides;  ///< a node that asks for numbers may be what parts the network

  [[noreturn]] void fail(const std::string& what) const { throw error(file.source + ": " + what); }

  void check_opset(std::int64_t version) const {
    if (version < 1 || version > last_opset)
      fail("operator set " + std::to_string(version) + " is unknown, 1 to " + std::to_string(last_opset) +
           " are known");
  }

  /// Of nodes that draw random numbers, by node and call: in a loop each turn draws the numbers that follow.
  std::map<std::pair<const node_message*, std::string>, std::minstd_rand0> random_engines;

  // Names. Graphs inside graphs see the names of those around them; the nodes of a function see none of its caller's.

  using scope = std::unordered_map<std::string, term>;
  std::vector<scope> scopes{1};
  std::size_t visible_from = 0;  ///< the scope of the innermost function

  void define(const std::string& name, term t) {
    if (const auto s = file.stated.find(name); s != file.stated.end()) t = as_stated(t, s->second.quantized);
    if (!scopes.back().emplace(name, t).second) fail("value '" + name + "' is made twice");
  }
  const term* find(const std::string& name) const {
    for (std::size_t s = scopes.size(); s-- > visible_from;)
      if (const auto at = scopes[s].find(name); at != scopes[s].end()) return &at->second;
    return nullptr;
  }

  // Terms.

  const term_record& at(term t) const { return terms_[static_cast<std::size_t>(t)]; }
  term add_known(shared_array numbers, std::string name = {}) {
    const extents shape = numbers->shape();
    const dtype type = numbers->type();
    return add_term({std::move(numbers), none, shape, type, std::move(name)});
  }
  term add_value(value_id v) {
    const value& made = model.network.at_value(v);
    return add_term({nullptr, v, made.shape, made.type});
  }
  /// The same numbers in another form.
  term as(term t, form f) {
    if (f == at(t).form) return t;
    term_record r = at(t);
    r.form = f;
    return add_term(std::move(r));
  }
  term add_sequence(std::vector<term> parts) {
    take_parts(parts.size());
    return add_term({.form = form::sequence, .parts = std::make_shared<const std::vector<term>>(std::move(parts))});
  }
  /// Loops may make sequences longer and longer, and join them at each turn: all their parts together are counted.
  void take_parts(std::size_t count) {
    constexpr std::size_t a_node = 100;
    parts_ += count;
    if (parts_ / a_node > limits.layers)
      fail("its sequences have more than " + std::to_string(limits.layers) + " times " + std::to_string(a_node) +
           " parts");
  }
  term add_nothing() { return add_term({.form = form::nothing}); }
  /// What names a state.
  term add_variable(std::string name) { return add_term({.name = std::move(name), .form = form::variable}); }
  /// The graph's value for a term; numbers become a constant node.
  value_id materialize(term t) {
    term_record& r = terms_[static_cast<std::size_t>(t)];
    if (r.id != none) return r.id;
    require_numbers(r);
    op::constant op;
    op.shape = as_list(r.shape);
    op.type = r.type;
    if (const problem p =
            add_node(model.network, op, fresh_name(r.name.empty() ? "constant" : r.name), {}, {}, {&r.type, 1}))
      fail(describe(p));
    r.id = model.network.nodes.back().outputs.first;
    model.set_weight(weight_of(r.id, 0), r.known);
    return r.id;
  }
  void add_input(const std::string& name, const extents& shape, dtype type, bool optional) {
    const std::string_view kept = model.keep(name);
    model.inputs.push_back({kept, shape, type, nullptr, optional, false});
    check_size(shape, "input '" + name + "'");
    if (shape.count() == 0) return define(name, add_known(std::make_shared<const array>(shape, type), name));
    op::input op;
    op.shape = as_list(shape);
    op.type = type;
    if (const problem p = add_node(model.network, op, fresh_name(name), {}))
      fail("input '" + name + "': " + describe(p));
    const value_id v = model.network.nodes.back().outputs.first;
    model.network.at_value(v).name = kept;
    define(name, add_value(v));
  }

  // What the network carries from run to run, by the file's names for it.

  struct carried_value {
    term now;
    std::string_view input{};  ///< none if every run gives it a value before anything reads it
    extents shape{};
    dtype type = dtype::f32;
  };
  std::map<std::string, carried_value> states;
  std::map<std::string, shared_array> beginnings;  ///< of states, where the file gives them numbers
  bool is_beginning = false;                       ///< what is read now runs once, before the first run

  /// What a state holds at this point of a run. The first one finds its beginning, or zeros: `as` says which number
  /// stands for them.
  term state(const std::string& name, const extents& shape, dtype type, const ir::quantization& as = {}) {
    if (const auto known = states.find(name); known != states.end()) return known->second.now;
    const auto given = beginnings.find(name);
    const shared_array begins = given == beginnings.end() ? nullptr : given->second;
    if (begins && !(begins->shape() == shape && begins->type() == type))
      fail("state '" + name + "' is " + describe(shape) + " of " + std::string(name_of(type)) + ", and begins with " +
           describe(begins->shape()) + " of " + std::string(name_of(begins->type())));
    bool from_zero = true;
    for (std::size_t i = 0; begins && i < begins->size(); ++i)
      from_zero = from_zero && number_at(*begins, i) == as.zero;
    const bool stands_for_reals = from_zero && ir::is_integer(type) && size_of(type) <= 2;
    const term carried = add_carried(name, shape, type, stands_for_reals ? as : ir::quantization{});
    const std::string_view input = model.network.at_value(at(carried).id).name;
    const term now =
        from_zero ? carried
                  : add(op::where{}, {has_begun(), carried, add_known(begins)}, std::string(input) + "_where")[0];
    states[name] = {now, input, shape, type};
    return now;
  }
  /// What it holds from now on.
  void set_state(const std::string& name, term t) {
    carried_value& s = states.try_emplace(name, carried_value{t, {}, at(t).shape, at(t).type}).first->second;
    if (!(at(t).shape == s.shape) || at(t).type != s.type)
      fail("state '" + name + "' is " + describe(s.shape) + " of " + std::string(name_of(s.type)) + ", and becomes " +
           describe(at(t).shape) + " of " + std::string(name_of(at(t).type)));
    s.now = t;
  }
  /// Names of carried inputs, and what they are in the next run.
  std::vector<std::pair<std::string_view, term>> carried() {
    std::vector<std::pair<std::string_view, term>> all;
    for (const auto& [name, s] : states)
      if (!s.input.empty()) all.emplace_back(s.input, s.now);
    if (has_begun_ != none)
      all.emplace_back(model.network.at_value(at(has_begun_).id).name, add_known(filled({}, dtype::boolean, 1)));
    return all;
  }

  void check_size(const extents& shape, const std::string& what) const {
    if (!within(shape, limits.value_elements))
      fail(what + " of " + describe(shape) + " is above the limit of " + std::to_string(limits.value_elements) +
           " elements (budget::value_elements, --memory)");
  }

  /// Asks the budget for known numbers.
  void take_memory(const extents& shape, dtype type, std::string_view name) {
    check_size(shape, "the output of node '" + std::string(name) + "'");
    const auto bytes = static_cast<std::uint64_t>(shape.count()) * static_cast<std::uint64_t>(size_of(type));
    if (!limits.take(bytes))
      fail("node '" + std::string(name) + "': " + describe(shape) + " of " + std::string(name_of(type)) + ' ' +
           over_memory(bytes, limits));
  }
  std::shared_ptr<array> allocate(const extents& shape, dtype type, std::string_view name) {
    take_memory(shape, type, name);
    return std::make_shared<array>(shape, type);
  }
  /// The numbers of a tensor of the file, read at most once, also where a loop comes to them many times.
  shared_array numbers_in(const tensor& t) {
    if (!t.values || !t.values->source()) return t.values;
    shared_array& numbers = read_[&t];
    if (!numbers) numbers = numbers_of(t);
    return numbers;
  }
  /// Adds a node, or computes it at once if all its inputs are known. `weights` are for the operator's slots, `wanted`
  /// are elements of outputs where the operator leaves a choice.
  template <class Op>
  std::vector<term> add(const Op& op, const std::vector<term>& in, const std::string& name,
                        const std::vector<shared_array>& weights = {}, types wanted = {}) {
    const field_values f = encode(op);
    // Formats without scales of values compute with integers as they are.
    if constexpr (std::is_same_v<Op, op::activation> || std::is_same_v<Op, op::binary>)
      if (wanted.empty() && !chooses_alike(op, in)) {
        std::vector<term> integers;
        for (const term t : in) integers.push_back(as_integers(t));
        return add(type_of<Op>, {f.data(), f.size()}, integers, name, weights, wanted);
      }
    return add(type_of<Op>, {f.data(), f.size()}, in, name, weights, wanted);
  }
  /// Is it the larger or smaller of integers that stand for numbers alike?
  template <class Op>
  bool chooses_alike(const Op& op, const std::vector<term>& in) {
    if constexpr (std::is_same_v<Op, op::binary>)
      return in.size() == 2 && same_numbers(at(in[0]).type, at(in[1]).type) &&
             (op.function == op::binary_function::maximum || op.function == op::binary_function::minimum);
    return false;
  }
  std::vector<term> add(const operator_type& type, std::span<const double> fields, const std::vector<term>& in,
                        const std::string& name, const std::vector<shared_array>& weights, types wanted) {
    std::vector<extents> shapes;
    std::vector<ir::element> element_types;
    bool all_known = true;
    for (term t : in) {
      shapes.push_back(at(t).shape);
      element_types.push_back(at(t).type);
      all_known = all_known && at(t).known;
    }
    description d{wanted};
    if (const problem p = type.describe(fields, shapes, element_types, d)) throw_problem(name, p);
    std::vector<element> made_types(d.outputs.size());
    std::copy(d.types.begin(), d.types.end(), made_types.begin());
    check_weights(d.weights, weights, name);
    bool empty = true;
    for (std::size_t i = 0; i < d.outputs.size(); ++i) {
      check_size(d.outputs[i], "the output of node '" + name + "'");
      empty = empty && d.outputs[i].count() == 0;
    }
    if (empty || (all_known && can_evaluate(type, element_types, made_types))) {
      std::vector<shared_array> out;
      if (!empty) {
        const std::uint64_t steps = charge(type, fields, shapes, element_types, d.outputs, name);
        computation made{&type, {fields.begin(), fields.end()}, {}, weights, element_types, {}, steps};
        for (term t : in) made.in.push_back(at(t).known);
        for (std::size_t i = 0; i < d.outputs.size(); ++i) {
          made.out.emplace_back(d.outputs[i], made_types[i]);
          take_memory(made.out.back().first, made.out.back().second, name);
        }
        out = results_of(std::move(made), *file.computed);
      } else {
        for (std::size_t i = 0; i < d.outputs.size(); ++i) out.push_back(allocate(d.outputs[i], made_types[i], name));
      }
      std::vector<term> results;
      for (std::size_t i = 0; i < out.size(); ++i) {
        results.push_back(add_known(std::move(out[i]), name));
        terms_.back().type = made_types[i];
      }
      return results;
    }
    std::vector<value_id> ids;
    for (term t : in) ids.push_back(materialize(t));
    if (const problem p = add_node(model.network, type, fresh_name(name), ids, fields, {}, wanted))
      throw_problem(name, p);
    const node& made = model.network.nodes.back();
    for (std::size_t i = 0; i < weights.size(); ++i) model.set_weight(weight_of(made.outputs.first, i), weights[i]);
    std::vector<term> results;
    const range out = made.outputs;
    for (int i = 0; i < out.count; ++i) {
      model.network.at_value(out.first + i).name = {};
      results.push_back(add_value(out.first + i));
    }
    return results;
  }

  /// The integers of a term, which stand for themselves.
  term as_integers(term t) {
    if (!at(t).type.real) return t;
    const value_id v = materialize(t);
    const node& maker = model.network.nodes[static_cast<std::size_t>(model.network.at_value(v).producer)];
    return add(op::storage_cast{}, {t}, std::string(maker.name) + "_storage_cast")[0];
  }
  /// The integers of a term as what they stand for; a value that stands for others, or has been read, is cast.
  term stands_for(term t, const ir::quantization& q) {
    const element as(at(t).type, q, at(t).type.rounded);
    if (at(t).type == as) return t;
    if (at(t).known && at(t).id == none) {
      term_record r = at(t);
      r.type = as;
      return add_term(std::move(r));
    }
    const value_id v = materialize(t);
    const node& maker = model.network.nodes[static_cast<std::size_t>(model.network.at_value(v).producer)];
    if (model.network.at_value(v).readers == 0 && !at(t).type.real) {
      say_element(model.network, v, q);
      terms_[static_cast<std::size_t>(t)].type = as;
      return t;
    }
    return add(op::storage_cast{}, {t}, std::string(maker.name) + "_storage_cast", {}, {&as, 1})[0];
  }

  /// The same with the one scale and zero point that a file says of a tensor.
  term as_stated(term t, const stated_quantization& s) {
    if (s.scale.size() != 1 || at(t).form != form::numbers || !is_integer(at(t).type)) return t;
    const ir::quantization q{static_cast<double>(s.scale[0]), saturated<int>(s.zero[0])};
    return check_quantization("scale", q, at(t).type) ? t : stands_for(t, q);
  }

  /// The numbers of a term, even if they follow from what inputs have been fed: the network is then good for these
  /// only.
  const array& numbers(term t, const std::string& who, const char* what) {
    term_record& r = terms_[static_cast<std::size_t>(t)];
    if (r.known) return *r.known;
    require_numbers(r);
    const graph_view g = model.network.view();
    const std::vector<node_id> needed = not_computed_above(r.id);
    if (divides && take_running(needed)) throw ir::needs_running(follows_from(who, what, "what runs above it"));
    for (const node_id n : needed)
      if (g.at(n).type == &type_of<op::input>) require_fed(g.at_value(g.at(n).outputs.first).name, who, what);
    for (const node_id n : needed) compute(n);
    r.known = computed_.at(r.id);
    return *r.known;
  }

 private:
  /// An input that is carried from the output of its name.
  term add_carried(const std::string& wanted, const extents& shape, dtype type, const ir::quantization& as) {
    take_memory(shape, type, wanted);  // whoever runs the network has it
    op::input op;
    op.shape = as_list(shape);
    op.type = type;
    op.as = as;
    op.carried = true;
    const std::string_view name = fresh_name(wanted);
    if (const problem p = add_node(model.network, op, name, {})) fail("state '" + wanted + "': " + describe(p));
    const value_id v = model.network.nodes.back().outputs.first;
    model.network.at_value(v).name = name;
    return add_value(v);
  }
  /// Whether this is not the first run. Zeros are all that carried inputs can begin with.
  term has_begun() {
    if (has_begun_ == none) has_begun_ = add_carried("has_begun", {}, dtype::boolean, {});
    return has_begun_;
  }
  term add_term(term_record r) {
    terms_.push_back(std::move(r));
    return static_cast<term>(terms_.size()) - 1;
  }
  void require_numbers(const term_record& r) const {
    if (!r.known && r.id == none) fail(std::string("a tensor is needed where ") + name_of(r.form) + " is given");
  }
  [[noreturn]] void throw_problem(const std::string& name, const problem& p) const {
    fail("node '" + name + "': " + describe(p));
  }

  void check_weights(const weight_slots& slots, const std::vector<shared_array>& weights,
                     const std::string& name) const {
    if (weights.size() != slots.size())
      fail("node '" + name + "' has " + std::to_string(weights.size()) + " weights of its own, expected " +
           std::to_string(slots.size()));
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const array& got = *weights[i];
      if (got.shape().count() == slots[i].shape.count() && got.type() == slots[i].type) continue;
      fail("node '" + name + "': weight '" + std::string(slots[i].name) + "' is " + describe(got.shape()) + " of " +
           std::string(name_of(got.type())) + ", expected " + describe(slots[i].shape) + " of " +
           std::string(name_of(slots[i].type)));
    }
  }

  /// Takes what an operator costs to compute from the budget, and says it.
  std::uint64_t charge(const operator_type& type, std::span<const double> fields, std::span<const extents> in, types of,
                       std::span<const extents> out, std::string_view name) {
    std::int64_t steps = type.macs(fields, in, out);
    for (const auto list : {in, out})
      for (const extents& s : list) steps += s.count();
    if (!limits.take_work(static_cast<std::uint64_t>(steps)))
      fail("node '" + std::string(name) + "' is more work than the limit while reading: " +
           over_limit(static_cast<std::uint64_t>(steps), limits.work, "steps", "work"));
    const std::int64_t scratch = type.scratch ? type.scratch(fields, in, of, out) : 0;
    if (static_cast<std::uint64_t>(scratch) > limits.memory_bytes)
      fail("node '" + std::string(name) + "' takes scratch memory while reading, and " +
           over_memory(static_cast<std::uint64_t>(scratch), limits));
    return static_cast<std::uint64_t>(steps);
  }

  /// The nodes that a value follows from, in order, but for those whose results are there.
  std::vector<node_id> not_computed_above(value_id of) const {
    const graph_view g = model.network.view();
    std::vector<node_id> needed;
    std::vector<value_id> open{of};
    std::unordered_set<node_id> seen;
    while (!open.empty()) {
      const value_id v = open.back();
      open.pop_back();
      const node_id made_by = g.at_value(v).producer;
      if (computed_.contains(v) || !seen.insert(made_by).second) continue;
      needed.push_back(made_by);
      for (const value_id in : g.inputs(g.at(made_by))) open.push_back(in);
    }
    std::ranges::sort(needed);
    return needed;
  }
  /// Whether these nodes and those computed before are more, or follow from more numbers, than a network should be made
  /// for.
  bool take_running(const std::vector<node_id>& nodes) {
    constexpr std::int64_t most_steps = 1 << 14, most_numbers = 256;
    const graph_view g = model.network.view();
    for (const node_id id : nodes) {
      const node& n = g.at(id);
      if (n.type == &type_of<op::constant>) continue;
      std::int64_t numbers = 0;
      for (int k = 0; k < n.outputs.count; ++k) numbers += g.shape(n.outputs.first + k).count();
      if (n.type == &type_of<op::input>) {
        if (numbers > most_numbers) return true;
        continue;
      }
      steps_taken_ += numbers + n.type->macs(g.fields_of(n.fields), input_shapes(g, n), output_shapes(g, n));
      if (steps_taken_ > most_steps) return true;
    }
    return false;
  }
  std::string follows_from(const std::string& who, const char* what, const std::string& input) const {
    return file.source + ": " + who + " needs the numbers of its " + what + ", which follow from " + input +
           ": feed it first";
  }
  void require_fed(std::string_view input, const std::string& who, const char* what) {
    for (const auto& [name, s] : states)
      if (s.input == input)
        fail("not supported: " + who + " needs the numbers of its " + what + ", which follow from state '" + name +
             "'");
    const auto given = fed_.find(input);
    if (given == fed_.end()) throw undetermined(follows_from(who, what, "input '" + std::string(input) + "'"));
    for (model_input& i : model.inputs)
      if (i.name == input && !i.needed) i.needed = std::make_shared<const array>(given->second);
  }

  void compute(node_id id) {
    const graph_view g = model.network.view();
    const node& n = g.at(id);
    if (n.type == &type_of<op::input>) {
      for (const model_input& i : model.inputs)
        if (i.name == g.at_value(n.outputs.first).name) computed_[n.outputs.first] = i.needed;
      return;
    }
    std::vector<shared_array> weights, in;
    for (expression_id e : g.weights(n)) {
      const expression& leaf = g.at_expression(e);
      weights.push_back(model.weights.at({leaf.layer, leaf.name}));
    }
    if (n.type == &type_of<op::constant>) {
      computed_[n.outputs.first] = weights[0];
      return;
    }
    for (value_id v : g.inputs(n)) in.push_back(computed_.at(v));
    const pool<element> of = input_elements(g, n), made = output_elements(g, n);
    std::vector<std::shared_ptr<array>> out;
    for (int i = 0; i < n.outputs.count; ++i) {
      const value& v = g.at_value(n.outputs.first + i);
      out.push_back(allocate(v.shape, v.type, n.name));
    }
    charge(*n.type, g.fields_of(n.fields), input_shapes(g, n), {of.data(), of.size()}, output_shapes(g, n), n.name);
    evaluate(*n.type, g.fields_of(n.fields), in, {of.data(), of.size()}, weights, out, {made.data(), made.size()});
    for (int i = 0; i < n.outputs.count; ++i) computed_[n.outputs.first + i] = out[static_cast<std::size_t>(i)];
  }

  const arrays_by_name& fed_;
  std::vector<term_record> terms_;
  std::size_t parts_ = 0;  ///< of all sequences
  term has_begun_ = none;
  std::unordered_map<const tensor*, shared_array> read_;
  std::unordered_map<value_id, shared_array> computed_;
  std::int64_t steps_taken_ = 0;  ///< to compute them
};

}  // namespace ctnn::onnx
