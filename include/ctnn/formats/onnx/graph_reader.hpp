// SPDX-License-Identifier: BSL-1.0
// The nodes of a graph one after the other, and graphs inside graphs in place of the nodes that choose or repeat them.
#pragma once

#include <algorithm>

#include "inlined.hpp"
#include "node_reader.hpp"
#include "order.hpp"
#include "slices.hpp"

namespace ctnn::onnx::detail {

class graph_reader {
 public:
  explicit graph_reader(importer& i) : i_(i) {}

  void read_nodes(const graph_message& g) {
    for (const tensor& t : g.initializers) add_initializer(t);
    for (std::size_t n : order_of(g)) {
      try {
        read_node(g.nodes[n]);
      } catch (ir::needs_running& e) {
        e.node = n;  // the outermost graph is the last to say
        throw;
      }
    }
  }
  void report() const {
    if (refused_.any()) throw not_supported(i_.file.source, refused_.with_places());
  }
  bool refused() const { return refused_.any(); }

  /// The outputs of a graph inside another, or `none`.
  term output(const graph_message& g, std::size_t k) {
    const term* t = i_.find(g.outputs[k].name);
    if (!t || *t == left_out) i_.fail("output '" + g.outputs[k].name + "' is made by no node");
    return *t;
  }

 private:
  void add_initializer(const tensor& t) {
    if (t.name.empty()) i_.fail("an initializer has no name");
    if (i_.scopes.size() == 1 && i_.find(t.name)) {
      if (overridden_.contains(t.name)) return;
      i_.fail("value '" + t.name + "' is made twice");
    }
    if (!t.refused.empty()) {
      unusable_[t.name] = t.refused;
      return i_.define(t.name, none);
    }
    const term numbers = i_.add_known(i_.numbers_in(t), t.name);
    i_.define(t.name, i_.as(numbers, t.form));
  }

  void refuse(const node_message& n, const std::string& reason) {
    const std::string name = node_reader(i_, n, 0, call_).name();
    refused_.add((n.domain.empty() ? "" : n.domain + ":") + n.type, reason,
                 "'" + name + "' (byte " + std::to_string(n.byte) + ")");
  }
  void give_up(const node_message& n) {
    for (const std::string& out : n.outputs)
      if (!out.empty()) i_.scopes.back().emplace(out, none);
  }

  /// The reader of a node, one of the user's or the format's own; null if there is none.
  operator_reader find_reader(const node_message& n) const {
    for (const node_type& t : i_.options.custom)
      if (t.domain == n.domain && t.name == n.type) return t.read;
    const operator_entry* const found = i_.file.find ? i_.file.find(n.domain, n.type) : nullptr;
    return found ? found->read : nullptr;
  }

  /// The function of the file that a node calls, which goes before an operator of the format's.
  const function_message* function_of(const node_message& n) const {
    for (const node_type& t : i_.options.custom)
      if (t.domain == n.domain && t.name == n.type) return nullptr;
    return onnx::function_of(i_.file, n);
  }

  using method = void (graph_reader::*)(node_reader&, const node_message&);
  static method control_of(const node_message& n) {
    if (n.domain == "tflite")
      return n.type == "IF"          ? &graph_reader::choose
             : n.type == "WHILE"     ? &graph_reader::repeat
             : n.type == "CALL_ONCE" ? &graph_reader::begin
                                     : nullptr;
    if (!n.domain.empty()) return nullptr;
    return n.type == "If"            ? &graph_reader::choose
           : n.type == "Loop"        ? &graph_reader::loop
           : n.type == "Scan"        ? &graph_reader::scan
           : n.type == "SequenceMap" ? &graph_reader::map
                                     : nullptr;
  }
  /// Operators of ONNX Runtime's that are called as ONNX's read as today's do.
  static int version_of(const std::string& domain, std::int64_t stated) {
    return static_cast<int>(domain == "com.microsoft" ? last_opset : stated);
  }
  const std::vector<std::size_t>& order_of(const graph_message& g) {
    const auto [order, is_new] = orders_.try_emplace(&g);
    if (is_new) order->second = execution_order(g, i_.file.source);
    return order->second;
  }

