// SPDX-License-Identifier: BSL-1.0
// What an operator's reader works with: the node's attributes and inputs, and ways to add nodes.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "importer.hpp"

namespace ctnn::onnx {

using integers = std::vector<std::int64_t>;

/// The call of a file's function whose nodes are being read.
struct function_call {
  const function_message* function;
  const function_call* outer;  ///< the call that it is a part of
  std::string prefix;          ///< of its nodes' and values' names
  /// Those that the function declares; null where neither the call nor the function gives a value.
  std::unordered_map<std::string_view, const attribute*> attributes{};
};

class node_reader {
 public:
  node_reader(importer& i, const node_message& node, int version, const function_call* call = nullptr)
      : importer_(i), call_(call), node(node), version(version) {}

 private:
  importer& importer_;
  const function_call* call_;

 public:
  const node_message& node;
  const int version;  ///< of the operator set

  importer& builder() { return importer_; }

  std::string who() const {
    return "node '" + name() + "' (" + node.type + ", byte " + std::to_string(node.byte) + ")";
  }
  std::string name() const {
    return prefixed(!node.name.empty() || node.outputs.empty() ? node.name : node.outputs[0]);
  }
  [[noreturn]] void fail(const std::string& what) const { importer_.fail(who() + ": " + what); }
  [[noreturn]] static void refuse(std::string reason) { throw unsupported{std::move(reason)}; }

  /// What a node draws random numbers from, which is `first` when it is read for the first time.
  std::minstd_rand0& random_engine(const std::minstd_rand0& first) {
    return importer_.random_engines.try_emplace({&node, call_ ? call_->prefix : ""}, first).first->second;
  }

  // Attributes.

  const attribute* find(std::string_view key, attribute_kind kind) {
    read_.insert(std::string(key));
    const attribute* a = given(key);
    if (!a) return nullptr;
    const bool is_nothing =  // which may be zero or an empty list
        a->kind == attribute_kind::undefined && kind != attribute_kind::tensor && kind != attribute_kind::graph;
    if (a->kind != kind && !is_nothing)
      fail("attribute '" + std::string(key) + "' is " + name_of(a->kind) + ", expected " + name_of(kind));
    return a;
  }
  /// The attribute whatever it holds; the one that a call gives where the node of a function refers to that.
  const attribute* given(std::string_view key) const {
    for (const attribute& a : node.attributes) {
      if (a.name != key) continue;
      if (a.refers_to.empty()) return &a;
      const auto refuse_reference = [&] {
        fail("attribute '" + a.name + "' refers to a function's attribute '" + a.refers_to + "'");
      };
      if (!call_) refuse_reference();
      const auto at = call_->attributes.find(a.refers_to);
      if (at == call_->attributes.end()) refuse_reference();
      if (at->second && at->second->graph) refuse("attribute '" + a.refers_to + "' (a graph) of a function");
      return at->second;
    }
    return nullptr;
  }
  bool has_attribute(std::string_view key) const { return given(key) != nullptr; }
  std::int64_t integer(std::string_view key, std::int64_t otherwise) {
    const attribute* a = find(key, attribute_kind::integer);
    return a ? a->integer : otherwise;
  }
  std::int64_t integer(std::string_view key) {
    const attribute* a = find(key, attribute_kind::integer);
    if (!a) fail("attribute '" + std::string(key) + "' is missing");
    return a->integer;
  }
  bool flag(std::string_view key, bool otherwise) { return integer(key, otherwise) != 0; }
  int small(std::string_view key, std::int64_t otherwise) { return to_int(integer(key, otherwise), key); }
  float real(std::string_view key, float otherwise) {
    const attribute* a = find(key, attribute_kind::real);
    return a ? a->real : otherwise;
  }
  std::string text(std::string_view key, const char* otherwise) {
    const attribute* a = find(key, attribute_kind::text);
    return a ? a->text : otherwise;
  }
  /// Empty if the attribute is missing.
  integers list_of(std::string_view key) {
    const attribute* a = find(key, attribute_kind::integers);
    return a ? a->integers : integers{};
  }
  std::vector<float> reals(std::string_view key) {
    const attribute* a = find(key, attribute_kind::reals);
    return a ? a->reals : std::vector<float>{};
  }
  std::vector<std::string> texts(std::string_view key) {
    const attribute* a = find(key, attribute_kind::texts);
    return a ? a->texts : std::vector<std::string>{};
  }
  dtype element(std::string_view key, int otherwise) {
    const int n = small(key, otherwise);
    const auto type = element_type(n);
    if (!type && (n < 1 || n > 26))
      fail("attribute '" + std::string(key) + "': element type " + std::to_string(n) + " is unknown");
    if (!type) refuse("attribute '" + std::string(key) + "' (" + element_name(n) + ")");
    return *type;
  }
  /// Attributes that no reader has asked for: their meaning is unknown.
  void refuse_other_attributes() const {
    for (const attribute& a : node.attributes)
      if (!read_.contains(a.name)) refuse("attribute '" + a.name + "'");
  }
  void ignore(std::string_view key) { read_.insert(std::string(key)); }

