// SPDX-License-Identifier: BSL-1.0
// Messages to a graph of ctnn's operators, for inputs of given shapes.
#pragma once

#include "build.hpp"
#include "graph_reader.hpp"

namespace ctnn::onnx {

namespace detail {

inline bool is_open(const value_info::axis& a) {
  return !a.size || *a.size < 0 || *a.size > 2147483647 || (*a.size == 0 && !a.name.empty());
}
inline void declare(const value_info& v, std::vector<declared_value>& to) {
  const auto type = element_type(v.element);
  if (!v.is_tensor || !type) return;
  declared_value& d = to.emplace_back(v.name);
  d.type = *type;
  d.ranked = v.shape.has_value();
  if (v.shape)
    for (const value_info::axis& a : *v.shape) d.axes.push_back({is_open(a) ? -1 : static_cast<int>(*a.size), a.name});
}

/// The shape of an input: what the caller says, what has been fed, or the file.
inline extents input_shape(const importer& i, const value_info& v, const arrays_by_name& fed) {
  if (const auto at = fed.find(v.name); at != fed.end()) {
    const extents& s = at->second.shape();
    if (v.shape) {
      bool fits = static_cast<int>(v.shape->size()) == s.rank;
      for (int k = 0; fits && k < s.rank; ++k) {
        const auto& axis = (*v.shape)[static_cast<std::size_t>(k)];
        fits = !axis.size || *axis.size == s[k] || *axis.size <= 0;
      }
      if (!fits && !i.options.input_shapes.contains(v.name)) {
        std::string wanted;
        for (const auto& axis : *v.shape)
          wanted += (wanted.empty() ? "" : " x ") + (axis.size           ? std::to_string(*axis.size)
                                                     : axis.name.empty() ? "?"
                                                                         : axis.name);
        i.fail("input '" + v.name + "' is " + (wanted.empty() ? "scalar" : wanted) + ", got " + describe(s));
      }
    }
    return s;
  }
  if (const auto at = i.options.input_shapes.find(v.name); at != i.options.input_shapes.end()) return at->second;
  if (v.usual) return *v.usual;
  if (!v.shape)
    throw undetermined(i.file.source + ": input '" + v.name + "' has no shape in the file: give it one or feed it");
  extents s;
  for (const auto& axis : *v.shape) {
    if (!axis.size || *axis.size < 0 || (*axis.size == 0 && !axis.name.empty()))
      throw undetermined(i.file.source + ": input '" + v.name + "' has an open axis" +
                         (axis.name.empty() ? "" : " '" + axis.name + "'") + ": give it a shape or feed it");
    if (*axis.size > 2147483647) i.fail("input '" + v.name + "' has an extent of " + std::to_string(*axis.size));
    s.push_back(static_cast<int>(*axis.size));
  }
  return s;
}

}  // namespace detail

CTNN_ONCE std::vector<declared_value> declared_inputs(const model_message& file) {
  std::unordered_set<std::string_view> initialized;
  for (const tensor& t : file.graph.initializers) initialized.insert(t.name);
  std::vector<declared_value> all;
  for (const value_info& v : file.graph.inputs) {
    const std::size_t had = all.size();
    detail::declare(v, all);
    if (all.size() > had) all.back().optional = initialized.contains(v.name);
  }
  return all;
}
CTNN_ONCE std::vector<declared_value> declared_outputs(const model_message& file) {
  std::vector<declared_value> all;
  for (const value_info& v : file.graph.outputs) detail::declare(v, all);
  return all;
}

CTNN_ONCE loaded_model build(const model_message& file, const read_options& options, const arrays_by_name& fed) {
  try {
    importer i(file, options, fed);
    if (const auto opset = file.opsets.find(""); opset != file.opsets.end()) i.check_opset(opset->second);
    if (file.ir_version < 1) i.fail("the model's format version is " + std::to_string(file.ir_version));
    if (file.graph.outputs.empty()) i.fail("the graph has no outputs");
    for (const auto* values : {&file.graph.inputs, &file.graph.outputs})
      for (const value_info& v : *values)
        if (!v.is_tensor) i.fail("not supported: '" + v.name + "' is not a tensor");
    detail::graph_reader reader(i);
    std::unordered_map<std::string_view, const tensor*> initialized;
    for (const tensor& t : file.graph.initializers) initialized.emplace(t.name, &t);
    for (const auto& given : fed)
      if (!file.is_part && std::none_of(file.graph.inputs.begin(), file.graph.inputs.end(),
                                        [&](const value_info& v) { return v.name == given.first; }))
        i.fail("the model has no input called '" + given.first + "'");
    for (const value_info& v : file.graph.inputs) {
      const auto defaults = initialized.find(v.name);
      if (defaults != initialized.end()) {
        if (defaults->second->sparse) continue;  // runtimes take these as constants
        if (!fed.contains(v.name)) {
          if (const tensor& t = *defaults->second; t.refused.empty())
            i.model.inputs.push_back({i.model.keep(v.name), t.shape, t.type, nullptr, true, true});
          continue;
        }
        reader.overridden_.insert(v.name);
      }
      if (v.name.empty()) i.fail("an input has no name");
      const auto given = fed.find(v.name);
      const bool as_fed = file.is_part && v.element == 0 && given != fed.end();
      if (v.element == 0 && !as_fed) i.fail("input '" + v.name + "' has no element type");
      const auto type = as_fed ? given->second.type() : element_type(v.element);
      if (!type) i.fail("not supported: input '" + v.name + "' is a tensor of " + element_name(v.element));
      if (given != fed.end() && given->second.type() != *type)
        i.fail("input '" + v.name + "' is " + std::string(name_of(*type)) + ", got " +
               std::string(name_of(given->second.type())));
      i.add_input(v.name, detail::input_shape(i, v, fed), *type, defaults != initialized.end());
    }
    reader.read_nodes(file.graph);
    reader.report();
    std::unordered_set<std::string_view> declared;
    for (std::size_t k = 0; k < file.graph.outputs.size(); ++k) {
      const std::string& name = file.graph.outputs[k].name;
      if (!declared.insert(name).second) i.fail("two outputs are called '" + name + "'");
      const term t = reader.output(file.graph, k);
      if (t == none) i.fail("output '" + name + "' cannot be computed");
      if (const form f = i.at(t).form; f != form::numbers && file.is_part)
        throw ir::not_divisible(file.source + ": '" + name + "' is " + name_of(f));
      else if (f != form::numbers) i.fail("not supported: output '" + name + "' is " + name_of(f));
      add_output(i.model.network, i.model.keep(name), i.materialize(t));
    }
    for (const auto& [name, next] : i.carried()) {
      if (!declared.insert(name).second) i.fail("an output and a state are called '" + std::string(name) + "'");
      add_output(i.model.network, name, i.materialize(next));
    }
    return std::move(i.model);
  } catch (const std::bad_alloc&) {
    throw error(file.source + ": out of memory");
  }
}

}  // namespace ctnn::onnx