  void read_node(const node_message& n) {
    const opset_versions& opsets = call_ ? call_->function->opsets : i_.file.opsets;
    const auto opset = opsets.find(n.domain);
    const bool calls = function_of(n) != nullptr;
    const auto read = calls ? nullptr : find_reader(n);
    const method control = calls ? &graph_reader::call : control_of(n);
    count_nodes(1, "the graph");
    if (i_.scopes.size() > 1) count_names(n);
    if (!read && !control) {
      refuse(n, "");
      return give_up(n);
    }
    if (opset == opsets.end() && !calls) i_.fail("the model does not say which version of the operators it uses");
    node_reader r(i_, n, calls ? 0 : version_of(n.domain, opset->second), call_);
    try {
      for (const std::string& in : n.inputs)
        if (const auto bad = unusable_.find(in); bad != unusable_.end())
          node_reader::refuse("'" + in + "' is a " + bad->second);
      if (control) (this->*control)(r, n);
      else read(r);
      r.refuse_other_attributes();
      for (std::size_t k = 0; k < n.outputs.size(); ++k)
        if (!n.outputs[k].empty() && !i_.scopes.back().contains(n.outputs[k]))
          r.fail("has " + std::to_string(n.outputs.size()) + " outputs, made " + std::to_string(k));
    } catch (const unsupported& u) {
      refuse(n, u.reason);
      give_up(n);
    } catch (const unknown_input&) {
      give_up(n);
    }
  }

  /// A graph inside another, its inputs bound to terms; the terms of its outputs.
  std::vector<term> inline_graph(const graph_message& g, const std::vector<term>& in) {
    count_nodes(in.size() + g.initializers.size() + g.outputs.size(), "the graphs inside");
    i_.scopes.emplace_back();
    for (std::size_t k = 0; k < in.size(); ++k) i_.define(g.inputs[k].name, in[k]);
    read_nodes(g);
    std::vector<term> results;
    for (std::size_t k = 0; k < g.outputs.size(); ++k) results.push_back(output(g, k));
    i_.scopes.pop_back();
    for (term t : results)
      if (t == none) throw unknown_input{};
      else if (const form f = i_.at(t).form; f == form::text || f == form::variable || is_narrow(f))
        node_reader::refuse(std::string(name_of(f)) + " as a graph's output");
    return results;
  }

  /// The nodes of a function in place of its call.
  void call(node_reader& r, const node_message& n) {
    const function_message& f = *function_of(n);
    std::size_t depth = 1;
    for (const function_call* c = call_; c; c = c->outer, ++depth)
      if (c->function == &f) r.fail("a function that calls itself");
    if (depth > i_.limits.nesting) r.fail("functions are nested deeper than " + std::to_string(i_.limits.nesting));
    for (const auto& [what, got, most] : {std::tuple("inputs", n.inputs.size(), f.body.inputs.size()),
                                          std::tuple("outputs", n.outputs.size(), f.body.outputs.size())})
      if (got > most) r.fail("has " + std::to_string(got) + " " + what + ", the function " + std::to_string(most));
    if (const auto opset = f.opsets.find(""); opset != f.opsets.end()) i_.check_opset(opset->second);
    function_call now{&f, call_, (r.name().empty() ? n.type : r.name()) + "/"};
    const auto give = [&](const std::string& name, const attribute* otherwise) {
      const attribute* a = r.given(name);
      r.ignore(name);
      now.attributes.emplace(name, a ? a : otherwise);
    };
    for (const std::string& name : f.attributes) give(name, nullptr);
    for (const attribute& a : f.defaults) give(a.name, &a);
    std::vector<term> in;
    for (std::size_t k = 0; k < f.body.inputs.size(); ++k) in.push_back(r.has(k) ? r.any_input(k) : left_out);
    const std::vector<term> results = inside(now, [&] { return inline_graph(f.body, in); });
    for (std::size_t k = 0; k < n.outputs.size(); ++k) r.result(k, results[k]);
  }
  /// Graphs inside what no part of a network can begin with.
  struct undivided {
    importer& i;
    bool before;
    explicit undivided(importer& all) : i(all), before(std::exchange(all.divides, false)) {}
    ~undivided() { i.divides = before; }
    undivided(const undivided&) = delete;
    undivided& operator=(const undivided&) = delete;
  };
  /// Reads in a call: its nodes see nothing of the caller's.
  template <class Read>
  std::vector<term> inside(const function_call& now, Read&& read) {
    std::optional<undivided> whole;
    if (!can_inline(i_.file, *now.function, i_.options.limits)) whole.emplace(i_);
    struct caller {
      graph_reader& r;
      const function_call* call;
      std::size_t visible_from;
      std::unordered_map<std::string, std::string> unusable;
      ~caller() {
        r.call_ = call;
        r.i_.visible_from = visible_from;
        r.unusable_ = std::move(unusable);
      }
    } back{*this, call_, i_.visible_from, std::move(unusable_)};
    call_ = &now;
    i_.visible_from = i_.scopes.size();
    unusable_.clear();
    return read();
  }
  static const graph_message& body_of(node_reader& r, const char* key) {
    const attribute* a = r.find(key, attribute_kind::graph);
    if (!a) r.fail("attribute '" + std::string(key) + "' is missing");
    return *a->graph;
  }
  static bool truth(node_reader& r, term t, const char* what) {
    const array& a = r.numbers(t, what);
    if (a.type() != dtype::boolean || a.size() != 1)
      r.fail(std::string(what) + " is " + describe(a.shape()) + " of " + std::string(name_of(a.type())) +
             ", expected one boolean");
    return a.elements<std::uint8_t>()[0] != 0;
  }