  int to_int(std::int64_t n, std::string_view what) const {
    if (n < -2147483647 || n > 2147483647) fail(std::string(what) + " is " + std::to_string(n) + ", out of range");
    return static_cast<int>(n);
  }
  int axis(std::int64_t a, int rank, std::string_view what = "axis") const {
    if (a < -rank || a >= rank)
      fail(std::string(what) + " " + std::to_string(a) + " is out of range for " + std::to_string(rank) +
           " dimensions");
    return static_cast<int>(a < 0 ? a + rank : a);
  }
  ir::list<int> axes(const integers& from, int rank) const {
    if (from.size() > max_rank) fail("more than " + std::to_string(max_rank) + " axes");
    ir::list<int> out;
    for (const std::int64_t a : from) {
      const int n = axis(a, rank);
      for (int before : out)
        if (before == n) fail("axis " + std::to_string(n) + " is given twice");
      out.push_back(n);
    }
    return out;
  }

  // Inputs.

  std::size_t input_count() const { return node.inputs.size(); }
  bool has(std::size_t i) const {
    if (i >= node.inputs.size() || node.inputs[i].empty()) return false;
    if (!call_) return true;
    const term* t = importer_.find(node.inputs[i]);
    return !t || *t != left_out;
  }
  bool wants(std::size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
  void expect(std::size_t least, std::size_t most) const {
    if (input_count() < least || input_count() > most)
      fail("has " + std::to_string(input_count()) + " inputs, expected " + std::to_string(least) +
           (least == most ? "" : " to " + std::to_string(most)));
    for (std::size_t i = 0; i < least; ++i)
      if (!has(i)) fail("input " + std::to_string(i) + " is missing");
  }
  /// Input i, whatever its form.
  term any_input(std::size_t i = 0) const {
    if (!has(i)) fail("input " + std::to_string(i) + " is missing");
    const term* t = importer_.find(node.inputs[i]);
    if (!t) fail("reads '" + node.inputs[i] + "', which nothing before it makes");
    if (*t == none) throw unknown_input{};
    return *t;
  }
  term input(std::size_t i = 0) const {
    const term t = any_input(i);
    const form f = importer_.at(t).form;
    if (f != form::numbers && !(is_narrow(f) && (node.type == "DequantizeLinear" || node.type == "Cast")))
      refuse("'" + node.inputs[i] + "' is " + name_of(f));
    return t;
  }
  /// The values of a sequence.
  std::shared_ptr<const std::vector<term>> sequence(std::size_t i = 0) const {
    const term_record& r = importer_.at(any_input(i));
    if (r.form != form::sequence) refuse("'" + node.inputs[i] + "' is " + name_of(r.form) + ", not a sequence");
    return r.parts;
  }
  std::vector<term> all_inputs() const {
    std::vector<term> out;
    for (std::size_t i = 0; i < input_count(); ++i) out.push_back(input(i));
    return out;
  }
  const extents& shape(term t) const { return importer_.at(t).shape; }
  dtype type(term t) const { return importer_.at(t).type; }
  const ir::element& element_of(term t) const { return importer_.at(t).type; }
  int rank(term t) const { return shape(t).rank; }
  /// The numbers if they are known without asking for an input's.
  shared_array known(term t) const { return importer_.at(t).known; }
  const array& numbers(term t, const char* what = "input") { return importer_.numbers(t, who(), what); }
  /// Integers of input i, whatever their width.
  integers whole(std::size_t i) {
    const array& a = numbers(input(i), "input");
    integers out(a.size());
    const auto copy = [&](auto from) { std::copy(from.begin(), from.end(), out.begin()); };
    if (a.type() == dtype::i64) copy(a.elements<std::int64_t>());
    else if (a.type() == dtype::i32) copy(a.elements<std::int32_t>());
    else if (a.type() == dtype::u8 || a.type() == dtype::boolean) copy(a.elements<std::uint8_t>());
    else fail("input " + std::to_string(i) + " holds " + std::string(name_of(a.type())) + ", expected integers");
    return out;
  }
  std::int64_t whole_scalar(std::size_t i) {
    const integers n = whole(i);
    if (n.size() != 1) fail("input " + std::to_string(i) + " has " + std::to_string(n.size()) + " numbers, expected 1");
    return n[0];
  }
  /// One number of any type.
  double scalar(std::size_t i) {
    const array& a = numbers(input(i), "input");
    if (a.size() != 1) fail("input " + std::to_string(i) + " has " + std::to_string(a.size()) + " numbers, expected 1");
    return number_at(a, 0);
  }
  std::vector<float> floats(std::size_t i) {
    const array& a = numbers(input(i), "input");
    std::vector<float> out(a.size());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(number_at(a, k));
    return out;
  }

  // Nodes.

  /// A node and its outputs. Weights that its operator owns are given in the order of its slots.
  template <class Op>
  std::vector<term> nodes(const Op& op, const std::vector<term>& in, const std::vector<shared_array>& weights = {}) {
    return importer_.add(op, in, node_name(Op::name), weights);
  }
  template <class Op>
  term add(const Op& op, const std::vector<term>& in, const std::vector<shared_array>& weights = {}) {
    return nodes(op, in, weights)[0];
  }
  /// A node whose first results have these elements, which the operator leaves to who adds it.
  template <class Op>
  std::vector<term> nodes_as(ir::types made, const Op& op, const std::vector<term>& in) {
    return importer_.add(op, in, node_name(Op::name), {}, made);
  }
  template <class Op>
  term add_as(const ir::element& made, const Op& op, const std::vector<term>& in) {
    return nodes_as({&made, 1}, op, in)[0];
  }
  /// While nodes only help the one that the reader is about to add, that one keeps the node's name.
  void only_helping(bool yes) { named_ = yes; }
  /// Memory for numbers that the file does not hold; the budget is asked first.
  std::shared_ptr<array> allocate(const extents& s, dtype type) { return importer_.allocate(s, type, name()); }
  term constant(shared_array a) { return importer_.add_known(std::move(a), node_name("constant")); }
  term constant(const extents& shape, const std::vector<float>& numbers) {
    return constant(std::make_shared<const array>(shape, numbers));
  }
  term whole_constant(const integers& numbers) {
    const auto a = allocate(extents{static_cast<int>(numbers.size())}, dtype::i64);
    std::copy(numbers.begin(), numbers.end(), a->elements<std::int64_t>().begin());
    return constant(a);
  }
  /// One number of an element type, as a scalar.
  term ones(const extents& s, dtype type) {
    const auto a = allocate(s, type);  // taken from the budget before the copy below
    *a = *filled(s, type, 1);
    return constant(a);
  }
  term number(double value, dtype type) { return constant(filled({}, type, value)); }

  /// The same integers, which stand for themselves.
  term as_integers(term t) { return importer_.as_integers(t); }
  /// The same integers, which stand for other real numbers.
  term stands_for(term t, const ir::quantization& q) { return importer_.stands_for(t, q); }
  /// A value of the graph for what is known: nodes that read it are not computed while reading.
  term unfolded(term t) { return importer_.add_value(importer_.materialize(t)); }

  term reshaped(term t, const extents& to) {
    if (shape(t) == to) return t;
    if (const shared_array k = known(t)) {
      if (k->shape().count() != to.count()) fail("cannot give " + describe(k->shape()) + " the shape " + describe(to));
      if (k->source()) return constant(std::make_shared<const array>(to, k->type(), k->source()));
      const auto copy = allocate(to, k->type());
      std::copy(k->bytes().begin(), k->bytes().end(), copy->bytes().begin());
      return constant(std::move(copy));
    }
    if (to.rank == 0) return squeezed_to_scalar(t);
    return add(reshaping(to), {t});
  }
  term permuted(term t, std::initializer_list<int> order) {
    return add(permuting(order), {t});
  }
  term cast(term t, dtype to) {
    if (type(t) == to) return t;
    op::cast op;
    op.to = to;
    return add(op, {t});
  }

  /// The node's output i, if it has one.
  void result(std::size_t i, term t) {
    if (!wants(i)) return;
    importer_.define(node.outputs[i], t);
    const term_record& r = importer_.at(t);
    if (r.id == none || r.form == form::text) return;
    value& v = importer_.model.network.at_value(r.id);
    const std::string_view kept = importer_.model.keep(prefixed(node.outputs[i]));
    if (v.name.empty()) v.name = kept;
    else importer_.model.aliases[kept] = v.name;
  }
  void result(term t) { result(0, t); }

 private:
  std::string prefixed(const std::string& name) const { return call_ ? call_->prefix + name : name; }

  /// The node's own name for the first of ctnn's nodes, "<name>_<operator>" for further ones.
  std::string node_name(std::string_view op) {
    std::string out = name();
    if (out.empty()) out = std::string(op);
    else if (named_) out += "_" + std::string(op);
    named_ = true;
    return out;
  }
  term squeezed_to_scalar(term t) {
    op::reduce op;
    op.function = op::reduction::max;
    op.keep = false;
    return add(op, {t});
  }

  bool named_ = false;
  std::unordered_set<std::string> read_;
};

/// Of a list that is sorted by name; null if it has none.
inline const operator_entry* find_in(std::span<const operator_entry> operators, std::string_view name) {
  const auto at = std::ranges::lower_bound(operators, name, {}, &operator_entry::name);
  return at != operators.end() && at->name == name ? &*at : nullptr;
}

}  // namespace ctnn::onnx
