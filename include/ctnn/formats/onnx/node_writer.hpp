// SPDX-License-Identifier: BSL-1.0
// What an operator's writer works with: its node, and ways to add ONNX nodes and their numbers.
#pragma once

#include <algorithm>
#include <set>

#include "element_types.hpp"
#include "model_writer.hpp"

namespace ctnn::onnx {

class node_writer {
 public:
  node_writer(model_writer& builder, node_id id)
      : b(builder),
        id_(id),
        node_(builder.g.at(id)),
        first_(builder.file.graph.nodes.size()),
        given_(builder.g.given(node_)),
        own_(builder.g.inputs(node_).size() - static_cast<std::size_t>(ir::count_slots(given_))),
        reals_(computes_reals()) {}

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
  /// The elements of values as the graph has them, and as what is written computes with them.
  const element& own_type(std::size_t i = 0) const { return b.g.at_value(input(i)).type; }
  const element& own_result_type() const { return b.g.at_value(output(0)).type; }
  const element& type(std::size_t i = 0) const { return reals_ ? real_numbers : own_type(i); }
  /// Is what is written between DequantizeLinear and QuantizeLinear?
  bool in_reals() const { return reals_; }
  const extents& result_shape(int i = 0) const { return b.g.shape(output(i)); }
  const element& result_type(int i = 0) const { return reals_ ? real_numbers : b.g.at_value(output(i)).type; }
  bool wants(int i) const { return b.g.at_value(output(i)).readers > 0; }
  /// Whether others read input 0 as well.
  bool read_again() const { return b.g.at_value(input()).readers > 1; }