  /// Values that a node gives a graph inside it.
  static std::vector<term> given_to(node_reader& r, const graph_message& g, std::size_t first) {
    if (r.input_count() < first || g.inputs.size() != r.input_count() - first)
      r.fail("has " + std::to_string(r.input_count()) + " inputs for a graph of " + std::to_string(g.inputs.size()));
    std::vector<term> in;
    for (std::size_t k = first; k < r.input_count(); ++k) in.push_back(r.any_input(k));
    return in;
  }

  /// If: the branch that the condition chooses, in place of the node. (ONNX's branches have no inputs, they see all;
  /// TensorFlow Lite's see what they are given.)
  void choose(node_reader& r, const node_message& n) {
    const graph_message& yes = body_of(r, "then_branch");
    const graph_message& no = body_of(r, "else_branch");
    for (const graph_message* g : {&yes, &no})
      if (g->outputs.size() != n.outputs.size())
        r.fail("has " + std::to_string(n.outputs.size()) + " outputs, the branch " + std::to_string(g->outputs.size()));
    const std::vector<term> given_yes = given_to(r, yes, 1), given_no = given_to(r, no, 1);
    const bool chosen = truth(r, r.input(), "condition");
    if (checked_.insert(&(chosen ? no : yes)).second) check_unread(chosen ? no : yes);
    const std::vector<term> results = chosen ? inline_graph(yes, given_yes) : inline_graph(no, given_no);
    for (std::size_t k = 0; k < results.size(); ++k) r.result(k, results[k]);
  }

  /// TensorFlow Lite's loop, unrolled: one graph says of the state whether another makes the next of it.
  void repeat(node_reader& r, const node_message& n) {
    const graph_message &test = body_of(r, "cond"), &body = body_of(r, "body");
    std::vector<term> state = given_to(r, body, 0);
    given_to(r, test, 0);
    if (test.outputs.size() != 1 || body.outputs.size() != state.size() || n.outputs.size() > state.size())
      r.fail("carries " + std::to_string(state.size()) + " values, its body makes " +
             std::to_string(body.outputs.size()));
    const std::int64_t most_turns =
        most_unrolled / static_cast<std::int64_t>(body.nodes.size() + test.nodes.size() + 1);
    for (std::int64_t i = 0;; ++i) {
      const term again = inline_graph(test, state)[0];
      if (i_.divides && (i > most_turns || !r.known(again))) run_as_loop(r);
      if (!truth(r, again, "condition")) break;
      count_iteration(r);
      state = inline_graph(body, state);
    }
    for (std::size_t k = 0; k < n.outputs.size(); ++k) r.result(k, state[k]);
  }

  /// TensorFlow Lite's CALL_ONCE: a graph that gives variables what they hold when the first run begins.
  void begin(node_reader& r, const node_message&) {
    const graph_message& g = body_of(r, "init_subgraph_index");
    if (r.input_count() != 0 || !g.inputs.empty() || !g.outputs.empty()) node_reader::refuse("a graph of values");
    if (std::exchange(i_.is_beginning, true)) node_reader::refuse("a graph in a graph that runs once");
    inline_graph(g, {});
    i_.is_beginning = false;
  }

