// SPDX-License-Identifier: BSL-1.0
// What an operator's writer works with: its node, and ways to add ONNX nodes and their numbers.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>

#include "../../base/describe.hpp"
#include "../../loaded/folded_weights.hpp"
#include "evaluate.hpp"
#include "write.hpp"

namespace ctnn::onnx {

/// Thrown by an operator's writer: ONNX's standard operators do not say it. All of a graph's are reported together.
struct inexpressible {
  std::string reason;
};
/// Thrown by an operator's writer: its form came with this operator set. Everything is written again in it.
struct needs_opset {
  std::int64_t version;
};

using integers = std::vector<std::int64_t>;

inline attribute attribute_of(std::string name, attribute_kind kind) {
  attribute a;
  a.name = std::move(name);
  a.kind = kind;
  return a;
}
inline attribute with(std::string name, std::int64_t value) {
  attribute a = attribute_of(std::move(name), attribute_kind::integer);
  a.integer = value;
  return a;
}
inline attribute with(std::string name, int value) { return with(std::move(name), std::int64_t{value}); }
inline attribute with(std::string name, bool value) { return with(std::move(name), std::int64_t{value}); }
inline attribute with(std::string name, float value) {
  attribute a = attribute_of(std::move(name), attribute_kind::real);
  a.real = value;
  return a;
}
inline attribute with(std::string name, const char* value) {
  attribute a = attribute_of(std::move(name), attribute_kind::text);
  a.text = value;
  return a;
}
inline attribute with(std::string name, integers value) {
  attribute a = attribute_of(std::move(name), attribute_kind::integers);
  a.integers = std::move(value);
  return a;
}
inline attribute with(std::string name, std::vector<float> value) {
  attribute a = attribute_of(std::move(name), attribute_kind::reals);
  a.reals = std::move(value);
  return a;
}
template <class List>
integers as_integers(const List& list) {
  return integers(list.begin(), list.end());
}
inline integers as_integers(const extents& s) {
  integers out;
  for (int i = 0; i < s.rank; ++i) out.push_back(s[i]);
  return out;
}

/// Names that are all different.
class fresh_names {
 public:
  std::string operator()(std::string wanted) {
    if (wanted.empty()) wanted = "unnamed";
    if (taken_.insert(wanted).second) return wanted;
    int& n = suffixes_[wanted];
    std::string other;
    do other = wanted + "_" + std::to_string(++n);
    while (!taken_.insert(other).second);
    return other;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::map<std::string, int> suffixes_;
};

/// The file under construction.
struct model_writer {
  model_writer(const loaded_model& from, const graph_view& graph, std::int64_t opset, bool fused)
      : model(from),
        g(graph),
        numbers(from, graph),
        version(opset),
        fused(fused),
        forms(graph.values.size()),
        public_names(graph.values.size()) {}

  const loaded_model& model;
  graph_view g;
  ir::folded_weights numbers;
  std::int64_t version;
  bool fused;  ///< com.microsoft's operators may be written
  model_message file{};
  fresh_names values{}, nodes{};
  /// Of a value: as it is, and with a batch of 1 in front, as operators want it that know no other; what is empty has
  /// not been made yet.
  std::vector<std::array<std::string, 2>> forms;
  std::vector<std::string> public_names;                              ///< that values take
  std::map<std::pair<const void*, std::string>, std::string> shared;  ///< initializers by where their numbers are
  std::map<std::pair<dtype, std::vector<std::byte>>, std::map<std::string, std::string>> small;  ///< and by the numbers

  /// Sums that the normalisation behind them is to compute as well, and, once their node has been come to, of what.
  std::map<value_id, std::array<std::string, 2>> sums_left{};

  std::map<const void*, shared_array> turned{};  ///< transposed matrices, by their numbers

  /// An initializer of these numbers; `wanted` is its name if nobody has it.
  std::string initializer(const std::string& wanted, const extents& shape, const shared_array& a) {
    std::string& name = shared[{a.get(), ir::describe(shape)}];
    if (!name.empty()) return name;
    tensor t;
    t.name = name = values(wanted);
    t.shape = shape;
    t.type = a->type();
    t.values = a;
    file.graph.initializers.push_back(std::move(t));
    return name;
  }
  /// The same for few numbers, which one initializer holds for all nodes.
  std::string parameter(const std::string& wanted, const shared_array& a) {
    std::string& name = small[{a->type(), {a->bytes().begin(), a->bytes().end()}}][ir::describe(a->shape())];
    if (name.empty()) name = initializer(wanted, a->shape(), a);
    return name;
  }

