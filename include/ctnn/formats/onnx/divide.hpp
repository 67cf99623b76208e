// SPDX-License-Identifier: BSL-1.0
// Takes a graph apart at a node that asks for numbers, so that they come from running what is above it
// (loaded/network_parts.hpp). Parts are messages like those of whole files; what follows from constants alone is in
// every part that reads it.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "../../loaded/network_parts.hpp"
#include "build.hpp"
#include "inlined.hpp"
#include "order.hpp"

namespace ctnn::onnx {

namespace detail {

class divider {
 public:
  /// Values of the graph called as in `keep` become outputs.
  divider(std::shared_ptr<const model_message> file, const read_options& options, const std::vector<std::string>& keep)
      : file_(std::move(file)),
        g_(file_->graph),
        options_(options),
        outputs_(outputs_of(g_)),
        fixed_(g_.nodes.size(), false) {
    if (file_->has_state) throw ir::not_divisible(file_->source + ": its parts would share what it carries");
    for (const value_info& v : g_.inputs) inputs_.emplace(v.name, &v);
    for (const tensor& t : g_.initializers) initializers_.emplace(t.name, &t);
    for (std::size_t n = 0; n < g_.nodes.size(); ++n)
      for (const std::string& out : g_.nodes[n].outputs)
        if (!out.empty()) made_by_.emplace(out, n);
    for (const std::string& name : keep)
      if (made_by_.contains(name) && std::ranges::find(outputs_, name) == outputs_.end()) outputs_.push_back(name);
    order_ = execution_order(g_, file_->source);
    for (const std::size_t n : order_) {
      bool fixed = true;
      for (const std::string& name : reads_of(g_.nodes[n])) {
        const auto maker = made_by_.find(name);
        if (inputs_.contains(name) || (maker != made_by_.end() && !fixed_[maker->second])) fixed = false;
      }
      fixed_[n] = fixed;
    }
  }

  /// What runs above a node, which has no nodes if all that it reads is fed, and the rest.
  divided_file split(std::size_t node) const {
    const std::vector<bool> below = below_of(node);
    const part after = resolve(outputs_, [&](std::size_t n) { return below[n]; });
    const std::vector<std::string> between = made_above(after);
    divided_file out{empty(), empty()};
    add(out.above, resolve(between, [&](std::size_t n) { return !below[n]; }));
    for (const std::string& name : between) out.above.graph.outputs.push_back(named(name));
    add(out.below, after);
    out.below.graph.outputs = g_.outputs;
    return out;
  }

  ir::network_parts at(std::size_t node) {
    const node_message& asks = g_.nodes[node];
    fixed_[node] = false;  // a long loop over constants is a part like others, which the rest waits for
    ir::network_parts parts;
    if (const function_message* f = function_of(*file_, asks)) {  // it asks itself when it is no call any more
      part all = resolve(outputs_, [](std::size_t) { return true; });
      model_message m = empty();
      add(m, all);
      const auto is_it = [&](const node_message& n) { return n.outputs == asks.outputs; };
      const auto call = std::ranges::find_if(m.graph.nodes, is_it);
      if (call == m.graph.nodes.end()) throw ir::not_divisible(file_->source + ": nobody reads '" + asks.name + "'");
      const auto place = static_cast<std::size_t>(call - m.graph.nodes.begin());
      m.graph = inlined(std::move(m.graph), place, *f);
      for (const auto& [domain, version] : f->opsets) m.opsets.emplace(domain, version);
      parts.after = made(std::move(m), std::move(all.inputs), outputs_);
      return parts;
    }
    const part own = resolve(reads_of(asks), [](std::size_t) { return false; });
    const bool ready = std::ranges::all_of(own.inputs, [&](const auto& name) { return inputs_.contains(name); });
    if (!ready) {  // it is in the part below, where what it reads is fed
      const std::vector<bool> below = below_of(node);
      part after = resolve(outputs_, [&](std::size_t n) { return below[n]; });
      const std::vector<std::string> between = made_above(after);
      if (between.empty()) throw ir::not_divisible(file_->source + ": '" + asks.name + "' reads what nothing makes");
      parts.before = finished(resolve(between, [&](std::size_t n) { return !below[n]; }), between);
      parts.after = finished(std::move(after), outputs_);
      return parts;
    }
    part after = resolve(outputs_, [&](std::size_t n) { return n != node; });
    const auto wanted = [&](const std::string& name) {
      return !name.empty() && std::ranges::find(after.inputs, name) != after.inputs.end();
    };
    std::vector<std::string> results = asks.outputs;
    for (std::string& name : results)
      if (!wanted(name)) name.clear();
    parts.after = finished(std::move(after), outputs_);
    if (std::ranges::all_of(results, &std::string::empty)) return parts;
    if (is(asks, "Loop")) parts.node = loop(asks, std::move(results));
    else if (is(asks, "Scan")) parts.node = scan(asks, std::move(results));
    else if (asks.domain == "tflite" && asks.type == "WHILE") parts.node = repeated(asks, std::move(results));
    else if (is(asks, "If") || (asks.domain == "tflite" && asks.type == "IF"))
      parts.node = choice(asks, std::move(results));
    else parts.node = alone(node, results);
    if (!std::holds_alternative<ir::network_part>(parts.node)) parts.constants = constants_among(asks.inputs);
    return parts;
  }

