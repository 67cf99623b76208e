// SPDX-License-Identifier: BSL-1.0
// What an operator's writer works with: its node, and ways to add ncnn layers and their weights.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../graph/graph.hpp"
#include "../../base/describe.hpp"
#include "bin_writer.hpp"
#include "input_habits.hpp"
#include "param_writer.hpp"

namespace ctnn::ncnn {

/// Thrown by an operator's writer: ncnn has no layer for it. All of a graph's are reported together.
struct inexpressible {
  std::string reason;
};

/// The files under construction.
struct file_builder {
  graph_view g;
  const weight_numbers& numbers;
  bin_writer bin;
  param_file file{"graph", {}};
  std::vector<std::string> blobs{};             ///< by value
  std::unordered_set<std::string> blob_names{}, layer_names{};
  std::vector<std::vector<node_id>> readers{};  ///< by value, of live nodes
  std::set<value_id> outputs{};
  std::set<node_id> absorbed{};                 ///< nodes that another node's layer does
  std::map<node_id, node_id> products{};        ///< by sum: the absorbed product of matrices that it adds to
  std::set<node_id> kept_flat{};                ///< linear layers whose extents of 1 ncnn's broadcasting does without
  std::map<node_id, layer> replaced{};          ///< nodes that become this layer, with their absorbed predecessors
  std::map<value_id, extents> forms{};  ///< shapes of blobs that differ from their value's, such as without a batch

  static std::string fresh(std::unordered_set<std::string>& taken, std::string wanted) {
    for (char& c : wanted)
      if (c == ' ' || (c >= '\t' && c <= '\r') || c == '\0') c = '_';
    if (wanted.empty()) wanted = "unnamed";
    if (wanted.size() > 200) wanted.resize(200);
    while (!taken.insert(wanted).second) wanted += "_";
    return wanted;
  }
  /// The one node that reads v and nothing else does; `none` otherwise.
  node_id only_reader(value_id v) const {
    const auto& all = readers[static_cast<std::size_t>(v)];
    return all.size() == 1 && !outputs.contains(v) ? all[0] : none;
  }
  const std::string& blob(value_id v) const { return blobs[static_cast<std::size_t>(v)]; }
  node_id maker(value_id v) const { return g.at_value(v).producer; }
  const extents& form(value_id v) const {
    const auto at = forms.find(v);
    return at == forms.end() ? g.shape(v) : at->second;
  }
  bool is_reshape(node_id n) const { return (g.is<op::reshape>(n) || g.is<op::flatten>(n)) && !replaced.contains(n); }
  bool is_constant(value_id v) const { return g.is<op::constant>(maker(v)) || g.is<op::full>(maker(v)); }
  /// The numbers of a constant or full node.
  std::vector<float> constant(value_id v) const {
    const node& n = g.at(maker(v));
    if (g.is<op::full>(maker(v)))
      return std::vector<float>(static_cast<std::size_t>(g.shape(v).count()), g.get<op::full>(maker(v)).value);
    if (!g.is<op::constant>(maker(v))) throw inexpressible{"a parameter that is not constant"};
    const std::span<const float> numbers_of = numbers(g.weights(n)[0]);
    return {numbers_of.begin(), numbers_of.end()};
  }
};

/// Parameters of a layer; values that equal the default are left out, as ncnn does.
class parameter_list {
 public:
  parameter_list& integer(int id, std::int64_t value, std::int64_t otherwise) {
    if (value != otherwise) params[id] = number{static_cast<double>(value), false};
    return *this;
  }
  parameter_list& real(int id, float value, float otherwise) {
    if (value != otherwise) params[id] = number{static_cast<double>(value), true};
    return *this;
  }
  parameter_list& integers(int id, std::span<const int> values) {
    numbers list;
    for (int v : values) list.push_back({static_cast<double>(v), false});
    params[id] = std::move(list);
    return *this;
  }
  parameter_list& reals(int id, std::span<const float> values) {
    numbers list;
    for (float v : values) list.push_back({static_cast<double>(v), true});
    params[id] = std::move(list);
    return *this;
  }
  /// w, h, d and c.
  parameter_list& shape(const extents& s) {
    if (s.rank < 1 || s.rank > 4) throw inexpressible{"a value of " + describe(s)};
    const int id[4] = {0, 1, s.rank == 4 ? 11 : 2, 2};
    for (int i = 0; i < s.rank; ++i) params[id[i]] = number{static_cast<double>(s.back(i)), false};
    return *this;
  }

  std::map<int, parameter> params;
};

class node_writer {
 public:
  node_writer(file_builder& builder, node_id id) : b(builder), id_(id), node_(builder.g.at(id)) {}