  /// The numbers of a weight in the type of its slot; those that were read are shared.
  shared_array numbers_of(expression_id e) {
    const expression& x = g.at_expression(e);
    if (!x.type)
      if (const auto at = model.weights.find({x.layer, x.name}); at != model.weights.end())
        if (at->second->type() == x.element && static_cast<std::int64_t>(at->second->size()) == x.shape.count())
          return at->second;
    shared_array& known = evaluated_[e];
    if (known) return known;
    if (x.element == dtype::f32) {
      known = std::make_shared<const array>(x.shape, numbers(e));
    } else {
      if (x.type) throw error("layer '" + std::string(x.layer) + "': a weight of " + std::string(name_of(x.element)));
      known = std::make_shared<const array>(ir::array_of(model, x));
    }
    return known;
  }

 private:
  std::map<expression_id, shared_array> evaluated_;
};

class node_writer {
 public:
  node_writer(model_writer& builder, node_id id)
      : b(builder),
        id_(id),
        node_(builder.g.at(id)),
        first_(builder.file.graph.nodes.size()),
        given_(builder.g.given(node_)),
        own_(builder.g.inputs(node_).size() - static_cast<std::size_t>(ir::count_slots(given_))) {}

  model_writer& b;

  template <class Op>
  Op get() const {
    return b.g.get<Op>(id_);
  }
  const ir::node& source() const { return node_; }
  std::int64_t version() const { return b.version; }
  bool fused() const { return b.fused; }
  void need(std::int64_t version) const {
    if (b.version < version) throw needs_opset{version};
  }
  [[noreturn]] static void refuse(std::string reason) { throw inexpressible{std::move(reason)}; }

  // Inputs, without those that are weights.

  std::size_t input_count() const { return own_; }
  value_id input(std::size_t i = 0) const { return b.g.inputs(node_)[i]; }
  const extents& shape(std::size_t i = 0) const { return b.g.shape(input(i)); }
  dtype type(std::size_t i = 0) const { return b.g.at_value(input(i)).type; }
  const extents& result_shape(int i = 0) const { return b.g.shape(output(i)); }
  dtype result_type(int i = 0) const { return b.g.at_value(output(i)).type; }
  bool wants(int i) const { return b.g.at_value(output(i)).readers > 0; }
  /// Whether others read input 0 as well.
  bool read_again() const { return b.g.at_value(input()).readers > 1; }

  /// 1 if input 0 is there with a batch of 1 in front and not without: operators that can go on so.
  int lead() const { return lead_of(0); }
  int lead_of(std::size_t i) const {
    const auto& f = b.forms[static_cast<std::size_t>(input(i))];
    return f[0].empty() && !f[1].empty() && shape(i).rank < max_rank ? 1 : 0;
  }
  /// Input i, with a batch of 1 in front if `lead` is 1.
  std::string in(std::size_t i = 0, int lead = 0) { return form(input(i), lead); }
  std::vector<std::string> all_inputs(int lead = 0) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < own_; ++i) out.push_back(in(i, lead));
    return out;
  }
  std::string form(value_id v, int lead) {
    auto& f = b.forms[static_cast<std::size_t>(v)];
    std::string& wanted = f[static_cast<std::size_t>(lead)];
    if (wanted.empty()) {
      const std::string from = f[static_cast<std::size_t>(1 - lead)];
      const std::string& name = b.public_names[static_cast<std::size_t>(v)];
      const std::string to = lead ? b.values(name + "_batch") : name;
      append(lead ? "Unsqueeze" : "Squeeze", {from, whole({0})}, {to}, {}, name);
      settled_.insert(to);
      b.forms[static_cast<std::size_t>(v)][static_cast<std::size_t>(lead)] = to;
      return to;
    }
    return wanted;
  }

  // Weights, numbers of the file or values.