 private:
  /// Nodes of the graph in which a value is looked for, and what of it is made elsewhere.
  struct part {
    std::vector<bool> nodes;
    std::vector<std::string> inputs;
    std::vector<const tensor*> initializers;
  };

  static bool is(const node_message& n, std::string_view type) { return n.domain.empty() && n.type == type; }

  /// Of a type and shape that are as fed.
  static value_info named(const std::string& name) {
    value_info v;
    v.name = name;
    return v;
  }

  /// Nodes that run after `node`, and itself.
  std::vector<bool> below_of(std::size_t node) const {
    std::vector<bool> below(g_.nodes.size(), false);
    below[node] = true;
    for (const std::size_t n : order_)
      for (const std::string& name : reads_of(g_.nodes[n]))
        if (const auto maker = made_by_.find(name); maker != made_by_.end() && below[maker->second]) below[n] = true;
    return below;
  }

  /// All that `names` follow from, as far as it is made by nodes that `allowed` admits, or by constants. Names that
  /// the graph does not have belong to graphs inside it.
  template <class F>
  part resolve(std::vector<std::string> names, F&& allowed) const {
    part p{std::vector<bool>(g_.nodes.size(), false), {}, {}};
    std::unordered_set<std::string> seen;
    while (!names.empty()) {
      const std::string name = std::move(names.back());
      names.pop_back();
      if (!seen.insert(name).second) continue;
      const auto numbers = initializers_.find(name);
      const auto maker = made_by_.find(name);
      if (inputs_.contains(name)) p.inputs.push_back(name);
      if (numbers != initializers_.end()) p.initializers.push_back(numbers->second);
      else if (maker == made_by_.end()) continue;
      else if (!fixed_[maker->second] && !allowed(maker->second)) p.inputs.push_back(name);
      else if (!p.nodes[maker->second]) {
        p.nodes[maker->second] = true;
        for (std::string& read : reads_of(g_.nodes[maker->second])) names.push_back(std::move(read));
      }
    }
    return p;
  }

  std::vector<std::string> made_above(const part& after) const {
    std::vector<std::string> names;
    for (const std::string& name : after.inputs)
      if (!inputs_.contains(name)) names.push_back(name);
    return names;
  }

  model_message empty() const {
    model_message m;
    m.source = file_->source;
    m.ir_version = file_->ir_version;
    m.opsets = file_->opsets;
    m.functions = file_->functions;
    m.find = file_->find;
    m.stated = file_->stated;
    m.computed = file_->computed;
    m.is_part = true;
    return m;
  }
  void add(model_message& to, const part& p) const {
    for (const std::string& name : p.inputs) {
      const auto at = inputs_.find(name);
      to.graph.inputs.push_back(at == inputs_.end() ? named(name) : *at->second);
    }
    for (const tensor* t : p.initializers) to.graph.initializers.push_back(*t);
    for (const std::size_t n : order_)
      if (p.nodes[n]) to.graph.nodes.push_back(g_.nodes[n]);
  }
  /// Of outputs that may be named twice.
  ir::network_part made(model_message&& m, std::vector<std::string> inputs, const std::vector<std::string>& outputs,
                        bool divides = true) const {
    ir::network_part out;
    out.inputs = std::move(inputs);
    for (const std::string& name : outputs)
      if (!name.empty() && std::ranges::find(out.outputs, name) == out.outputs.end()) {
        out.outputs.push_back(name);
        m.graph.outputs.push_back(named(name));
      }
    out.maker = maker_of(std::make_shared<const model_message>(std::move(m)), options_);
    if (!divides) {
      out.maker.divide = {};
      out.maker.make = [make = std::move(out.maker.make)](const arrays_by_name& fed, bool) { return make(fed, true); };
    }
    return out;
  }
  ir::network_part finished(part&& p, const std::vector<std::string>& outputs) const {
    model_message m = empty();
    add(m, p);
    return made(std::move(m), std::move(p.inputs), outputs);
  }
  ir::network_part alone(std::size_t node, const std::vector<std::string>& results) const {
    part p = resolve(results, [&](std::size_t n) { return n == node; });
    model_message m = empty();
    add(m, p);
    ir::network_part one = made(std::move(m), std::move(p.inputs), results, false);
    one.name = g_.nodes[node].name.empty() ? one.outputs[0] : g_.nodes[node].name;
    one.type = g_.nodes[node].type;
    return one;
  }