  /// 1 if input 0 is there with a batch of 1 in front and not without: operators that can go on so.
  int lead() const { return lead_of(0); }
  int lead_of(std::size_t i) const {
    const auto& f = b.forms[static_cast<std::size_t>(input(i))];
    return f[0].empty() && !f[1].empty() && shape(i).rank < max_rank ? 1 : 0;
  }
  /// Input i, with a batch of 1 in front if `lead` is 1; the real numbers that its bytes stand for where the node
  /// computes with these.
  std::string in(std::size_t i = 0, int lead = 0) {
    const std::string x = form(input(i), lead);
    return reals_ ? real_of(x, own_type(i)) : x;
  }
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
    std::vector<ir::element> types;
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
  std::string bytes(const std::vector<std::uint8_t>& values, dtype type, std::optional<extents> shape = {}) {
    const auto a = std::make_shared<array>(shape.value_or(extents{static_cast<int>(values.size())}), type);
    std::memcpy(a->bytes().data(), values.data(), values.size());
    return b.parameter(helper("numbers"), a);
  }
  /// Real numbers of integers, and the other way round, by their element.
  std::string real_of(const std::string& x, const element& e) {
    const auto [scale, zero] = e.real;
    if (e == dtype::i32 && zero != 0) refuse("i32 with a zero point");
    std::vector<std::string> in{x, number(scale, dtype::f32)};
    if (e != dtype::i32) in.push_back(number(static_cast<double>(zero), e.type));
    return add("DequantizeLinear", in);
  }
  std::string integers_of(const std::string& x, const element& e) {
    return add("QuantizeLinear",
               {x, number(e.real.scale, dtype::f32), number(static_cast<double>(e.real.zero), e.type)});
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

  /// Whether ONNX has an operator for elements of this type, in this operator set or a later one.
  static bool takes(std::string_view type, dtype element) {
    return std::ranges::all_of(detail::groups_of(type), [&](detail::places where) {
      return detail::first_taken(type, where, element, first_opset_written).has_value();
    });
  }

  /// When all are there: the first that does more than bring numbers into shape has the node's name.
  void settle_name() {
    constexpr std::string_view shaping[] = {"Flatten", "Reshape", "Transpose",       "Unsqueeze",
                                            "Squeeze", "Cast",    "DequantizeLinear"};
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
  void result(int i, const std::string& name, int lead = 0) {
    const element& made = b.g.at_value(output(i)).type;
    is_made(output(i), reals_ && made.real ? integers_of(name, made) : name, lead);
  }
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
      b.written[to] = b.written[name];
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
  static constexpr element real_numbers{};
  /// Is it one of bytes whose arithmetic is that of what they stand for? ONNX has it between DequantizeLinear and
  /// QuantizeLinear.
  bool computes_reals() const {
    if (own_ == 0 || !own_type().real) return false;
    if (is_layer_of_reals<op::conv1d, op::conv2d, op::conv3d, op::linear>()) return true;
    if (node_.type == &ir::type_of<op::matmul>) {
      const element& made = own_result_type();
      return own_type(1).real && made != dtype::i32 && !(made.real && made.rounded == ir::rounding::real);
    }
    if (node_.type == &ir::type_of<op::binary>) return get<op::binary>().combines_bytes();
    return node_.type == &ir::type_of<op::activation> || node_.type == &ir::type_of<op::softmax>;
  }
  template <class... Layers>
  bool is_layer_of_reals() const {
    return ((node_.type == &ir::type_of<Layers> && multiplies_as_reals(get<Layers>())) || ...);
  }
  /// A layer by a weight of bytes: ONNX has operators for its sums, and for bytes of these by QLinearConv's arithmetic.
  template <class Op>
  bool multiplies_as_reals(const Op& op) const {
    const element& made = own_result_type();
    if (made == dtype::i32 || own_type().rounded == ir::rounding::away) return false;
    bool by_qlinear = made.real && made.rounded == ir::rounding::real && !op.weight.real_bias && !op.activation;
    if constexpr (std::is_same_v<Op, op::linear>)  // QLinearMatMul has no bias, and the last axis
      by_qlinear = by_qlinear && !op.bias && op.axes == 1 && op.ones == 0;
    return !by_qlinear;
  }
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
    n.inputs = std::move(in);
    n.outputs = std::move(out);
    n.attributes = std::move(attributes);
    const std::vector<return_conversion> back =
        n.domain.empty() ? say_in_types_it_takes(n) : std::vector<return_conversion>{};
    if (helps.empty() && !std::exchange(named_, true)) named_at_ = b.file.graph.nodes.size();
    push(std::move(n));
    for (const return_conversion& r : back) convert(r.from, r.to, r.as.type, r.as);
  }
  /// Adds a node as it is, and notes what its results are.
  void push(node_message n) {
    for (std::size_t i = 0; i < n.outputs.size(); ++i)
      if (!n.outputs[i].empty()) b.written[n.outputs[i]] = made_by(n, static_cast<int>(i));
    b.file.graph.nodes.push_back(std::move(n));
  }
  const written_value* given(const node_message& n, std::size_t input) const {
    const auto at = input < n.inputs.size() ? b.written.find(n.inputs[input]) : b.written.end();
    return at == b.written.end() ? nullptr : &at->second;
  }
  static const attribute* find_attribute(const node_message& n, std::string_view name) {
    const auto at = std::ranges::find(n.attributes, name, &attribute::name);
    return at == n.attributes.end() ? nullptr : &*at;
  }
  /// The type of the first input at some places that is given.
  std::optional<dtype> type_at(const node_message& n, detail::places where) const {
    if (where == detail::in_value) {
      const attribute* value = find_attribute(n, "value");
      return value && value->tensor ? std::optional(value->tensor->type) : std::nullopt;
    }
    for (std::size_t i = 0; i < n.inputs.size(); ++i)
      if (const written_value* v = detail::has(where, i) ? given(n, i) : nullptr) return v->type;
    return {};
  }
  /// What result i of a node is. Bytes keep their meaning in what moves them, and get one where it is said.
  written_value made_by(const node_message& n, int i) const {
    const written_value* first = given(n, 0);
    written_value made;
    if (first) made = *first;
    const detail::made_types* row = n.domain.empty() ? detail::made_by(n.type, i) : nullptr;
    if (const attribute* to = find_attribute(n, "to")) made = {element_type(static_cast<int>(to->integer)).value()};
    else if (n.type == "ConstantOfShape") made = {type_at(n, detail::in_value).value_or(dtype::f32)};
    else if (row && row->type) made = {*row->type};
    else if (row) made = given(n, row->input) ? *given(n, row->input) : written_value{dtype::u8};
    const std::size_t scale = n.type == "QuantizeLinear" ? 1 : n.type.starts_with("QLinear") ? 6 : 0;
    if (scale > 0 && !find_attribute(n, "axis")) {
      made.scale = n.inputs[scale];
      made.zero = scale + 1 < n.inputs.size() ? n.inputs[scale + 1] : "";
    }
    return made;
  }

  /// A result that is made in another type: its name there, its own, and what it is.
  struct return_conversion {
    std::string from, to;
    written_value as;
  };
  /// Where an operator does not take a type (element_types.hpp): a later operator set that does, or its inputs in a
  /// type that holds all their numbers, of bytes the real numbers that they stand for. What has to be done with its
  /// results.
  std::vector<return_conversion> say_in_types_it_takes(node_message& n) {
    std::vector<return_conversion> back;
    bool first = true;
    for (const detail::places where : detail::groups_of(n.type)) {
      const bool of_results = std::exchange(first, false);
      const std::optional<dtype> type = type_at(n, where);
      if (!type || detail::takes(n.type, where, *type, b.version)) continue;
      if (const auto since = detail::first_taken(n.type, where, *type, b.version); since) need(*since);
      const std::optional<dtype> wide = detail::instead_of(n.type, where, *type, b.version);
      if (!wide) refuse("ONNX's " + n.type + " has no " + std::string(name_of(*type)));
      written_value bytes{*type};
      std::map<std::string, std::string> converted;
      for (std::size_t i = 0; i < n.inputs.size(); ++i) {
        const written_value* v = detail::has(where, i) && !n.inputs[i].empty() ? given(n, i) : nullptr;
        if (!v || v->type != *type) continue;
        if (converted.empty()) bytes = *v;
        std::string& to = converted[n.inputs[i]];
        if (to.empty())
          convert(n.inputs[i], to = b.values(n.inputs[i] + "_" + std::string(name_of(*wide))), *wide, bytes);
        n.inputs[i] = to;
      }
      for (std::size_t i = 0; i < n.outputs.size() && of_results; ++i) {
        std::string& out = n.outputs[i];
        const detail::made_types* row = detail::made_by(n.type, static_cast<int>(i));
        if (out.empty() || (row && (row->type || !detail::has(where, row->input)))) continue;
        const std::string inner = b.values(out + "_" + std::string(name_of(*wide)));
        back.push_back({inner, out, bytes});
        out = inner;
      }
    }
    return back;
  }
  /// `to` is `from` in another type. Between bytes and real numbers lies what the bytes stand for; where nobody has
  /// said it, the numbers that they are.
  void convert(const std::string& from, const std::string& to, dtype as, const written_value& bytes) {
    const dtype type = b.written.at(from).type;
    const bool real = is_byte(type) && as == dtype::f32, back = type == dtype::f32 && is_byte(as);
    node_message n;
    n.type = real ? "DequantizeLinear" : back ? "QuantizeLinear" : "Cast";
    n.name = b.nodes(std::string(node_.name) + "_" + n.type);
    n.inputs = {from};
    if (real || back) add_meaning(n, bytes);
    else n.attributes = {with("to", element_number(as))};
    n.outputs = {to};
    push(std::move(n));
  }
  void add_meaning(node_message& n, const written_value& bytes) {
    const bool said = !bytes.scale.empty();
    n.inputs.push_back(said ? bytes.scale : number(1.0, dtype::f32));
    n.inputs.push_back(said && !bytes.zero.empty() ? bytes.zero : number(0.0, bytes.type));
  }

  node_id id_;
  const ir::node& node_;
  std::size_t first_;  ///< of the file's nodes that are this one's
  slot_set given_;
  std::size_t own_;
  bool reals_;  ///< it is written as a layer of real numbers
  bool named_ = false;
  std::size_t named_at_ = 0;                 ///< which of the file's nodes has the name
  std::unordered_set<std::string> settled_;  ///< outputs of its nodes that have their name
};

}  // namespace ctnn::onnx