  bool has_numbers(std::size_t slot) const { return (given_ >> slot & 1u) == 0; }
  shared_array numbers(std::size_t slot) { return b.numbers_of(expression_of(slot)); }
  extents weight_shape(std::size_t slot) const {
    return has_numbers(slot) ? b.g.at_expression(expression_of(slot)).shape : b.g.shape(given_input(slot));
  }
  /// Its name; `shape`: brought into another shape.
  std::string weight(std::size_t slot) { return weight(slot, weight_shape(slot)); }
  std::string weight(std::size_t slot, const extents& shape) {
    if (has_numbers(slot)) return b.initializer(weight_name(slot), shape, numbers(slot));
    const std::string from = form(given_input(slot), 0);
    return b.g.shape(given_input(slot)) == shape ? from : add("Reshape", {from, dims(shape)});
  }
  /// What an initializer of these numbers is called.
  std::string weight_name(std::size_t slot) const {
    const expression& x = b.g.at_expression(expression_of(slot));
    if (!x.type) return std::string(x.layer) + (x.name == "value" ? "" : "." + std::string(x.name));
    ir::pool<extents> shapes = ir::input_shapes(b.g, node_);
    std::vector<dtype> types;
    for (value_id v : b.g.inputs(node_)) types.push_back(b.g.at_value(v).type);
    ir::description d;
    const auto left = slot - static_cast<std::size_t>(ir::count_slots(given_ & ((slot_set{1} << slot) - 1)));
    std::string name(node_.name);
    if (!node_.type->describe(b.g.fields_of(node_.fields), ir::inputs(shapes.data(), shapes.size()), types, d) &&
        left < d.weights.size())
      name += "." + std::string(d.weights[left].name);
    return name;
  }
  /// A matrix with its axes changed.
  std::string transposed_weight(std::size_t slot) {
    if (!has_numbers(slot)) return add("Transpose", {weight(slot)}, {with("perm", integers{1, 0})});
    const extents s = weight_shape(slot);
    const shared_array from = numbers(slot);
    shared_array& turned = b.turned[from.get()];
    if (!turned) {
      const auto to = std::make_shared<array>(extents{s[1], s[0]}, from->type());
      const auto rows = static_cast<std::size_t>(s[0]), columns = static_cast<std::size_t>(s[1]),
                 each = static_cast<std::size_t>(size_of(from->type()));
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < columns; ++k)
          std::memcpy(to->bytes().data() + (k * rows + i) * each, from->bytes().data() + (i * columns + k) * each,
                      each);
      turned = to;
    }
    return b.initializer(weight_name(slot), {s[1], s[0]}, turned);
  }

  // Numbers.

  /// One number of an element type, a scalar.
  std::string number(double value, dtype type) { return b.parameter(helper("number"), filled({}, type, value)); }
  std::string number(float value, dtype type) { return number(static_cast<double>(value), type); }
  std::string whole(const integers& values) {
    const auto a = std::make_shared<array>(extents{static_cast<int>(values.size())}, dtype::i64);
    std::copy(values.begin(), values.end(), a->elements<std::int64_t>().begin());
    return b.parameter(helper("numbers"), a);
  }
  std::string dims(const extents& shape) { return whole(as_integers(shape)); }
  std::string whole_scalar(std::int64_t value) {
    const auto a = std::make_shared<array>(extents{}, dtype::i64);
    a->elements<std::int64_t>()[0] = value;
    return b.parameter(helper("number"), a);
  }
  std::string reals(const std::vector<float>& values) {
    return b.parameter(helper("numbers"),
                       std::make_shared<const array>(extents{static_cast<int>(values.size())}, values));
  }
  /// Many equal numbers.
  std::string constant(const extents& shape, dtype type, double value) {
    return b.parameter(helper("numbers"), filled(shape, type, value));
  }

  // Nodes.

  /// Whether the result, a sum, is left to the normalisation that reads it; it is told of what.
  bool leaves_sum() const { return b.sums_left.contains(output(0)); }
  void leave_sum(const std::string& x, const std::string& y) { b.sums_left[output(0)] = {x, y}; }
  /// Input 0 as the two it is the sum of, if that is left to this node.
  const std::array<std::string, 2>* sum_left() const {
    const auto at = b.sums_left.find(input());
    return at == b.sums_left.end() ? nullptr : &at->second;
  }

  /// When all are there: the first that does more than bring numbers into shape has the node's name.
  void settle_name() {
    constexpr std::string_view shaping[] = {"Flatten", "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Cast"};
    auto& all = b.file.graph.nodes;
    if (!named_) return;
    for (std::size_t k = named_at_; k < all.size(); ++k) {
      if (std::ranges::find(shaping, all[k].type) != std::end(shaping)) continue;
      if (k != named_at_) {
        all[k].name = std::move(all[named_at_].name);
        all[named_at_].name = b.nodes(all[k].name + "_" + all[named_at_].type);
      }
      return;
    }
  }

  /// A node and the name of its result.
  std::string add(const char* type, std::vector<std::string> in, std::vector<attribute> attributes = {}) {
    return add_many(type, std::move(in), std::move(attributes), 1)[0];
  }
  std::vector<std::string> add_many(const char* type, std::vector<std::string> in, std::vector<attribute> attributes,
                                    int outputs) {
    return add_these(type, std::move(in), std::move(attributes),
                     std::vector<bool>(static_cast<std::size_t>(outputs), true));
  }
  /// With empty names for outputs that are not wanted.
  std::vector<std::string> add_these(const char* type, std::vector<std::string> in, std::vector<attribute> attributes,
                                     const std::vector<bool>& wanted) {
    std::vector<std::string> out;
    for (const bool w : wanted) out.push_back(w ? b.values(helper(type)) : "");
    append(type, std::move(in), out, std::move(attributes));
    return out;
  }
  std::string reshaped(const std::string& from, const extents& to) { return add("Reshape", {from, dims(to)}); }
  std::string permuted(const std::string& from, integers order) {
    return add("Transpose", {from}, {with("perm", std::move(order))});
  }

  /// The node's output i is `name`, with a batch of 1 in front if `lead` is 1.
  void result(int i, const std::string& name, int lead = 0) { is_made(output(i), name, lead); }
  /// The same for any value.
  void is_made(value_id made_here, const std::string& name, int lead = 0) {
    const auto v = static_cast<std::size_t>(made_here);
    std::string& to = b.forms[v][static_cast<std::size_t>(lead)];
    for (std::size_t k = first_; k < b.file.graph.nodes.size(); ++k) {
      auto& made = b.file.graph.nodes[k].outputs;
      const auto at = std::find(made.begin(), made.end(), name);
      if (at == made.end() || settled_.contains(name)) continue;
      to = lead ? b.values(b.public_names[v] + "_batch") : b.public_names[v];
      *at = to;
      for (std::size_t reader = first_; reader < b.file.graph.nodes.size(); ++reader)
        std::replace(b.file.graph.nodes[reader].inputs.begin(), b.file.graph.nodes[reader].inputs.end(), name, to);
      settled_.insert(to);
      return;
    }
    to = name;  // another value's: no node is needed
  }
  void result(const std::string& name, int lead = 0) { result(0, name, lead); }
  /// One ONNX node for the whole.
  void is(const char* type, std::vector<std::string> in, std::vector<attribute> attributes = {}, int lead = 0) {
    result(add(type, std::move(in), std::move(attributes)), lead);
  }

 private:
  value_id output(int i) const { return node_.outputs.first + i; }
  expression_id expression_of(std::size_t slot) const {
    return b.g.weights(node_)[slot - static_cast<std::size_t>(ir::count_slots(given_ & ((slot_set{1} << slot) - 1)))];
  }
  value_id given_input(std::size_t slot) const {
    return b.g.inputs(node_)[own_ + static_cast<std::size_t>(ir::count_slots(given_ & ((slot_set{1} << slot) - 1)))];
  }
  std::string helper(const char* what) const {
    return b.public_names[static_cast<std::size_t>(output(0))] + "_" + std::string(without_domain(what));
  }
  static constexpr std::string_view without_domain(std::string_view type) {
    return type.starts_with(microsoft) ? type.substr(microsoft.size()) : type;
  }
  static constexpr std::string_view microsoft = "com.microsoft.";

  void append(const char* type, std::vector<std::string> in, std::vector<std::string> out,
              std::vector<attribute> attributes = {}, const std::string& helps = {}) {
    while (!in.empty() && in.back().empty()) in.pop_back();
    node_message n;
    // The first of the nodes that do the work has the name.
    n.type = without_domain(type);
    if (n.type != type) {
      n.domain = microsoft.substr(0, microsoft.size() - 1);
      b.file.opsets[n.domain] = 1;
    }
    n.name = b.nodes(!helps.empty() ? helps + "_" + n.type
                     : named_       ? std::string(node_.name) + "_" + n.type
                                    : std::string(node_.name));
    if (helps.empty() && !std::exchange(named_, true)) named_at_ = b.file.graph.nodes.size();
    n.inputs = std::move(in);
    n.outputs = std::move(out);
    n.attributes = std::move(attributes);
    b.file.graph.nodes.push_back(std::move(n));
  }

  node_id id_;
  const ir::node& node_;
  std::size_t first_;  ///< of the file's nodes that are this one's
  slot_set given_;
  std::size_t own_;
  bool named_ = false;
  std::size_t named_at_ = 0;                 ///< which of the file's nodes has the name
  std::unordered_set<std::string> settled_;  ///< outputs of its nodes that have their name
};

}  // namespace ctnn::onnx
