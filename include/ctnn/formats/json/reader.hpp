// SPDX-License-Identifier: BSL-1.0
// Files in JSON to graphs: which format it is, what its input is, and what the formats make of it.
#pragma once

#include <filesystem>

#include "../nam/reader.hpp"
#include "../rtneural/reader.hpp"
#include "load.hpp"
#include "parser.hpp"

namespace ctnn::json {

namespace detail {

/// What a format does with a file.
struct format {
  input_declaration (*input)(const element& file);
  /// The network's output, of what x is.
  value_id (*build)(network_builder& b, const element& file, value_id x);
};

inline format format_of(const element& file) {
  if (!file.is(kind::object)) file.fail("is " + std::string(name_of(file.what())) + ", expected an object");
  if (file.find("architecture")) return {nam::declared_input, nam::add_network};
  if (file.find("in_shape") && file.find("layers")) return {rtneural::declared_input, rtneural::add_network};
  if (file.find("state_dict") || file.has_key_ending(".weight") || file.find("weight"))
    file.refuse("tensors by name without the layers that they belong to (a state_dict)");
  file.fail(
      "expected Neural Amp Modeler's keys (version, architecture, config, weights) or RTNeural's (in_shape, "
      "layers)");
}

/// What somebody says instead of the file.
inline extents checked_input(const element& file, const input_declaration& as, const extents& given) {
  bool fits = given.rank == as.shape.rank;
  for (int i = 1; fits && i < given.rank; ++i) fits = i == as.samples || given[i] == as.shape[i];
  if (!fits)
    file.fail("input 'x' of " + describe(given) + ", the file has " + describe(as.shape) + ", of which axis " +
              std::to_string(as.samples) + " may be longer or shorter");
  return given;
}

}  // namespace detail

CTNN_ONCE document read(const std::string& path, const budget& limits) {
  const byte_buffer bytes = read_file(path, limits);
  return parse(as_text(bytes), std::filesystem::path(path).filename().string(), limits);
}

CTNN_ONCE std::vector<declared_value> declared_inputs(const document& file) {
  const element root(file);
  return {declared_value("x", detail::format_of(root).input(root).shape, dtype::f32)};
}

CTNN_ONCE loaded_model build(const document& file, const shapes_by_name& shapes, const budget& limits) {
  const element root(file);
  const detail::format format = detail::format_of(root);
  network_builder b(limits);
  const input_declaration declared = format.input(root);
  const auto given = shapes.find("x");
  op::input input;
  input.shape = as_list(given == shapes.end() ? declared.shape : detail::checked_input(root, declared, given->second));
  const value_id x = b.node(root, "x", input, {});
  value_id y = format.build(b, root, x);
  if (y == x) y = b.node(root, "y", op::identity{}, {x});
  b.model.network.at_value(y).name = "y";
  add_output(b.model.network, "y", y);
  return std::move(b.model);
}

CTNN_ONCE loaded_model load(const std::string& path, const shapes_by_name& shapes, const budget& limits) {
  return build(read(path, limits), shapes, limits);
}

}  // namespace ctnn::json
