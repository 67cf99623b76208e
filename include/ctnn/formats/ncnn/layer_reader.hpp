// SPDX-License-Identifier: BSL-1.0
// What a layer type's reader works with: the layer's parameters and inputs, and ways to add nodes and weights.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../kernels/operator_code.hpp"  // before operators that compare their records
#include "../../graph/operators.hpp"
#include "../../base/describe.hpp"
#include "../import.hpp"
#include "bin_reader.hpp"
#include "parameter_reader.hpp"

namespace ctnn::ncnn {

struct builder : model_builder {
  const param_file& file;
  bin_reader& weights;
  const budget& limits;
  const std::map<std::string, extents, std::less<>>& input_shapes;
  std::unordered_map<std::string, value_id> blobs{};  ///< `none` below unsupported layers
  std::unordered_map<std::string_view, const layer*> first_convolutions{};  ///< by the blob they read
};

class layer_reader : public parameter_reader {
 public:
  layer_reader(ncnn::builder& builder, const ncnn::layer& at)
      : parameter_reader(builder.file, at), layer(at), builder_(builder) {}

  const ncnn::layer& layer;

  graph& network() { return builder_.model.network; }
  ncnn::builder& builder() { return builder_; }

  std::size_t input_count() const { return layer.inputs.size(); }
  std::size_t output_count() const { return layer.outputs.size(); }
  void expect(std::size_t inputs, std::size_t outputs) const {
    if (input_count() != inputs || output_count() != outputs)
      fail("has " + std::to_string(input_count()) + " inputs and " + std::to_string(output_count()) +
           " outputs, expected " + std::to_string(inputs) + " and " + std::to_string(outputs));
  }
  value_id input(std::size_t i = 0) const {
    if (i >= input_count()) fail("input " + std::to_string(i) + " is missing");
    const value_id v = builder_.blobs.at(layer.inputs[i]);
    if (v == none) throw unknown_input{};
    return v;
  }
  std::vector<value_id> all_inputs() const {
    std::vector<value_id> out;
    for (std::size_t i = 0; i < input_count(); ++i) out.push_back(input(i));
    return out;
  }
  const extents& shape(value_id v) { return network().at_value(v).shape; }

  [[noreturn]] static void refuse(std::string reason) { throw unsupported{std::move(reason)}; }
  [[noreturn]] static void refuse(int id, const std::string& what) {
    refuse("parameter " + std::to_string(id) + " (" + what + ")");
  }
  /// A size, stride or padding: small enough that sums and products with others fit an int.
  int extent_or(int id, int otherwise, int least) const {
    const int n = int_or(id, otherwise);
    if (n < least || n > 32767)
      fail(id, std::to_string(n) + " is out of range, expected " + std::to_string(least) + " to 32767");
    return n;
  }

  /// A node under the layer's own name; its (first) output.
  template <class Op>
  value_id node(const Op& op, std::vector<value_id> in, const element& made = {}) {
    has_main_ = true;
    return add(op, in, layer.name, made);
  }
  /// A node that helps to express the layer, called "<layer>_<what>". Where there is no node() the last one gets the
  /// layer's name.
  template <class Op>
  value_id helper(const Op& op, std::vector<value_id> in, const char* what, const element& made = {}) {
    return add(op, in, layer.name + "_" + what, made);
  }
  value_id reshaped(value_id v, const extents& to, const char* what = "reshape") {
    if (shape(v) == to) return v;
    return helper(reshaping(to), {v}, what);
  }
  value_id permuted(value_id v, std::initializer_list<int> order, const char* what = "permute") {
    return helper(permuting(order), {v}, what);
  }
  value_id with_scalar(op::binary_function function, value_id v, float scalar, const char* what) {
    op::binary op;
    op.function = function;
    op.scalar = scalar;
    return helper(op, {v}, what);
  }