  /// What holds of a graph whatever its values are: every operator is known, and every value is made before it is read.
  void check_unread(const graph_message& g) {
    i_.scopes.emplace_back();
    for (const value_info& in : g.inputs) i_.define(in.name, none);
    for (const tensor& t : g.initializers)
      if (!i_.scopes.back().contains(t.name)) i_.define(t.name, none);
    for (const std::size_t k : order_of(g)) {
      const node_message& n = g.nodes[k];
      count_nodes(1, "the graphs inside");
      if (!function_of(n) && !control_of(n) && !find_reader(n)) refuse(n, "");
      for (const std::string& in : n.inputs)
        if (!in.empty() && !i_.find(in))
          i_.fail(node_reader(i_, n, 0, call_).who() + ": reads '" + in + "', which nothing before it makes");
      for (const std::string& out : n.outputs)
        if (!out.empty()) i_.define(out, none);
      for (const attribute& a : n.attributes)
        if (a.graph) check_unread(*a.graph);
    }
    for (std::size_t k = 0; k < g.outputs.size(); ++k) output(g, k);
    i_.scopes.pop_back();
  }

  term tensor_of(node_reader& r, term t) const {
    if (const form f = i_.at(t).form; f != form::numbers) r.fail(std::string("gathers what is ") + name_of(f));
    return t;
  }
  /// What a loop without iterations has gathered in output k along an axis: the body is read for the shape alone.
  term nothing_of(node_reader& r, const graph_message& body, const std::vector<term>& in, std::size_t k,
                  std::int64_t along = 0) {
    const term one = tensor_of(r, inline_graph(body, in)[k]);
    if (r.rank(one) == max_rank) node_reader::refuse("stacking values of " + std::to_string(max_rank) + " dimensions");
    const int axis = r.axis(along, r.rank(one) + 1);
    return r.constant(std::make_shared<const array>(r.shape(one).with_axis(axis, 0), r.type(one)));
  }

  static constexpr std::int64_t most_unrolled = 4096;  ///< nodes

  /// A loop that runs as one: its numbers end it, or it is long.
  [[noreturn]] void run_as_loop(node_reader& r) const {
    throw ir::needs_running(i_.file.source + ": " + r.who() + " turns as often as numbers say: feed the inputs first");
  }