  std::map<std::string, shared_array> constants_among(const std::vector<std::string>& names) const {
    std::vector<std::string> fixed;
    for (const std::string& name : names)
      if (const auto maker = made_by_.find(name);
          maker != made_by_.end() ? fixed_[maker->second] : initializers_.contains(name))
        fixed.push_back(name);
    std::map<std::string, shared_array> constants;
    if (fixed.empty()) return constants;
    model_message m = empty();
    add(m, resolve(fixed, [](std::size_t) { return false; }));
    for (const std::string& name : fixed) m.graph.outputs.push_back(named(name));
    const loaded_model made = build(m, options_);
    const ir::graph_view g = made.network.view();
    for (const ir::network_output& o : g.outputs) {
      const ir::node& maker = g.at(g.at_value(o.value).producer);
      if (maker.type != &ir::type_of<op::constant>) throw ir::not_divisible(file_->source + ": a constant is computed");
      const ir::expression& leaf = g.at_expression(g.weights(maker)[0]);
      constants.emplace(o.name, made.weights.at({leaf.layer, leaf.name}));
    }
    return constants;
  }

  /// A graph inside a node, which sees the values around it.
  ir::network_part inner(const graph_message& g) const {
    const part seen = resolve(reads_around(g), [](std::size_t) { return false; });
    model_message m = empty();
    add(m, seen);
    for (const value_info& v : g.inputs) m.graph.inputs.push_back(named(v.name));
    m.graph.initializers.insert(m.graph.initializers.end(), g.initializers.begin(), g.initializers.end());
    m.graph.nodes.insert(m.graph.nodes.end(), g.nodes.begin(), g.nodes.end());
    return made(std::move(m), seen.inputs, outputs_of(g));
  }
  static const graph_message& graph_of(const node_message& n, std::string_view name) {
    for (const attribute& a : n.attributes)
      if (a.name == name && a.graph) return *a.graph;
    throw error("node '" + n.name + "': attribute '" + std::string(name) + "' is missing");
  }
  static std::vector<std::string> outputs_of(const graph_message& g) {
    std::vector<std::string> names;
    for (const value_info& v : g.outputs) names.push_back(v.name);
    return names;
  }
  /// Whether random numbers are drawn while a graph is read.
  bool draws(const graph_message& g) const {
    return std::ranges::any_of(g.nodes, [&](const node_message& n) {
      if (const function_message* f = function_of(*file_, n)) return draws(f->body);
      const operator_entry* const known = file_->find ? file_->find(n.domain, n.type) : nullptr;
      return (known && known->draws) ||
             std::ranges::any_of(n.attributes, [&](const attribute& a) { return a.graph && draws(*a.graph); });
    });
  }
  /// A loop of this body that reads `carried`; the first of the body's inputs and outputs are given by the caller.
  ir::loop_part loop_of(const graph_message& body, std::vector<std::string> carried,
                        std::vector<std::string>&& results) const {
    if (draws(body)) throw ir::not_divisible(file_->source + ": each turn of a loop draws random numbers of its own");
    ir::loop_part l;
    l.body = inner(body);
    l.carried = std::move(carried);
    l.results = std::move(results);
    l.most_turns = options_.limits.turns;
    l.most_bytes = options_.limits.memory_bytes;
    return l;
  }
  static void append_names(std::vector<std::string>& to, const std::vector<value_info>& values) {
    for (const value_info& v : values) to.push_back(v.name);
  }
  ir::loop_part loop(const node_message& n, std::vector<std::string>&& results) const {
    const graph_message& body = graph_of(n, "body");
    ir::loop_part l = loop_of(body, {n.inputs.begin() + 2, n.inputs.end()}, std::move(results));
    l.trips = n.inputs[0];
    l.condition = n.inputs[1];
    append_names(l.body_inputs, body.inputs);
    append_names(l.body_outputs, body.outputs);
    l.results.resize(body.outputs.size() - 1);
    l.gathered_along.resize(l.results.size() - l.carried.size());
    return l;
  }
  ir::loop_part scan(const node_message& n, std::vector<std::string>&& results) const {
    const graph_message& body = graph_of(n, "body");
    const auto integers_of = [&](std::string_view name) {
      for (const attribute& a : n.attributes)
        if (a.name == name) return a.kind == attribute_kind::integer ? std::vector{a.integer} : a.integers;
      return std::vector<std::int64_t>();
    };
    const auto scans = static_cast<std::size_t>(integers_of("num_scan_inputs").at(0)), states = n.inputs.size() - scans;
    const auto along = [&](const char* axes, const char* directions, std::size_t count) {
      const std::vector<std::int64_t> axis = integers_of(axes), back = integers_of(directions);
      std::vector<ir::loop_part::slices> all(count);
      for (std::size_t k = 0; k < count; ++k)
        all[k] = {axis.empty() ? 0 : axis[k], !back.empty() && back[k] != 0};
      return all;
    };
    const auto first_scan = n.inputs.begin() + static_cast<std::ptrdiff_t>(states);
    ir::loop_part l = loop_of(body, {n.inputs.begin(), first_scan}, std::move(results));
    l.scanned.assign(first_scan, n.inputs.end());
    l.scanned_along = along("scan_input_axes", "scan_input_directions", scans);
    l.gathered_along = along("scan_output_axes", "scan_output_directions", body.outputs.size() - states);
    l.body_inputs.resize(2);
    l.body_outputs.resize(1);
    append_names(l.body_inputs, body.inputs);
    append_names(l.body_outputs, body.outputs);
    return l;
  }
  /// TensorFlow Lite's.
  ir::loop_part repeated(const node_message& n, std::vector<std::string>&& results) const {
    const graph_message &body = graph_of(n, "body"), &test = graph_of(n, "cond");
    ir::loop_part l = loop_of(body, n.inputs, std::move(results));
    l.test = inner(test);
    append_names(l.test_inputs, test.inputs);
    l.body_inputs.resize(2);
    l.body_outputs.resize(1);
    append_names(l.body_inputs, body.inputs);
    append_names(l.body_outputs, body.outputs);
    l.results.resize(l.carried.size());
    return l;
  }
  ir::choice_part::branch branch_of(const graph_message& g) const {
    ir::choice_part::branch b{inner(g), {}, outputs_of(g)};
    append_names(b.inputs, g.inputs);
    return b;
  }
  ir::choice_part choice(const node_message& n, std::vector<std::string>&& results) const {
    ir::choice_part c;
    c.condition = n.inputs.at(0);
    c.given.assign(n.inputs.begin() + 1, n.inputs.end());
    c.yes = branch_of(graph_of(n, "then_branch"));
    c.no = branch_of(graph_of(n, "else_branch"));
    c.results = std::move(results);
    return c;
  }

  std::shared_ptr<const model_message> file_;
  const graph_message& g_;
  const read_options& options_;
  std::vector<std::string> outputs_;
  std::unordered_map<std::string, const value_info*> inputs_;
  std::unordered_map<std::string, const tensor*> initializers_;
  std::unordered_map<std::string, std::size_t> made_by_;
  std::vector<std::size_t> order_;
  std::vector<bool> fixed_;  ///< by node: it follows from constants
};

}  // namespace detail

CTNN_ONCE divided_file divide(std::shared_ptr<const model_message> file, const read_options& options,
                              const ir::needs_running& at) {
  return detail::divider(std::move(file), options, {}).split(at.node);
}

CTNN_ONCE ir::network_maker maker_of(std::shared_ptr<const model_message> file, const read_options& options) {
  ir::network_maker maker;
  maker.make = [file, options](const arrays_by_name& fed, bool whole) {
    read_options now = options;
    now.in_parts = !whole;
    return build(*file, now, fed);
  };
  maker.divide = [file, options](const ir::needs_running& at, const std::vector<std::string>& keep) {
    return detail::divider(file, options, keep).at(at.node);
  };
  return maker;
}

}  // namespace ctnn::onnx