  /// Weight `slot` of the node that made v, which the file says has n numbers.
  const expression& expect_weight(value_id v, std::size_t slot, std::int64_t n) {
    const expression& leaf = builder_.weight_of(v, slot);
    if (checked_count(leaf.shape) != n)
      fail("weight '" + std::string(leaf.name) + "' has " + std::to_string(n) + " numbers, expected " +
           describe(leaf.shape));
    return leaf;
  }
  /// A helper that holds numbers: a parameter of an operator that takes its parameters as inputs.
  value_id constant(const extents& to, const std::vector<float>& numbers, const char* what) {
    op::constant op;
    op.shape = as_list(to);
    const value_id v = helper(op, {}, what);
    set_weight(v, 0, numbers);
    return v;
  }
  /// The same number everywhere.
  value_id full(const extents& to, float number, const char* what) {
    op::full op;
    op.shape = as_list(to);
    op.value = number;
    return helper(op, {}, what);
  }

  /// Gives the numbers of weight `slot` of the node that made v.
  void set_weight(value_id v, std::size_t slot, const std::vector<float>& numbers) {
    const expression& leaf = expect_weight(v, slot, static_cast<std::int64_t>(numbers.size()));
    builder_.model.set_weight(leaf, numbers);
  }
  void set_bytes(value_id v, std::size_t slot, const std::vector<std::int8_t>& bytes) {
    const expression& leaf = expect_weight(v, slot, static_cast<std::int64_t>(bytes.size()));
    ctnn::array values(leaf.shape, dtype::i8);
    std::copy(bytes.begin(), bytes.end(), values.elements<std::int8_t>().begin());
    builder_.model.set_weight(leaf, std::make_shared<const ctnn::array>(std::move(values)));
  }
  /// Reads them from the weight file; `n` is how many the layer declares, compared before anything is allocated.
  void read_raw(value_id v, std::size_t slot, std::int64_t n) {
    const expression& leaf = expect_weight(v, slot, n);
    builder_.model.set_weight(leaf, builder_.weights.stored_raw(leaf.shape, layer.name));
  }
  void read_tagged(value_id v, std::size_t slot, std::int64_t n) {
    const expression& leaf = expect_weight(v, slot, n);
    builder_.model.set_weight(leaf, builder_.weights.stored(leaf.shape, layer.name));
  }
  /// Are there no weights to be read, only an architecture?
  bool gives_zeros() const { return builder_.weights.gives_zeros(); }
  std::vector<float> raw(std::int64_t n) { return builder_.weights.raw(n, layer.name); }
  std::vector<float> tagged(std::int64_t n) { return builder_.weights.tagged(n, layer.name); }
  stored_weights tagged_or_int8(value_id v, std::size_t slot, std::int64_t n) {
    expect_weight(v, slot, n);
    return builder_.weights.tagged_or_int8(n, layer.name);
  }

  /// The layer's outputs, in order. A value that an earlier layer named keeps its name and gets another.
  void result(const std::vector<value_id>& values) {
    graph& g = network();
    if (!has_main_ && !named_.empty()) g.nodes.back().name = builder_.fresh_name(layer.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string& blob = layer.outputs[i];
      builder_.blobs[blob] = values[i];
      const std::string_view kept = builder_.model.keep(blob);
      if (named_.contains(values[i])) {
        g.at_value(values[i]).name = kept;
        named_.erase(values[i]);
      } else {
        builder_.model.aliases[kept] = g.at_value(values[i]).name;
      }
    }
  }
  void result(value_id v) {
    expect_outputs(1);
    result(std::vector<value_id>{v});
  }
  void expect_outputs(std::size_t n) const {
    if (output_count() != n)
      fail("has " + std::to_string(output_count()) + " outputs, expected " + std::to_string(n));
  }

 private:
  template <class Op>
  value_id add(const Op& op, const std::vector<value_id>& in, const std::string& name, const element& made = {}) {
    graph& g = network();
    if (const problem p = add_node(g, op, builder_.fresh_name(name), in, {}, {&made, 1})) fail(describe(p));
    const range out = g.nodes.back().outputs;
    for (int i = 0; i < out.count; ++i) {
      const extents& s = g.at_value(out.first + i).shape;
      const auto n = checked_count(s);
      if (!n || *n > builder_.limits.value_elements)
        fail("its output of " + describe(s) + " is above the limit of " +
             std::to_string(builder_.limits.value_elements) + " elements");
      named_.insert(out.first + i);
    }
    return out.first;
  }

  ncnn::builder& builder_;
  bool has_main_ = false;
  std::unordered_set<value_id> named_;  ///< values this layer made and result() has not named yet
};

}  // namespace ctnn::ncnn