  /// Loop, unrolled: how often it runs must be known.
  void loop(node_reader& r, const node_message& n) {
    if (r.input_count() < 2) r.fail("has " + std::to_string(r.input_count()) + " inputs, expected at least 2");
    const graph_message& body = body_of(r, "body");
    const std::size_t carried = r.input_count() - 2;
    if (body.inputs.size() != carried + 2 || body.outputs.size() < carried + 1 ||
        body.outputs.size() - 1 < n.outputs.size())
      r.fail("its body has " + std::to_string(body.inputs.size()) + " inputs and " +
             std::to_string(body.outputs.size()) + " outputs");
    const auto waits = [&](std::size_t input) { return r.has(input) && !r.known(r.any_input(input)); };
    if (i_.divides &&
        (waits(0) || waits(1) ||
         (r.has(0) && r.whole_scalar(0) > most_unrolled / static_cast<std::int64_t>(body.nodes.size() + 1))))
      run_as_loop(r);
    const std::int64_t trips = r.has(0) ? r.whole_scalar(0) : std::numeric_limits<std::int64_t>::max();
    bool go_on = !r.has(1) || truth(r, r.input(1), "condition");
    std::vector<term> state;
    for (std::size_t k = 0; k < carried; ++k) state.push_back(r.any_input(k + 2));
    std::vector<std::vector<term>> scanned(body.outputs.size() - 1 - carried);
    for (std::int64_t i = 0; i < trips && go_on; ++i) {
      auto number = std::make_shared<array>(extents{}, dtype::i64);
      number->elements<std::int64_t>()[0] = i;
      std::vector<term> in{r.constant(number), r.constant(filled({}, dtype::boolean, 1))};
      in.insert(in.end(), state.begin(), state.end());
      count_iteration(r);
      const std::vector<term> out = inline_graph(body, in);
      if (i_.divides && !r.known(out[0])) run_as_loop(r);
      go_on = truth(r, out[0], "condition");
      state.assign(out.begin() + 1, out.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
      for (std::size_t k = 0; k < scanned.size(); ++k) scanned[k].push_back(tensor_of(r, out[1 + carried + k]));
    }
    for (std::size_t k = 0; k < carried; ++k) r.result(k, state[k]);
    std::vector<term> first{r.constant(filled({}, dtype::i64, 0)), r.constant(filled({}, dtype::boolean, 1))};
    first.insert(first.end(), state.begin(), state.end());
    for (std::size_t k = 0; k < scanned.size(); ++k) {
      if (!r.wants(carried + k)) continue;
      r.result(carried + k,
               scanned[k].empty() ? nothing_of(r, body, first, carried + 1 + k) : stacked(r, scanned[k], 0));
    }
  }

  /// Scan, unrolled. Before opset 9 all values have a batch axis in front, and the first input says how many slices
  /// each sample has, if not all; where samples have less than others zeros are gathered.
  void scan(node_reader& r, const node_message& n) {
    const bool batched = r.version < 9;
    const std::size_t skip = batched ? 1 : 0;
    const graph_message& body = body_of(r, "body");
    const std::int64_t wanted = r.integer("num_scan_inputs");
    if (r.input_count() < skip || wanted < 1 || static_cast<std::size_t>(wanted) > r.input_count() - skip)
      r.fail("num_scan_inputs is " + std::to_string(wanted) + " for " + std::to_string(r.input_count()) + " inputs");
    const std::size_t scans = static_cast<std::size_t>(wanted), states = r.input_count() - skip - scans;
    if (body.inputs.size() != states + scans || body.outputs.size() != n.outputs.size() || body.outputs.size() < states)
      r.fail("its body has " + std::to_string(body.inputs.size()) + " inputs and " +
             std::to_string(body.outputs.size()) + " outputs");
    const std::size_t results = body.outputs.size() - states;
    const auto list = [&](const char* key, std::size_t count) {
      integers v = r.list_of(key);
      if (v.empty()) v.assign(count, 0);
      if (v.size() != count)
        r.fail(std::string(key) + " has " + std::to_string(v.size()) + " numbers, expected " + std::to_string(count));
      return v;
    };
    const integers in_axes = list("scan_input_axes", scans), out_axes = list("scan_output_axes", results);
    const integers in_back = list(batched ? "directions" : "scan_input_directions", scans),
                   out_back = list("scan_output_directions", results);
    const int batches = batched ? r.shape(r.input(1))[0] : 1;
    const integers lengths = batched && r.has(0) ? r.whole(0) : integers{};
    if (!lengths.empty() && lengths.size() != static_cast<std::size_t>(batches))
      r.fail("has " + std::to_string(lengths.size()) + " sequence lengths for " + std::to_string(batches) + " samples");
    std::optional<undivided> whole;
    if (batched) whole.emplace(i_);
    std::vector<std::vector<term>> finals(states + results);
    for (int b = 0; b < batches; ++b) {
      std::vector<term> state, sequence;
      for (std::size_t k = skip; k < r.input_count(); ++k) {
        const term t = batched ? slice_of(r, r.input(k), 0, b) : r.input(k);
        (k < skip + states ? state : sequence).push_back(t);
      }
      int length = -1;
      std::vector<int> axes;
      for (std::size_t k = 0; k < scans; ++k) {
        axes.push_back(r.axis(in_axes[k], r.rank(sequence[k])));
        const int size = r.shape(sequence[k])[axes[k]];
        if (length >= 0 && size != length)
          r.fail("its inputs have " + std::to_string(length) + " and " + std::to_string(size) + " slices");
        length = size;
      }
      if (i_.divides && length > most_unrolled / static_cast<std::int64_t>(body.nodes.size() + 1)) run_as_loop(r);
      const int all = length;
      if (!lengths.empty()) length = r.to_int(lengths[static_cast<std::size_t>(b)], "sequence length");
      if (length < 0 || length > all)
        r.fail("has a sequence of " + std::to_string(length) + " slices, of " + std::to_string(all));
      std::vector<std::vector<term>> scanned(results);
      for (int i = 0; i < length; ++i) {
        std::vector<term> in = state;
        for (std::size_t k = 0; k < scans; ++k)
          in.push_back(slice_of(r, sequence[k], axes[k], in_back[k] ? length - 1 - i : i));
        count_iteration(r);
        const std::vector<term> out = inline_graph(body, in);
        state.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(states));
        for (std::size_t k = 0; k < results; ++k) scanned[k].push_back(tensor_of(r, out[states + k]));
      }
      for (std::size_t k = 0; k < states; ++k) finals[k].push_back(state[k]);
      std::vector<term> nothing;  // of each result, where nothing is gathered
      if (length == 0) {          // zeros stand for the slices
        std::vector<term> in = state;
        for (std::size_t k = 0; k < scans; ++k) {
          extents slice;
          for (int i = 0; i < r.rank(sequence[k]); ++i)
            if (i != axes[k]) slice.push_back(r.shape(sequence[k])[i]);
          in.push_back(zeros(r, slice, r.type(sequence[k])));
        }
        for (std::size_t k = 0; k < results; ++k) nothing.push_back(nothing_of(r, body, in, states + k, out_axes[k]));
      }
      for (std::size_t k = 0; k < results; ++k) {
        if (out_back[k]) std::reverse(scanned[k].begin(), scanned[k].end());
        const int rank = length == 0 ? r.rank(nothing[k]) : r.rank(scanned[k][0]) + 1;
        const int axis = r.axis(out_axes[k], rank);
        term made = length == 0 ? nothing[k] : stacked(r, scanned[k], axis);
        if (length < all) {
          extents rest = r.shape(made);
          rest[axis] = all - length;
          const term none = zeros(r, rest, r.type(made));
          made = length == 0 ? none : r.add(op::concat{axis}, {made, none});
        }
        finals[states + k].push_back(made);
      }
    }
    for (std::size_t k = 0; k < finals.size(); ++k) r.result(k, batched ? stacked(r, finals[k], 0) : finals[k][0]);
  }
  term zeros(node_reader& r, const extents& shape, dtype type) {
    const auto bytes = static_cast<std::uint64_t>(shape.count() * size_of(type));
    if (!i_.limits.take(bytes)) r.fail(ir::over_memory(bytes, i_.limits));
    return r.constant(filled(shape, type, 0));
  }