  template <class Op>
  Op get() const {
    return b.g.get<Op>(id_);
  }
  node_id id() const { return id_; }
  std::size_t input_count() const { return b.g.inputs(node_).size(); }
  value_id input(std::size_t i = 0) const { return b.g.inputs(node_)[i]; }
  value_id output(int i = 0) const { return node_.outputs.first + i; }
  const element& result_type() const { return b.g.at_value(output()).type; }
  const extents& input_shape(std::size_t i = 0) const { return b.g.shape(input(i)); }
  const extents& output_shape() const { return b.g.shape(output()); }
  std::string in(std::size_t i = 0) const { return b.blob(input(i)); }
  std::string out(int i = 0) const { return b.blob(output(i)); }

  std::span<const float> weight(std::size_t slot) const { return b.numbers(b.g.weights(node_)[slot]); }

  /// A layer from and to the given blobs. The first layer of a node carries its name.
  void layer(const char* type, std::vector<std::string> inputs, std::vector<std::string> outputs,
             const parameter_list& params = {}) {
    const std::string wanted(node_.name);
    b.file.layers.push_back({type, file_builder::fresh(b.layer_names, wanted.empty() ? type : wanted),
                             std::move(inputs), std::move(outputs), params.params, 0});
  }
  /// A blob between two layers of this node.
  std::string between(const char* what) { return file_builder::fresh(b.blob_names, out() + "_" + what); }

  std::string reshaped(const std::string& blob, const extents& to, const char* what) {
    const std::string result = between(what);
    b.file.layers.push_back({"Reshape", file_builder::fresh(b.layer_names, result), {blob}, {result},
                             parameter_list().shape(to).params, 0});
    return result;
  }

  /// Weight `slot` as a blob of this shape, which other layers read.
  std::string weight_blob(std::size_t slot, const extents& shape, const char* what) {
    const std::string result = between(what);
    b.file.layers.push_back({"MemoryData",
                             file_builder::fresh(b.layer_names, result),
                             {},
                             {result},
                             parameter_list().shape(shape).params,
                             0});
    b.bin.raw(weight(slot));
    return result;
  }

  /// What input i reads before reshapes that became part of other layers.
  value_id source(std::size_t i) const {
    value_id v = input(i);
    while (!b.forms.contains(v) && b.absorbed.contains(b.maker(v)) && b.is_reshape(b.maker(v)))
      v = b.g.inputs(b.g.at(b.maker(v)))[0];
    return v;
  }
  /// Input i as a blob of shape `wanted`, which has as many elements.
  std::string in_form(std::size_t i, const extents& wanted) {
    const value_id v = source(i);
    return b.form(v) == wanted ? b.blob(v) : reshaped(b.blob(v), wanted, "form");
  }
  /// The blob to write output i to where the layer makes it of shape `made`. finish() adds what is needed after it.
  std::string out_in_form(const extents& made, int i = 0) {
    const value_id v = output(i);
    if (made == b.g.shape(v)) return out(i);
    const node_id next = b.only_reader(v);
    if (next != none && b.is_reshape(next) && !b.absorbed.contains(next) && b.g.shape(b.g.output_of(next)) == made) {
      b.absorbed.insert(next);
      b.forms[b.g.output_of(next)] = made;
      return b.blob(b.g.output_of(next));
    }
    bool any_form = !b.outputs.contains(v);
    for (const node_id reader : b.readers[static_cast<std::size_t>(v)])
      any_form = any_form && takes_any_form(b, reader, v);
    if (any_form) {
      b.forms[v] = made;
      return out(i);
    }
    const std::string name = between("form");
    after_.emplace_back(name, i);
    return name;
  }
  void finish() {
    for (const auto& [from, i] : after_)
      b.file.layers.push_back({"Reshape", file_builder::fresh(b.layer_names, from), {from}, {out(i)},
                               parameter_list().shape(b.g.shape(output(i))).params, 0});
    after_.clear();
  }
  /// Whether every way in which `reader` reads v is content with any shape.
  static bool takes_any_form(const file_builder& b, node_id reader, value_id v) {
    if (b.is_reshape(reader)) return true;
    const auto in = b.g.inputs(b.g.at(reader));
    const unsigned bits = habits_of(b.g, reader).any_form;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i] == v && !(bits >> i & 1u)) return false;
    return true;
  }

  void need_rank(int least, int most) const {
    const int rank = input_shape().rank;
    if (rank < least || rank > most) throw inexpressible{"an input of " + describe(input_shape())};
  }

  file_builder& b;

 private:
  node_id id_;
  const ir::node& node_;
  std::vector<std::pair<std::string, int>> after_;
};

}  // namespace ctnn::ncnn