  /// SequenceMap: the graph for the parts of sequences side by side; tensors are given to every one.
  void map(node_reader& r, const node_message& n) {
    const graph_message& body = body_of(r, "body");
    const undivided whole(i_);
    const std::size_t count = r.sequence(0)->size();
    if (body.outputs.size() != n.outputs.size())
      r.fail("has " + std::to_string(n.outputs.size()) + " outputs, its body " + std::to_string(body.outputs.size()));
    const std::vector<term> given = given_to(r, body, 0);
    const auto parts_of = [&](std::size_t k) { return i_.at(given[k]).parts; };
    for (std::size_t k = 0; k < given.size(); ++k)
      if (const auto parts = parts_of(k); parts && parts->size() != count)
        r.fail("its inputs have " + std::to_string(count) + " and " + std::to_string(parts->size()) + " parts");
    std::vector<std::vector<term>> made(n.outputs.size());
    for (std::size_t part = 0; part < count; ++part) {
      std::vector<term> in = given;
      for (std::size_t k = 0; k < in.size(); ++k)
        if (const auto parts = parts_of(k)) in[k] = (*parts)[part];
      count_iteration(r);
      const std::vector<term> out = inline_graph(body, in);
      for (std::size_t k = 0; k < out.size(); ++k) made[k].push_back(out[k]);
    }
    for (std::size_t k = 0; k < made.size(); ++k) r.result(k, i_.add_sequence(std::move(made[k])));
  }

  /// Unrolled loops count as the nodes they become, and at least as one a turn.
  void count_iteration(node_reader& r) { count_nodes(1, r.who()); }
  /// And their names, every time they are made again.
  void count_names(const node_message& n) {
    std::size_t bytes = n.name.size() + (call_ ? call_->prefix.size() * (1 + n.outputs.size()) : 0);
    for (const std::string& out : n.outputs) bytes += out.size();
    if (!i_.limits.take(bytes)) i_.fail("the graphs inside: their names need more memory than the limit");
  }
  void count_nodes(std::size_t more, const std::string& who) {
    nodes_ += more;
    if (nodes_ > i_.limits.layers) i_.fail(who + ": more than " + std::to_string(i_.limits.layers) + " nodes");
  }

 public:
  std::unordered_set<std::string> overridden_;

 private:
  importer& i_;
  refusals refused_;
  std::size_t nodes_ = 0;
  const function_call* call_ = nullptr;  ///< the function whose nodes are being read
  std::unordered_map<const graph_message*, std::vector<std::size_t>> orders_;  ///< a loop's body is read many times
  std::unordered_set<const graph_message*> checked_;
  std::unordered_map<std::string, std::string> unusable_;
};

}  // namespace ctnn::onnx::detail
